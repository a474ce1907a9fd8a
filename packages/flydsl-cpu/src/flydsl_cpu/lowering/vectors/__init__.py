"""Vectors in loops over threads: taken apart, united, or made of neighbouring threads."""
