"""Code objects loaded as native modules: image, relocations, decoded instructions, kernels and globals."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
import time
from functools import cache, lru_cache
from typing import Any

from flydsl_hipsim.code_object import CodeObject, Kernel, damage_is_refused, parse_code_object
from flydsl_hipsim.decode.records import Decoded, decode
from flydsl_hipsim.errors import CodeObjectError, OtherTargetError
from flydsl_hipsim.images import Bytes, chips_of, fits, is_executable, select_image
from flydsl_hipsim.limits import check_limits
from flydsl_hipsim.lines import line_table
from flydsl_hipsim.native import BAD_IMAGE, ERROR, LOAD_FUNCTION, MESSAGE_BYTES, NO_BINARY, OK, KernelDesc, load_library
from flydsl_hipsim.options import CHIPS

_BETWEEN_S = 0.25
"""Longer than a thread needs from native code into Python, or back."""
TRIPLE = "amdgcn-amd-amdhsa"


def load_module(data: Bytes, device: str = "") -> tuple[int, CodeObject]:
    """The address of a new native module, to be given back with `flysim_module_unload`, and what it was made of.

    For `device`, and what `data` may be, see `flydsl_hipsim.images.select_image`.
    """
    image = select_image(data, device)
    code = parse_code_object(image)
    chip = device.partition(":")[0] or chips_of(code.target)[0]
    if not fits(code.target, device or chip):
        raise OtherTargetError(f"the code object is for {code.target}, the device is a {device}")
    if not is_executable(chip):
        raise OtherTargetError(f"the code object is for {code.target}, which is not simulated: {', '.join(CHIPS)} are")
    with damage_is_refused():
        check_limits(code)
        decoded = _decoded(bytes(image), code.arch, code.wave_size)
        lines = line_table(image)
    library = load_library()
    module = library.flysim_module_create(chip.encode(), code.size)
    if not module:
        raise CodeObjectError(f"no memory for an image of {code.size} bytes")
    try:
        _fill(module, code)
        _add_code(module, code, decoded)
        _add_lines(module, lines)
        _add_symbols(module, code)
    except BaseException:
        library.flysim_module_unload(module)
        raise
    return int(module), code


@cache
def install_loader() -> None:
    """From now on `flysim_module_load` takes code objects; the callback lives as long as the process."""
    load_library().flysim_set_loader(ctypes.cast(_CALLBACK, ctypes.c_void_p))


class _Loads:
    """The loads that run. When Python ends, a thread inside of one would take the process with it."""

    def __init__(self) -> None:
        self._begin()
        self._is_over = False
        os.register_at_fork(after_in_child=self._begin)

    def _begin(self) -> None:
        """No load runs: those of the parent of a fork stayed there."""
        self._changed = threading.Condition()
        self._running = 0

    def __enter__(self) -> None:
        with self._changed:
            if self._is_over:
                raise CodeObjectError("no code is loaded any more: the process ends")
            self._running += 1

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._running -= 1
            self._changed.notify_all()

    def end(self, patience_s: float) -> None:
        """Let none begin, and wait for those that run."""
        with self._changed:
            self._is_over = True
            self._changed.wait_for(lambda: not self._running, patience_s)


_loads = _Loads()


def end_loads(patience_s: float) -> None:
    """For the end of the process: whoever loads code from now on gets an error that needs no Python."""
    load_library().flysim_set_loader(None)
    _loads.end(patience_s)
    if len(sys._current_frames()) > 1:  # one of the others may be on its way into Python, or back, and lack the GIL
        time.sleep(_BETWEEN_S)


def _load(image: int, size: int, arch: bytes | None, out: Any, message: Any, message_size: int) -> int:
    try:
        with _loads:
            data = memoryview((ctypes.c_char * size).from_address(image)).cast("B")
            out[0], _ = load_module(data, arch.decode() if arch else "")
    except Exception as error:  # a callback must not raise: the caller is native code
        return _refuse(error, message, message_size)
    return OK


def _refuse(error: Exception, message: Any, message_size: int) -> int:
    text = str(error).encode()[: message_size - 1] + b"\0"
    ctypes.memmove(message, text, len(text))
    if isinstance(error, OtherTargetError):
        return NO_BINARY
    return BAD_IMAGE if isinstance(error, CodeObjectError) else ERROR


_CALLBACK = LOAD_FUNCTION(_load)


@lru_cache(maxsize=64)
def _decoded(data: bytes, arch: str, wave_size: int) -> Decoded:
    """A code object that was loaded before is not disassembled again: each device and context loads it anew."""
    from flydsl_mlir import MlirError, disassemble

    features = [] if arch.startswith("gfx9") else ["+real-true16"]
    if not arch.startswith("gfx9") and wave_size == 64:
        features.append("+wavefrontsize64")
    try:
        return decode(disassemble(data, triple=TRIPLE, chip=arch, features=",".join(features)))
    except MlirError as error:
        raise CodeObjectError(f"the code object cannot be disassembled: {error}") from error


def _fill(module: int, code: CodeObject) -> None:
    base = load_library().flysim_module_image(module)
    for segment in code.segments:
        ctypes.memmove(base + segment.address, segment.data, len(segment.data))
    for offset, value in code.relocations:
        ctypes.memmove(base + offset, struct.pack("<Q", base + value), 8)


def _add_code(module: int, code: CodeObject, decoded: Decoded) -> None:
    ranges = [edge for s in code.symbols if s.is_function for edge in (s.address, s.address + s.size)]
    message = ctypes.create_string_buffer(MESSAGE_BYTES)
    names, texts = "\n".join(decoded.names).encode(), "\n".join(decoded.texts).encode()
    edges = (ctypes.c_uint32 * max(1, len(ranges)))(*ranges)
    status = load_library().flysim_module_code(
        module, bytes(decoded.records), decoded.count, names, edges, len(ranges) // 2, texts, message, MESSAGE_BYTES
    )
    if status != OK:
        raise CodeObjectError(message.value.decode(errors="replace"))


def _add_lines(module: int, rows: list[tuple[int, str]]) -> None:
    if rows:
        text = "\n".join(f"{offset:x} {line}" for offset, line in rows)
        load_library().flysim_module_lines(module, text.encode())


def _add_symbols(module: int, code: CodeObject) -> None:
    library = load_library()
    for kernel in code.kernels.values():
        if library.flysim_module_add_kernel(module, kernel.name.encode(), _descriptor(kernel)) != OK:
            raise CodeObjectError(f"kernel {kernel.name!r} begins where there is no code")
    for line in code.formats:
        library.flysim_module_add_format(module, line.encode(errors="surrogateescape"))
    for symbol in code.symbols:
        if not symbol.is_function and not symbol.name.endswith(".kd"):
            library.flysim_module_add_global(module, symbol.name.encode(), symbol.address, symbol.size)


def _descriptor(kernel: Kernel) -> KernelDesc:
    count = len(kernel.arguments)
    array = ctypes.c_uint32 * max(1, count)
    return KernelDesc(
        struct_size=ctypes.sizeof(KernelDesc), entry=kernel.entry, kernarg_size=kernel.kernarg_size,
        implicit_offset=0xFFFFFFFF if kernel.implicit_offset is None else kernel.implicit_offset,
        static_lds=kernel.static_lds, private_bytes=kernel.private_bytes, wave_size=kernel.wave_size,
        max_workgroup=kernel.max_workgroup, vgprs=kernel.vgprs, sgprs=kernel.sgprs, user_sgprs=kernel.user_sgprs,
        kernarg_preload=kernel.preload_words, kernarg_preload_offset=kernel.preload_offset, user_bits=kernel.user_bits,
        sgpr_bits=kernel.sgpr_bits, vgpr_ids=kernel.vgpr_ids, float_mode=kernel.float_mode, ieee=kernel.ieee,
        dx10_clamp=kernel.clamps_nan, uses_dynamic_stack=kernel.dynamic_stack, hidden=kernel.hidden,
        split_groups=kernel.split_groups, n_args=count,
        arg_offsets=array(*(a.offset for a in kernel.arguments)), arg_sizes=array(*(a.size for a in kernel.arguments)),
    )  # fmt: skip
