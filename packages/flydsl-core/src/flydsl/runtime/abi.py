"""The launcher ABI in Python: ctypes mirrors of fly_abi.h for launchers and runtimes.

`fly_abi.h` beside this file is the definition; a test compares every size and offset with a C compiler's. Distributions
with native runtime code find the header with `include_dir()`.
"""

from __future__ import annotations

import ctypes
from _ctypes import FUNCFLAG_CDECL, CFuncPtr
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from flydsl.base.errors import text_of

ABI_VERSION = 1
"""Version of the launcher ABI, which is that of `fly_abi.h`."""

LAUNCHER_ERRORS = {
    -1: "the launcher and the runtime speak different versions of the launcher ABI",
    -2: "a grid, block or cluster dimension is negative or does not fit in 32 bits",
    -3: "the device runtime cannot launch with cooperative=True or use_pdl=True: update the package of the runtime",
    -4: "a kernel takes tensor maps, and the device runtime makes none: update the package of the runtime",
}
"""Text of the error codes that launchers themselves return, but those of blocks; positive ones are the runtime's."""
_OTHER_BLOCK = -(1 << 24)

UNKNOWN_FLAGS = -3
RAISED = -(1 << 31)
"""What a function of a table that is written in Python returns when it raises."""
OLDEST_TABLE = 40
"""Bytes of the smallest `FlyRuntimeApi`, without what was added at its end."""
TENSOR_MAP_BYTES, TENSOR_MAP_ALIGNMENT, TENSOR_MAP_RANK = 128, 64, 5
"""Size and alignment of a tensor map as a parameter of a kernel, and the most dimensions that one has."""


def launcher_error(code: int) -> str | None:
    """The text of an error code that a launcher itself returns; None for another."""
    error = raised(code)
    if error is not None:
        return f"a function of the device runtime's table, written in Python, raised an exception: {text_of(error)}"
    if code > _OTHER_BLOCK:
        return LAUNCHER_ERRORS.get(code)
    made, launched = divmod(_OTHER_BLOCK - code, 1 << 12)
    other = f"of {launched} threads" if launched != made else "with other extents"
    return (
        f"a kernel that is compiled for blocks of {made} threads is launched with blocks {other}; an algorithm of "
        "blocks that it uses, or known_block_size, says which"
    )


class FlyLaunchConfig(ctypes.Structure):
    """Shape of one launch: grid, cluster in blocks, block in threads, and what is needed to copy the parameters."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("cluster", ctypes.c_uint32 * 3),
        ("shared_bytes", ctypes.c_uint32),
        ("n_params", ctypes.c_uint32),
        ("param_sizes", ctypes.POINTER(ctypes.c_uint32)),
        ("flags", ctypes.c_uint32),
    )


class FlyTensorMapSpec(ctypes.Structure):
    """A tensor of which hardware copies boxes: place, shape and strides, and what its compiler wrote of boxes."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("address", ctypes.c_void_p),
        ("shape", ctypes.c_int64 * TENSOR_MAP_RANK),
        ("strides", ctypes.c_int64 * TENSOR_MAP_RANK),
        ("recipe", ctypes.c_void_p),
        ("recipe_size", ctypes.c_uint64),
    )


class _Callback(CFuncPtr):
    """A function of a table, which may be written in Python: what that raises is the code RAISED, not any number."""

    _flags_ = FUNCFLAG_CDECL
    last_error: ClassVar[BaseException | None] = None
    """What such a function raised last."""

    def __new__(cls, *given: Any) -> Any:
        return super().__new__(cls, *(_answering(item) if callable(item) else item for item in given))


def _answering(function: Callable[..., int]) -> Callable[..., int]:
    def answer(*arguments: Any) -> int:
        try:
            return function(*arguments)
        except BaseException as error:  # nothing of Python passes through the C code that calls it
            _Callback.last_error = error
            return RAISED

    return answer


class ModuleLoadFn(_Callback):
    """`module_load` of a table."""

    _flags_ = FUNCFLAG_CDECL
    _restype_ = ctypes.c_int32
    _argtypes_ = (
        ctypes.c_void_p,
        ctypes.c_int32,
        ctypes.c_void_p,
        ctypes.c_uint64,
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_uint32,
        ctypes.POINTER(ctypes.c_void_p),
    )


class ModuleUnloadFn(_Callback):
    """`module_unload` of a table."""

    _flags_ = FUNCFLAG_CDECL
    _restype_ = ctypes.c_int32
    _argtypes_ = (ctypes.c_void_p, ctypes.c_void_p)


class LaunchFn(_Callback):
    """`launch` of a table."""

    _flags_ = FUNCFLAG_CDECL
    _restype_ = ctypes.c_int32
    _argtypes_ = (
        ctypes.c_void_p,
        ctypes.c_void_p,
        ctypes.POINTER(FlyLaunchConfig),
        ctypes.c_void_p,
        ctypes.POINTER(ctypes.c_void_p),
    )


class EncodeTensorMapFn(_Callback):
    """`encode_tensor_map` of a table."""

    _flags_ = FUNCFLAG_CDECL
    _restype_ = ctypes.c_int32
    _argtypes_ = (ctypes.c_void_p, ctypes.POINTER(FlyTensorMapSpec), ctypes.c_void_p)


class FlyRuntimeApi(ctypes.Structure):
    """The table a device runtime hands to launchers; one may end behind `launch`, as its `struct_size` tells."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("self", ctypes.c_void_p),
        ("module_load", ModuleLoadFn),
        ("module_unload", ModuleUnloadFn),
        ("launch", LaunchFn),
        ("launch_flags", ctypes.c_uint64),
        ("encode_tensor_map", EncodeTensorMapFn),
    )


class FlyLaunchCtx(ctypes.Structure):
    """Where one `fly_launch` goes: device, stream, loaded module and the runtime's table."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("ordinal", ctypes.c_int32),
        ("stream", ctypes.c_void_p),
        ("module", ctypes.c_void_p),
        ("rt", ctypes.POINTER(FlyRuntimeApi)),
    )


class FlyCpuBlock(ctypes.Structure):
    """Coordinates of the block that a CPU kernel call runs."""

    _fields_ = (
        ("block_id", ctypes.c_int32 * 3),
        ("grid_dim", ctypes.c_int32 * 3),
        ("block_dim", ctypes.c_int32 * 3),
        ("dynamic_shared_bytes", ctypes.c_int32),
        ("stop", ctypes.c_void_p),
    )


class FlyCpuKernelInfo(ctypes.Structure):
    """Memory that one block of a CPU kernel needs."""

    _fields_ = (
        ("scratch_bytes_per_thread", ctypes.c_int64),
        ("static_shared_bytes", ctypes.c_int64),
        ("scratch_bytes_per_block", ctypes.c_int64),
        ("stack_bytes", ctypes.c_int64),
    )


def raised(code: int) -> BaseException | None:
    """What a function of a table that is written in Python raised last, when `code` says that one did."""
    return _Callback.last_error if code == RAISED else None


def include_dir() -> Path:
    """The folder of `fly_abi.h` and `fly_library.h`, for the build of a native runtime."""
    return Path(__file__).parent
