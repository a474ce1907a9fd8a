"""Toolchains: MLIR text in, code objects and host objects out; the compiler sees only `protocol.Toolchain`."""
