"""The launcher ABI in Python: ctypes mirrors of fly_abi.h for launchers and runtimes.

`fly_abi.h` beside this file is the definition; a test compares every size and offset with a C compiler's. Distributions
with native runtime code find the header with `include_dir()`.
"""

from __future__ import annotations

import ctypes
from pathlib import Path

ABI_VERSION = 1

LAUNCHER_ERRORS = {
    -1: "the launcher and the runtime speak different versions of the launcher ABI",
    -2: "a grid, block or cluster dimension is negative or does not fit in 32 bits",
}
"""Text of the error codes that launchers themselves return; positive codes belong to the runtime."""


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
    )


ModuleLoadFn = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_uint64,
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_uint32,
    ctypes.POINTER(ctypes.c_void_p),
)
ModuleUnloadFn = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
LaunchFn = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.POINTER(FlyLaunchConfig),
    ctypes.c_void_p,
    ctypes.POINTER(ctypes.c_void_p),
)


class FlyRuntimeApi(ctypes.Structure):
    """The table a device runtime hands to launchers."""

    _fields_ = (
        ("struct_size", ctypes.c_uint32),
        ("abi_version", ctypes.c_uint32),
        ("self", ctypes.c_void_p),
        ("module_load", ModuleLoadFn),
        ("module_unload", ModuleUnloadFn),
        ("launch", LaunchFn),
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


def include_dir() -> Path:
    """The folder of `fly_abi.h`, for the build of a native runtime."""
    return Path(__file__).parent
