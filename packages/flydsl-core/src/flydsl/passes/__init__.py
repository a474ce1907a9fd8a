"""Fly module in, Fly pointer operations on upstream dialects out: the target-neutral passes, one file each."""
