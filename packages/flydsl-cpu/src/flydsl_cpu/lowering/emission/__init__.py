"""The native function of a kernel, loop by loop."""
