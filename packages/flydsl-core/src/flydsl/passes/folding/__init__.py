"""Simplifications shared by the canonicalizing passes: arithmetic, control flow, and what has effects."""
