"""Fly pointer and atom operations in the LLVM dialect: what `flydsl.backend.lowering` is made of.

No door: plugins import from `flydsl.backend.lowering`.
"""
