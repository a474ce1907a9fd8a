"""The native library of flydsl-jax; its Python code is `flydsl.jax`.

It lies here since `flydsl` is a namespace of many distributions, where an installed file has no folder of its own.
"""
