"""Libraries of functions for kernels, written in the language."""
