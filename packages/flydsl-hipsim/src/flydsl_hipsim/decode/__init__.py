"""Disassembled instructions in, the engine's records out."""
