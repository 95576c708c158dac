"""The checks of the Floor's evidence, one module a section of the published procedure."""
