"""Simplifications shared by the canonicalizing passes: arithmetic and control flow."""
