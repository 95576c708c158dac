"""One report model and its pure renderers."""
