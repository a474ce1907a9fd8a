"""Fly kernels in, one native function per kernel and block out: `convert-fly-to-cpu` and `cpu-thread-loops`."""
