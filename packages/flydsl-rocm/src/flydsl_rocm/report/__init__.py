"""Counts of compiled kernels, from the disassembly and metadata of code objects."""
