"""Pure arithmetic of the published rules; one version is one module, and is never edited."""
