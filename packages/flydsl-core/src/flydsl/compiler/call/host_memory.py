"""Memory of the host as the interpreter accesses it: tensors with their extents, and addresses without any."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

from flydsl.ir.fly.types import PointerType
from flydsl.ir.interpret import Address, Memory, Shadow, known
from flydsl.layout import Dyn, Layout
from flydsl.plugins.tensor_adaptor import TensorDesc

_REACH = 1 << 40  # bytes behind an address that came without an extent
_NULL_PAGES = 1 << 30


def tensor_memory(desc: TensorDesc, name: str) -> Memory:
    """The bytes from the first to the last element."""
    size, (low, count) = max(1, desc.dtype.bits // 8), desc.extent()
    begin = desc.pointer + low
    gaps = _gaps(desc, size, count // size)
    return Memory(_bytes_at(begin, count), begin, name=name, needs_values=True, extents=gaps)


def _bytes_at(address: int, count: int) -> Any:
    if count == 0:
        return bytearray()
    return memoryview((ctypes.c_char * count).from_address(address)).cast("B")


def _gaps(desc: TensorDesc, size: int, count: int) -> tuple[tuple[int, int], ...]:
    """Extents and strides in bytes, largest stride first, of a tensor that has gaps; nothing for one without.

    Tensors whose elements overlap count as having none.
    """
    modes = sorted(
        ((extent, abs(stride)) for extent, stride in zip(desc.shape, desc.strides, strict=True) if extent > 1),
        key=lambda mode: -mode[1],
    )
    total, reach = 1, 1
    for extent, stride in reversed(modes):
        if stride < reach:
            return ()
        total, reach = total * extent, reach + (extent - 1) * stride
    return () if total >= count else (*((extent, stride * size) for extent, stride in modes), (size, 1))


def address_in(memories: Sequence[Memory], address: int, type_: PointerType) -> Address:
    """An address: of a tensor among the arguments when it is inside of one, else of memory of unknown extent."""
    for memory in memories:
        if memory.base <= address < memory.base + len(memory.data):
            return Address(memory, address, type_.element, type_.swizzle)
    if address < _NULL_PAGES:
        return Address(Memory(bytearray(), address, name="memory at the null pointer"), address, type_.element)
    data = _bytes_at(address, _REACH)
    memory = Memory(data, address, name=f"memory at {address:#x}", shadow=Shadow(), needs_values=True)
    return Address(memory, address, type_.element, type_.swizzle)


def filled_layout(layout: Layout, dynamic: Sequence[int]) -> Layout:
    """The layout with the values of its dynamic leaves, shape first."""
    rest = iter(dynamic)
    return Layout(_filled(layout.shape, rest), _filled(layout.stride, rest))


def _filled(tree: Any, values: Iterator[int]) -> Any:
    if isinstance(tree, tuple):
        return tuple(_filled(part, values) for part in tree)
    return known(next(values), tree.width, tree.div) if isinstance(tree, Dyn) else tree
