"""Decorators and stages (`import flydsl.compiler as flyc`): functions in, launched kernels out."""
