"""Fly pointer and atom operations in, LLVM dialect out: the base that every backend's `convert-fly-to-<target>`
configures.
"""
