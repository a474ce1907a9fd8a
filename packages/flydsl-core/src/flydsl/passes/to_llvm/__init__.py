"""Fly pointer and atom operations in the LLVM dialect: the base that every backend's `convert-fly-to-<target>`
configures.
"""
