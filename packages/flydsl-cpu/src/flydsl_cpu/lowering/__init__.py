"""Lowering for the CPU: `convert-fly-to-cpu` and `cpu-thread-loops`, one native function per kernel."""
