"""Plain launches of one kernel on a stream.

This is the door for kernels that come from elsewhere; `@jit` functions launch through their own compiled launcher.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import ArgumentError
from flydsl.base.launch_flags import LAUNCH_COOPERATIVE, LAUNCH_DEPENDENT
from flydsl.base.wording import with_article
from flydsl.plugins.active.border import checked_table
from flydsl.runtime.abi import UNKNOWN_FLAGS, FlyLaunchConfig, FlyRuntimeApi
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.kernel import Kernel, check_launch
from flydsl.runtime.stream import Stream

_MAX_DIM = 2**32 - 1
_SCALARS = (ctypes._SimpleCData, ctypes.Structure, ctypes.Array, ctypes.Union)

Extent = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """Shape of a launch: `grid` and `cluster` in blocks, `block` in threads, each one to three numbers."""

    grid: Extent
    block: Extent
    cluster: Extent = 1
    shmem_size: int = 0
    """Bytes of dynamic shared memory."""
    cooperative: bool = False
    """All blocks run at a time, so that they can wait for one another."""
    use_pdl: bool = False
    """The kernel may start before the one in front of it has ended (programmatic dependent launch)."""

    def __post_init__(self) -> None:
        for name in ("grid", "block", "cluster"):
            object.__setattr__(self, name, _extent(name, getattr(self, name)))
        if not 0 <= self.shmem_size <= _MAX_DIM:
            raise ArgumentError(f"shmem_size is {self.shmem_size!r}, expected bytes from 0 to {_MAX_DIM}")


def launch(stream: Stream, config: LaunchConfig, kernel: Kernel, *arguments: Any) -> None:
    """Enqueue `kernel` on `stream`.

    An argument is a Buffer (its pointer), a ctypes value, a NumPy scalar, an int (64 bits), a float (double) or a bool.
    """
    values = [_parameter(i, value) for i, value in enumerate(arguments)]
    sizes = (ctypes.c_uint32 * len(values))(*map(ctypes.sizeof, values))
    pointers = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
    shape = FlyLaunchConfig(
        struct_size=ctypes.sizeof(FlyLaunchConfig),
        grid=config.grid,
        block=config.block,
        cluster=config.cluster,
        shared_bytes=config.shmem_size,
        n_params=len(values),
        param_sizes=sizes,
        flags=LAUNCH_COOPERATIVE * config.cooperative | LAUNCH_DEPENDENT * config.use_pdl,
    )
    runtime = kernel.device.runtime
    table = FlyRuntimeApi.from_address(checked_table(runtime))
    if shape.flags and (table.struct_size <= FlyRuntimeApi.launch_flags.offset or shape.flags & ~table.launch_flags):
        check_launch(UNKNOWN_FLAGS, runtime)
    check_launch(table.launch(table.self, kernel.handle, ctypes.byref(shape), stream.handle, pointers), runtime)


def _extent(name: str, value: Extent) -> tuple[int, int, int]:
    parts = value if isinstance(value, tuple) else (value,)
    if not 1 <= len(parts) <= 3 or not all(type(n) is int and 0 < n <= _MAX_DIM for n in parts):
        raise ArgumentError(f"{name} is {value!r}, expected one to three numbers from 1 to {_MAX_DIM}")
    x, y, z = (*parts, 1, 1)[:3]
    return x, y, z


def _parameter(index: int, value: Any) -> Any:
    """`value` as a ctypes object of its C type."""
    if isinstance(value, Buffer):
        return ctypes.c_void_p(value.handle)
    if isinstance(value, _SCALARS):
        return value
    if isinstance(value, bool):
        return ctypes.c_bool(value)
    if type(value) is int:
        if not -(2**63) <= value < 2**64:
            raise ArgumentError(f"argument {index} is {value!r}, which does not fit in 64 bits")
        return ctypes.c_int64(value) if value < 2**63 else ctypes.c_uint64(value)
    if type(value) is float:
        return ctypes.c_double(value)
    if getattr(value, "shape", None) == () and hasattr(value, "tobytes"):  # a NumPy scalar, its own bytes
        data: bytes = value.tobytes()
        return (ctypes.c_char * len(data)).from_buffer_copy(data)
    accepted = "a Buffer, a ctypes value, a NumPy scalar, an int, a float or a bool"
    raise ArgumentError(f"argument {index} is {with_article(repr(type(value).__name__))}: pass {accepted}")
