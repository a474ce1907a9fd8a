"""Parser of AMD code objects (ELF, versions 5 and 6): segments, relocations, kernels."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flydsl_hipsim.errors import CodeObjectError

_EM_AMDGPU = 224
_PT_LOAD, _PT_DYNAMIC, _PT_NOTE = 1, 2, 4
_NT_METADATA = 32
_RELATIVE64, _ABS64, _GLOB_DAT = 13, 3, 3
_FUNC, _OBJECT = 2, 1
_UNREADABLE = struct.error, LookupError, ValueError, TypeError, AttributeError, ArithmeticError, MemoryError
_IMPLICIT_OFFSETS = {
    "hidden_block_count_x": 0, "hidden_block_count_y": 4, "hidden_block_count_z": 8, "hidden_group_size_x": 12,
    "hidden_group_size_y": 14, "hidden_group_size_z": 16, "hidden_remainder_x": 18, "hidden_remainder_y": 20,
    "hidden_remainder_z": 22, "hidden_global_offset_x": 40, "hidden_global_offset_y": 48, "hidden_global_offset_z": 56,
    "hidden_grid_dims": 64, "hidden_printf_buffer": 72, "hidden_hostcall_buffer": 80, "hidden_multigrid_sync_arg": 88,
    "hidden_heap_v1": 96, "hidden_default_queue": 104, "hidden_completion_action": 112, "hidden_dynamic_lds_size": 120,
    "hidden_private_base": 192, "hidden_shared_base": 196, "hidden_queue_ptr": 200,
}  # fmt: skip


_HIDDEN_BITS = {"hidden_hostcall_buffer": 1, "hidden_printf_buffer": 2, "hidden_heap_v1": 4}
"""FlySimHidden of flysim.h."""


@dataclass(frozen=True, slots=True)
class Segment:
    """`data` belongs at `address`; the rest of `size` is zero."""

    address: int
    size: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function or a global variable, as an offset from the image's base."""

    name: str
    address: int
    size: int
    is_function: bool


