"""Opening an evidence bundle: directory or archive, every byte listed, nothing trusted."""
