"""Decoding of disassembled instructions into the engine's records."""
