"""The numbered steps of the published procedure, one module a group of steps."""
