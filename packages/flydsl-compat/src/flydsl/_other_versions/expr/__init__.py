"""Names of `flydsl.expr`."""
