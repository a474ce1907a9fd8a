"""What a code object's metadata says of its kernels: registers, spills, memory and threads."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import CompileError

_NOTE_SECTION, _METADATA = 4, 32
_UNREADABLE = struct.error, LookupError, ValueError, TypeError, AttributeError


@dataclass(frozen=True, slots=True)
class KernelMetadata:
    """Registers are those allocated for a thread (SGPRs: for a wave), `scratch` bytes those of a thread; `threads` is
    the largest block that it may run in, `block` the only one where it says so."""

    name: str
    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    lds: int
    scratch: int
    dynamic_stack: bool
    threads: int
    wave: int
    block: tuple[int, int, int] | None = None


def kernels_of(code: bytes) -> dict[str, KernelMetadata]:
    """The kernels of a code object by name; CompileError for bytes that are none."""
    try:
        return {kernel[".name"]: _kernel(kernel) for kernel in _metadata(code).get("amdhsa.kernels", ())}
    except _UNREADABLE as error:
        raise CompileError(f"the code object's metadata cannot be read: {error}") from error


def _kernel(fields: dict[str, Any]) -> KernelMetadata:
    return KernelMetadata(
        name=fields[".name"],
        vgprs=fields[".vgpr_count"],
        agprs=fields.get(".agpr_count", 0),
        sgprs=fields[".sgpr_count"],
        vgpr_spills=fields.get(".vgpr_spill_count", 0),
        sgpr_spills=fields.get(".sgpr_spill_count", 0),
        lds=fields[".group_segment_fixed_size"],
        scratch=fields[".private_segment_fixed_size"],
        dynamic_stack=bool(fields.get(".uses_dynamic_stack", False)),
        threads=fields[".max_flat_workgroup_size"],
        wave=fields[".wavefront_size"],
        block=_block(fields.get(".reqd_workgroup_size")),
    )


def _block(size: list[int] | None) -> tuple[int, int, int] | None:
    return (size[0], size[1], size[2]) if size else None


def _metadata(code: bytes) -> dict[str, Any]:
    """The map in the ELF file's note of AMD's metadata."""
    import msgpack

    if code[:4] != b"\x7fELF":
        raise ValueError("it is no ELF file")
    start, count = struct.unpack_from("<Q", code, 0x20)[0], struct.unpack_from("<H", code, 0x38)[0]
    for index in range(count):
        kind, _, at, _, _, size = struct.unpack_from("<IIQQQQ", code, start + 56 * index)
        end = at + size
        while kind == _NOTE_SECTION and at < end:
            name, length, note = struct.unpack_from("<III", code, at)
            begin = at + 12 + (name + 3 & ~3)
            if note == _METADATA:
                unpacked: dict[str, Any] = msgpack.unpackb(code[begin : begin + length])
                return unpacked
            at = begin + (length + 3 & ~3)
    raise ValueError("it has no note with metadata")
