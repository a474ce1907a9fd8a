"""Kernels as the passes get them: one block of structured control flow, in a module that holds their symbols."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation

from flydsl.backend.gpu import known_block_size
from flydsl.backend.ir import get_location, located_error
from flydsl.backend.llvm import LLVMBuilder
from flydsl.base.errors import IRError

Extents = tuple[int | None, int | None, int | None]
"""Threads per block and dimension; None where only the launch tells."""


def kernel_body(kernel: Operation) -> Block:
    """The one block of a kernel; `IRError` where it has several."""
    (region,) = kernel.regions
    if len(region.blocks) != 1:
        raise error_at(
            kernel, f"kernel {kernel_name(kernel)!r} branches between blocks; the CPU backend takes scf only"
        )
    return region.block


def start_of(kernel: Operation) -> LLVMBuilder:
    """A builder in front of all that a kernel does."""
    body = kernel_body(kernel)
    return LLVMBuilder(body, body.first_op)


def kernel_name(kernel: Operation) -> str:
    """The symbol of a kernel."""
    name = kernel.get_attr_or_prop("sym_name")
    assert isinstance(name, StringAttr), "a function has a name"
    return name.data


def extents_of(kernel: Operation) -> Extents:
    """Threads per dimension of a kernel's blocks."""
    return known_block_size(kernel) or (None, None, None)


def whole_waves(extents: Extents, size: int) -> int | None:
    """Waves of `size` threads that make up the block; None when that is not known, or one is incomplete."""
    if None in extents:
        return None
    count, rest = divmod(prod(extent for extent in extents if extent is not None), size)
    return None if rest else count


def declare(kernel: Operation, symbol: Operation) -> None:
    """Put a global or a declaration in front of what the module of `kernel` holds, unless it has one of that name."""
    symbols = kernel.parent
    assert symbols is not None, "a kernel is in a module"
    first = symbols.first_op
    assert first is not None
    name = symbol.properties["sym_name"]
    if all(other.properties.get("sym_name") != name for other in symbols.ops):
        symbols.insert_op_before(symbol, first)


def error_at(op: Operation, message: str) -> IRError:
    """An error that shows where in the user's source `op` comes from, when known."""
    return located_error(message, get_location(op))