@dataclass(frozen=True, slots=True)
class Argument:
    """An explicit argument; `kind` is the metadata's value kind."""

    offset: int
    size: int
    kind: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel: descriptor and metadata; `implicit_offset` is None when it has no hidden arguments."""

    name: str
    entry: int
    arguments: tuple[Argument, ...]
    implicit_offset: int | None
    kernarg_size: int
    static_lds: int
    private_bytes: int
    wave_size: int
    max_workgroup: int
    vgprs: int
    sgprs: int
    user_sgprs: int
    user_bits: int
    sgpr_bits: int
    vgpr_ids: int
    float_mode: int
    ieee: bool
    clamps_nan: bool
    preload_words: int
    preload_offset: int
    dynamic_stack: bool
    hidden: int
    split_groups: bool


@dataclass(frozen=True, slots=True)
class CodeObject:
    """`arch` is the chip alone, `gfx942`, or a generic target, `gfx9-4-generic`; `target` has the state of features as
    well. `formats` are those of printf, as the metadata has them. For `relocations` (offset, value) value plus the base
    is stored at offset.
    """

    arch: str
    size: int
    segments: tuple[Segment, ...]
    relocations: tuple[tuple[int, int], ...]
    symbols: tuple[Symbol, ...]
    kernels: dict[str, Kernel]
    formats: tuple[str, ...]
    target: str

    @property
    def wave_size(self) -> int:
        """Of the first kernel: one code object has one wave size."""
        return next((kernel.wave_size for kernel in self.kernels.values()), 64)


def parse_code_object(data: bytes) -> CodeObject:
    """Raises CodeObjectError for anything that is not a linked code object for an AMD GPU."""
    with damage_is_refused():
        return _Elf(data).code_object()


@contextmanager
def damage_is_refused() -> Iterator[None]:
    """What bytes that make no sense raise becomes a CodeObjectError."""
    try:
        yield
    except CodeObjectError:
        raise
    except _UNREADABLE as error:
        what = f"there is no {error}" if isinstance(error, KeyError) else str(error) or type(error).__name__
        raise CodeObjectError(f"the code object is damaged: {what}") from error


class _Elf:
    def __init__(self, data: bytes) -> None:
        self.data = data
        if data[:4] != b"\x7fELF" or len(data) < 64 or struct.unpack_from("<H", data, 18)[0] != _EM_AMDGPU:
            raise CodeObjectError("not a code object: an ELF file for AMD GPUs is expected")
        if struct.unpack_from("<H", data, 16)[0] != 3:
            raise CodeObjectError("the code object is not linked: a shared object is expected")
        start, count = struct.unpack_from("<Q", data, 0x20)[0], struct.unpack_from("<H", data, 0x38)[0]
        self.headers = [struct.unpack_from("<IIQQQQQQ", data, start + 56 * k) for k in range(count)]

    def code_object(self) -> CodeObject:
        metadata = self.metadata()
        segments = tuple(
            Segment(address, memory, self.data[offset : offset + size])
            for kind, _, offset, address, _, size, memory, _ in self.headers
            if kind == _PT_LOAD
        )
        symbols = tuple(self.symbols())
        target = _chip_of(metadata["amdhsa.target"])
        arch = target.partition(":")[0]
        kernels = {k[".name"]: self.kernel(k, symbols, arch) for k in metadata.get("amdhsa.kernels", ())}
        formats = tuple(metadata.get("amdhsa.printf", ()))
        size = max(segment.address + segment.size for segment in segments)
        return CodeObject(arch, size, segments, tuple(self.relocations()), symbols, kernels, formats, target)

    def metadata(self) -> dict[str, Any]:
        import msgpack

        for kind, _, offset, _, _, size, _, _ in self.headers:
            at, end = offset, offset + size
            while kind == _PT_NOTE and at < end:
                names, length, note = struct.unpack_from("<III", self.data, at)
                begin = at + 12 + (names + 3 & ~3)
                if note == _NT_METADATA:
                    unpacked: dict[str, Any] = msgpack.unpackb(
                        self.data[begin : begin + length], unicode_errors="surrogateescape"
                    )
                    return unpacked
                at = begin + (length + 3 & ~3)
        raise CodeObjectError("the code object has no metadata")

    def at(self, address: int, size: int) -> bytes:
        """Bytes at a virtual address."""
        for kind, _, offset, start, _, length, _, _ in self.headers:
            if kind == _PT_LOAD and start <= address and address + size <= start + length:
                return self.data[offset + address - start : offset + address - start + size]
        raise CodeObjectError(f"the code object is damaged: nothing at address {address:#x}")

    def dynamic(self) -> dict[int, int]:
        for kind, _, offset, _, _, size, _, _ in self.headers:
            if kind == _PT_DYNAMIC:
                return dict(struct.iter_unpack("<QQ", self.data[offset : offset + size]))
        raise CodeObjectError("the code object is not linked: it has no dynamic section")

    def symbol_entries(self) -> Iterator[tuple[str, int, int, int]]:
        """(name, type, value, size) of the dynamic symbols, and of local functions when there is a full table."""
        sections, entry, count = struct.unpack_from("<Q10xHH", self.data, 0x28)
        headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, sections + entry * k) for k in range(count)]
        for _, kind, _, _, offset, size, link, _, _, _ in headers:
            if kind not in (2, 11):
                continue
            strings = headers[link][4]
            table = self.data[offset : offset + size]
            for name, info, _, section, value, length in struct.iter_unpack("<IBBHQQ", table):
                if section:
                    end = self.data.index(b"\0", strings + name)
                    yield self.data[strings + name : end].decode(errors="replace"), info & 15, value, length

    def symbols(self) -> Iterator[Symbol]:
        seen = set()
        for name, kind, value, size in self.symbol_entries():
            if kind in (_FUNC, _OBJECT) and (name, value) not in seen:
                seen.add((name, value))
                yield Symbol(name, value, size, kind == _FUNC)

    def relocations(self) -> Iterator[tuple[int, int]]:
        table = self.dynamic()
        entries = self.at(table[7], table[8]) if 7 in table else b""
        for offset, info, addend in struct.iter_unpack("<QQq", entries):
            kind, symbol = info & 0xFFFFFFFF, info >> 32
            if kind == _RELATIVE64:
                yield offset, addend
            elif kind == _ABS64 and symbol:
                yield offset, addend + struct.unpack("<8xQ8x", self.at(table[6] + 24 * symbol, 24))[0]
            else:
                raise CodeObjectError(f"a relocation of kind {kind}, only RELATIVE64 and ABS64 are handled")

    def kernel(self, metadata: dict[str, Any], symbols: tuple[Symbol, ...], arch: str) -> Kernel:
        always = arch.startswith("gfx12")  # these have no IEEE mode, and always clamp NaNs
        address = {s.name: s.address for s in symbols}[metadata[".symbol"]]
        raw = self.at(address, 64)
        lds, private, kernargs, entry = struct.unpack_from("<III4xq", raw)
        rsrc3, rsrc1, rsrc2, properties, preload = struct.unpack_from("<IIIHH", raw, 44)
        arguments = metadata.get(".args", ())
        dynamic_stack = bool(metadata.get(".uses_dynamic_stack"))
        return Kernel(
            name=metadata[".name"], entry=address + entry,
            arguments=tuple(_argument(a) for a in arguments if not a[".value_kind"].startswith("hidden_")),
            implicit_offset=_implicit_offset(arguments), kernarg_size=metadata.get(".kernarg_segment_size", kernargs),
            static_lds=lds, private_bytes=max(private, 16384 if dynamic_stack else 0) + 15 & ~15,
            wave_size=metadata[".wavefront_size"], max_workgroup=metadata[".max_flat_workgroup_size"],
            vgprs=metadata[".vgpr_count"], sgprs=metadata[".sgpr_count"],
            user_sgprs=rsrc2 >> 1 & 31, user_bits=properties & 127, sgpr_bits=rsrc2 >> 7 & 15 | (rsrc2 & 1) << 4,
            vgpr_ids=rsrc2 >> 11 & 3, float_mode=rsrc1 >> 12 & 255 | (rsrc1 >> 26 & 1) << 23,
            ieee=not always and bool(rsrc1 >> 23 & 1), clamps_nan=always or bool(rsrc1 >> 21 & 1),
            preload_words=preload & 127, preload_offset=preload >> 7, dynamic_stack=dynamic_stack,
            split_groups=arch.startswith("gfx9") and bool(rsrc3 >> 16 & 1),
            hidden=sum(_HIDDEN_BITS.get(a[".value_kind"], 0) for a in arguments),
        )  # fmt: skip


def _chip_of(target: str) -> str:
    """`gfx942:xnack-` of `amdgcn-amd-amdhsa--gfx942:xnack-`; a normalised triple names its environment: `unknown`."""
    *_, system, environment, chip = target.split("-", 4)
    if system != "amdhsa" or environment not in ("", "unknown"):
        raise CodeObjectError(f"the code object is for {target!r}: one for amdgcn-amd-amdhsa is expected")
    return chip


def _argument(fields: dict[str, Any]) -> Argument:
    return Argument(fields[".offset"], fields[".size"], fields[".value_kind"], fields.get(".name", ""))


def _implicit_offset(arguments: Any) -> int | None:
    for argument in arguments:
        offset = _IMPLICIT_OFFSETS.get(argument[".value_kind"])
        if offset is not None:
            return int(argument[".offset"] - offset)
    return None
