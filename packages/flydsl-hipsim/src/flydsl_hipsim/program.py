"""Programs: a code object's kernels, run on arrays in place."""

from __future__ import annotations

import ctypes
import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from operator import index
from typing import Any

from flydsl_hipsim.checks import Check, check_bits
from flydsl_hipsim.code_object import Argument, CodeObject, Kernel
from flydsl_hipsim.errors import KernelFault, LaunchError
from flydsl_hipsim.loader import load_module
from flydsl_hipsim.native import FAULT, MESSAGE_BYTES, OK, READ_ONLY, TRAPPED, Launch, load_library
from flydsl_hipsim.options import Options

Extent = int | Sequence[int]
_Memory = tuple[int, int, int]
"""Begin, end, flags."""
_ELEMENT = re.compile(r"[<>|=][^OUMmt](\d+)")
"""Types of `__array_interface__` whose number counts bytes."""
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}
_POINTER_BYTES = 8


class Program:
    """A loaded code object, whose kernels can be run many times. A context manager; `close` unloads it."""

    def __init__(self, code_object: bytes, arch: str = "") -> None:
        """`code_object` may be a bundle of several, compressed or not.

        `arch` is the chip to run on, by default the one that there is code for.
        """
        self.code: CodeObject
        self._module, self.code = load_module(code_object, arch)

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Unload it; a second call does nothing."""
        if self._module:
            load_library().flysim_module_unload(self._module)
            self._module = 0

    def run(
        self,
        kernel: str,
        grid: Extent,
        block: Extent,
        args: Sequence[Any],
        *,
        shared_bytes: int = 0,
        order: str = "forward",
        seed: int = 0,
        check: Check = 0,
        threads: int = 0,
        cluster: Extent = 1,
    ) -> None:
        """Run one kernel to its end. `grid` and `cluster` count workgroups, `block` threads; up to three numbers each.

        `args` follow the kernel's explicit arguments: arrays (anything with `__array_interface__`, used in place),
        integers, floats, NumPy or ctypes scalars, or bytes. Code objects do not say which argument is an integer and
        which a float: a number goes in as what it is, `2.0` for a float. `threads=0` uses every processor.
        `order` of waves is `forward`, `backward`, `random` with a `seed`, or `random:SEED`. `check` is
        `races+waits`, `all` and the like: see `flydsl_hipsim.checks`.

        Raises LaunchError when arguments or sizes do not fit, KernelFault when the kernel does what it must not.
        """
        described = self._kernel(kernel)
        options = _options(order, check, threads)
        kernarg, arrays = _kernarg(described, args)
        launch = Launch(
            struct_size=ctypes.sizeof(Launch), grid=_three(grid), block=_three(block),
            dynamic_lds=_word("shared_bytes", shared_bytes), kernarg=ctypes.cast(kernarg, ctypes.c_void_p),
            kernarg_size=len(kernarg), order=options.order_number, seed=options.seed or _word("seed", seed, 64),
            checks=options.check, threads=options.threads, cluster=_three(cluster),
        )  # fmt: skip
        with _registered(arrays):
            self._launch(kernel, launch)

    def _kernel(self, name: str) -> Kernel:
        if name not in self.code.kernels:
            raise LaunchError(f"no kernel {name!r} in the code object; it has {', '.join(self.code.kernels) or 'none'}")
        return self.code.kernels[name]

    def _launch(self, name: str, launch: Launch) -> None:
        if not self._module:
            raise LaunchError(f"kernel {name!r} cannot run: the program is closed")
        library, handle = load_library(), ctypes.c_void_p()
        if library.flysim_module_kernel(self._module, name.encode(), ctypes.byref(handle)) != OK:
            raise LaunchError(f"no kernel {name!r} in the native module")
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        status = library.flysim_launch(handle, ctypes.byref(launch), message, MESSAGE_BYTES)
        if status != OK:
            raise (KernelFault if status in (FAULT, TRAPPED) else LaunchError)(message.value.decode(errors="replace"))


def run(
    code_object: bytes, kernel: str, grid: Extent, block: Extent, args: Sequence[Any], *, arch: str = "", **options: Any
) -> None:
    """Load, run one kernel once, unload: see `Program` and `Program.run` for the arguments."""
    with Program(code_object, arch) as program:
        program.run(kernel, grid, block, args, **options)


def _options(order: str, check: Check, threads: int) -> Options:
    try:
        return Options(order=order, check=check_bits(check), threads=threads)
    except ValueError as error:
        raise LaunchError(str(error)) from None


def _word(name: str, value: int, bits: int = 32) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << bits:
        raise LaunchError(f"{name} is {value!r}, expected an integer from 0 to 2^{bits} - 1")
    return value


def _three(extent: Extent) -> Any:
    try:
        numbers = tuple(index(number) for number in (extent if isinstance(extent, Iterable) else (extent,)))
    except TypeError:
        numbers = (-1,)
    if not 1 <= len(numbers) <= 3 or not all(0 <= number < 1 << 32 for number in numbers):
        raise LaunchError(f"an extent has one to three integers from 0 to 2^32 - 1, found {extent!r}")
    return (ctypes.c_uint32 * 3)(*numbers, *(1,) * (3 - len(numbers)))


def _kernarg(kernel: Kernel, args: Sequence[Any]) -> tuple[Any, list[_Memory]]:
    """The argument block, and the memory of each array."""
    if len(args) != len(kernel.arguments):
        raise LaunchError(f"kernel {kernel.name!r} has {len(kernel.arguments)} arguments, found {len(args)}")
    end = max((a.offset + a.size for a in kernel.arguments), default=0)
    block, arrays = bytearray(end), []
    for described, value in zip(kernel.arguments, args, strict=True):
        if hasattr(value, "__array_interface__") and value.__array_interface__["shape"]:
            if described.size != _POINTER_BYTES:
                raise LaunchError(f"{_place(described)} is an array, expected a number or {described.size} bytes")
            memory = _array(value)
            arrays.append(memory)
            packed = struct.pack("<Q", memory[0])
        else:
            packed = _scalar(described, value)
        block[described.offset : described.offset + described.size] = packed
    return ctypes.create_string_buffer(bytes(block), max(1, end)), arrays


def _array(value: Any) -> _Memory:
    interface = value.__array_interface__
    if interface.get("strides") is not None:
        raise LaunchError("an array argument is contiguous; this one has strides")
    element = _ELEMENT.fullmatch(interface["typestr"])
    if not element:
        raise LaunchError(f"an array argument has numbers or bytes; this one has elements {interface['typestr']!r}")
    size = int(element[1])
    for extent in interface["shape"]:
        size *= extent
    address, is_read_only = interface["data"]
    return int(address), int(address) + size, READ_ONLY if is_read_only else 0


def _scalar(described: Argument, value: Any) -> bytes:
    size = described.size
    if isinstance(value, bool | int):
        if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
            raise LaunchError(f"{_place(described)} has {size} bytes, {value!r} needs more")
        return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")
    if isinstance(value, float) and size in _FLOATS:
        try:
            return struct.pack(_FLOATS[size], value)
        except OverflowError:
            raise LaunchError(f"{_place(described)} is {value!r}, too large for a float of {size} bytes") from None
    try:
        packed = value.tobytes() if hasattr(value, "tobytes") else memoryview(value).tobytes()
    except TypeError:
        raise LaunchError(f"{_place(described)} is {value!r}, expected an array, a number, or {size} bytes") from None
    if len(packed) != size:
        raise LaunchError(f"{_place(described)} has {size} bytes, {value!r} has {len(packed)}")
    return packed


def _place(described: Argument) -> str:
    named = f"argument {described.name!r}" if described.name else "the argument"
    return f"{named} at offset {described.offset}"


@contextmanager
def _registered(arrays: list[_Memory]) -> Iterator[None]:
    """The arrays' memory, which may overlap, in the engine's table for as long as the kernel runs."""
    library, added = load_library(), []
    for begin, end, flags in _merged(arrays):
        if not library.flysim_memory_find(begin, None, None):
            library.flysim_memory_add(begin, end - begin, flags)
            added.append(begin)
    try:
        yield
    finally:
        for begin in added:
            library.flysim_memory_forget(begin)


def _merged(arrays: list[_Memory]) -> list[_Memory]:
    """Overlapping arrays as one, read-only when all are."""
    merged: list[_Memory] = []
    for begin, end, flags in sorted(arrays):
        if merged and begin < merged[-1][1]:
            first, last, others = merged[-1]
            merged[-1] = (first, max(last, end), flags & others)
        elif end > begin:
            merged.append((begin, end, flags))
    return merged
