"""ARCANA's season score; one module for each version that was ever in force."""
