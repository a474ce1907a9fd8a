"""Names of `flydsl.utils`."""
