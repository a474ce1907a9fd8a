"""Reductions and scans of blocks: classes that are specialised for an element type, a block size and an algorithm."""
