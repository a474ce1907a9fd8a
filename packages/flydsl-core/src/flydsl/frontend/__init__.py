"""The front end: source, rewriting of control flow, tracing and diagnostics, down to a Fly module."""
