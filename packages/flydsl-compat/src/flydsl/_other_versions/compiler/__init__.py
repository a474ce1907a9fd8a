"""Names of `flydsl.compiler`."""
