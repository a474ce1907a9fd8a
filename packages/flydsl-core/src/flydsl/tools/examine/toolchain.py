"""The toolchain as `flydsl doctor` examines it: loaded, and given a module to read."""

from __future__ import annotations

from flydsl.toolchain.select import default_toolchain

_EMPTY = '"builtin.module"() ({\n^bb0:\n}) : () -> ()\n'


def describe_toolchain() -> str:
    """Name and version of the toolchain, after it has run an empty pipeline over an empty module."""
    toolchain = default_toolchain()
    toolchain.run_pipeline(_EMPTY, "builtin.module()")
    return f"{toolchain.name}, LLVM {toolchain.version()}, loaded"
