"""The imaginary device: code objects and launches in, kernels interpreted block by block on host memory out."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl_acme.backend import MAGIC

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

    from flydsl.backend.interpreter import Machine

BAD_IMAGE, BAD_LAUNCH = 7, 8
MAX_THREADS, WAVE = 256, 16
ERRORS = {
    BAD_IMAGE: "not an acme code object, or a kernel is missing in it",
    BAD_LAUNCH: f"a block has more than {MAX_THREADS} threads, or a kernel failed",
}
_ALL = 1 << 62  # bytes that a process can address
Extent = tuple[int, int, int]


class Kernel(NamedTuple):
    """A kernel, and the machine that has its module."""

    machine: Machine
    name: str
    function: Operation


def load(image: bytes, names: Sequence[str]) -> list[Kernel]:
    """The kernels of those names; ValueError when `image` is none of ours, KeyError for a missing kernel."""
    from flydsl.backend.interpreter import Machine
    from flydsl.backend.text import create_context, parse_module
    from flydsl_acme.dialect import ACME

    if not image.startswith(MAGIC):
        raise ValueError("no magic word")
    module = parse_module(image.removeprefix(MAGIC).decode(), create_context((ACME,)), check=False)
    functions = {op.attributes["sym_name"].data: op for op in module.walk() if op.name == "gpu.func"}  # type: ignore[attr-defined]
    machine = Machine(module, WAVE, ())
    return [Kernel(machine, name, functions[name]) for name in names]


def run(kernel: Kernel, grid: Extent, block: Extent, shared: int, parameters: Sequence[bytes]) -> None:
    """Run every block, one after the other; `shared` is bytes of shared memory that the launch asks for."""
    kernel.machine.launch(kernel.name, grid, block, shared, values(kernel.function, parameters))


def values(function: Operation, parameters: Sequence[bytes]) -> list[Any]:
    """A kernel's arguments from their bytes: addresses, numbers, or nested lists of numbers."""
    types = [argument.type for argument in function.regions[0].block.args]
    return [_value(type_, data) for type_, data in zip(types, parameters, strict=True)]


def _value(type_: Attribute, data: bytes) -> Any:
    from flydsl.backend.interpreter import Address, Memory
    from flydsl.backend.ir import PointerType

    if isinstance(type_, PointerType):
        everything = memoryview((ctypes.c_char * _ALL).from_address(0)).cast("B")
        return Address(Memory(everything), int.from_bytes(data, "little"), type_.element)
    value, _ = _parts(type_, data)
    return value


def _parts(type_: Attribute, data: bytes) -> tuple[Any, bytes]:
    """What `type_`, packed without gaps, reads at the begin of `data`, and the rest."""
    from flydsl.backend.interpreter import Address, Memory
    from flydsl.backend.ir import StructType, element_bytes

    if not isinstance(type_, StructType):
        return Address(Memory(bytearray(data)), 0, type_).load(type_), data[element_bytes(type_) :]
    parts = []
    for element in type_.elements:
        part, data = _parts(element, data)
        parts.append(part)
    return parts, data
