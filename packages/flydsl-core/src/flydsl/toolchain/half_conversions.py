"""The f16 and bf16 conversions that an object calls, linked instead of a compiler library."""

from __future__ import annotations

from pathlib import Path

from flydsl.toolchain.protocol import CodegenTarget, Toolchain

_FUNCTIONS = (b"__extendhfsf2\0", b"__truncsfhf2\0", b"__truncdfhf2\0", b"__truncsfbf2\0", b"__truncdfbf2\0")
_OBJECTS: dict[tuple[str, str], bytes] = {}


def half_conversions(code: bytes, toolchain: Toolchain, *, triple: str = "") -> list[bytes]:
    """The object that defines the half conversions of `code`, to link it with; none when it calls none.

    The object runs on every processor of the architecture.
    """
    if not any(name in code for name in _FUNCTIONS):
        return []
    key = (toolchain.fingerprint(), triple)
    if key not in _OBJECTS:
        text = Path(__file__).with_suffix(".mlir").read_text(encoding="utf-8")
        _OBJECTS[key] = toolchain.emit_host_object(text, CodegenTarget(triple))
    return [_OBJECTS[key]]
