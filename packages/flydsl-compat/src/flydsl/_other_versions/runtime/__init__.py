"""Names of `flydsl.runtime`."""
