"""The imaginary device: code objects and launches in, kernels interpreted thread by thread on host memory out."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flydsl_acme.backend import MAGIC

if TYPE_CHECKING:
    from xdsl.ir import Attribute, Operation

__all__ = ["BAD_IMAGE", "BAD_LAUNCH", "ERRORS", "MAX_THREADS", "load", "run"]

BAD_IMAGE, BAD_LAUNCH = 7, 8
MAX_THREADS = 256
ERRORS = {
    BAD_IMAGE: "not an acme code object, or a kernel is missing in it",
    BAD_LAUNCH: f"a block has more than {MAX_THREADS} threads, or a kernel failed",
}
Extent = tuple[int, int, int]


class _HostMemory:
    """All memory of the process, as the interpreter sees memory: slices of bytes."""

    def __len__(self) -> int:
        return 1 << 62

    def __getitem__(self, span: slice) -> bytes:
        return ctypes.string_at(span.start, span.stop - span.start)

    def __setitem__(self, span: slice, data: bytes) -> None:
        ctypes.memmove(span.start, data, len(data))


def load(image: bytes, names: Sequence[str]) -> list[Operation]:
    """The kernels of those names; ValueError when `image` is none of ours, KeyError for a missing kernel."""
    from flydsl.ir.parse import parse_module

    if not image.startswith(MAGIC):
        raise ValueError("no magic word")
    module = parse_module(image.removeprefix(MAGIC).decode(), check=False)
    kernels = {op.attributes["sym_name"].data: op for op in module.walk() if op.name == "gpu.func"}  # type: ignore[attr-defined]
    return [kernels[name] for name in names]


def run(kernel: Operation, grid: Extent, block: Extent, parameters: Sequence[bytes]) -> None:
    """Run every block, one after the other; the threads of a block wait for each other at barriers."""
    from flydsl.ir.interpret import Interpreter

    types = [argument.type for argument in kernel.regions[0].block.args]
    arguments = [_value(type_, data) for type_, data in zip(types, parameters, strict=True)]
    for block_id in _places(grid):
        ids = {"gpu.block_id": block_id, "gpu.block_dim": block, "gpu.grid_dim": grid}
        threads = [Interpreter({**ids, "gpu.thread_id": t}).call(kernel, arguments) for t in _places(block)]
        while threads:
            threads = [thread for thread in threads if next(thread, "done") != "done"]


def _places(extent: Extent) -> list[Extent]:
    x, y, z = extent
    return [(i, j, k) for k, j, i in itertools.product(range(z), range(y), range(x))]


def _value(type_: Attribute, data: bytes) -> Any:
    """A kernel's argument from its bytes: an address, a number, or nested lists of numbers."""
    from flydsl.ir.fly.types import PointerType
    from flydsl.ir.interpret import Address, Memory

    if isinstance(type_, PointerType):
        memory = Memory(_HostMemory())  # type: ignore[arg-type]
        return Address(memory, int.from_bytes(data, "little"), type_.element)
    value, _ = _parts(type_, data)
    return value


def _parts(type_: Attribute, data: bytes) -> tuple[Any, bytes]:
    """What `type_`, packed without gaps, reads at the begin of `data`, and the rest."""
    from flydsl.ir.fly.element import element_bytes
    from flydsl.ir.interpret import Address, Memory
    from flydsl.ir.upstream import StructType

    if not isinstance(type_, StructType):
        return Address(Memory(bytearray(data)), 0, type_).load(type_), data[element_bytes(type_) :]
    parts = []
    for element in type_.elements:
        part, data = _parts(element, data)
        parts.append(part)
    return parts, data
