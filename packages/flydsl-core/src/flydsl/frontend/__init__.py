"""The user's function in, a Fly module out: source, rewriting of control flow, tracing, diagnostics."""
