"""Modules of helpers under the paths that other kernels import them from."""
