"""Validation of parsed code objects: addresses inside of the image, sizes that a GPU has."""

from __future__ import annotations

from flydsl_hipsim.code_object import CodeObject, Kernel
from flydsl_hipsim.errors import CodeObjectError

_IMAGE_BYTES, _ARGUMENT_BYTES, _SCRATCH_BYTES = 1 << 31, 1 << 16, 1 << 21
_THREADS, _REGISTERS = 1024, 1024


def check_limits(code: CodeObject) -> None:
    """Raise CodeObjectError for what the engine, which trusts it, could not execute safely."""
    if code.size > _IMAGE_BYTES:
        raise CodeObjectError(f"the code object needs an image of {code.size} bytes, {_IMAGE_BYTES} are the most")
    ranges = [(segment.address, len(segment.data)) for segment in code.segments]
    ranges += [(offset, 8) for offset, _ in code.relocations]
    ranges += [(symbol.address, symbol.size) for symbol in code.symbols if not symbol.is_function]
    for address, size in ranges:
        if address + size > code.size:
            where = f"{size} bytes at {address:#x} are outside of its segments"
            raise CodeObjectError(f"the code object is damaged: {where}")
    for kernel in code.kernels.values():
        _check_kernel(kernel, least_wave=64 if code.arch.startswith("gfx9") else 32)


def _check_kernel(kernel: Kernel, least_wave: int) -> None:
    ranges = [(a.offset, a.offset + a.size) for a in kernel.arguments]
    begin, end = min([0, *(first for first, _ in ranges)]), max([0, *(last for _, last in ranges)])
    hidden, preloaded = kernel.implicit_offset or 0, kernel.preload_offset + kernel.preload_words
    for what, found, least, most in (
        ("the lanes of a wave", kernel.wave_size, least_wave, 64),
        ("the threads of a workgroup", kernel.max_workgroup, 1, _THREADS),
        ("the vector registers", kernel.vgprs, 0, _REGISTERS),
        ("the bytes of scratch", kernel.private_bytes, 0, _SCRATCH_BYTES),
        ("the bytes of arguments", kernel.kernarg_size, 0, _ARGUMENT_BYTES),
        ("the begin of an argument", begin, 0, kernel.kernarg_size),
        ("the end of an argument", end, 0, kernel.kernarg_size),
        ("the begin of hidden arguments", hidden, 0, kernel.kernarg_size),
        ("the dwords of preloaded arguments", preloaded, 0, kernel.kernarg_size // 4 + 16),
    ):
        if not least <= found <= most:
            text = f"{what} are {found}, expected {least} to {most}"
            raise CodeObjectError(f"the code object is damaged: kernel {kernel.name!r}: {text}")
