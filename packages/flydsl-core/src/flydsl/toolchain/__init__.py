"""Toolchains: MLIR text compiled to code objects and host objects; the compiler sees only `protocol.Toolchain`."""
