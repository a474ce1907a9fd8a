"""Target namespaces and IR types, loaded on first use."""
