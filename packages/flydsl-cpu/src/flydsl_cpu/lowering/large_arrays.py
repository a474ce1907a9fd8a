"""Register tensors that are too large for a stack: they go to the block's scratch memory."""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects import llvm
from xdsl.dialects.builtin import i8, i64
from xdsl.ir import SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.kernel_abi import KernelEntry
from flydsl_cpu.lowering.operations import error_at
from flydsl_cpu.lowering.private_memory import allocation_bytes

_LARGEST = 64 << 10
"""Bytes of an array that may be on the stack."""
_STACK = 512 << 10
"""Bytes of all arrays that stay there: what most threads have, and calls below need some of it."""
_ALIGNMENT, _MAX_ALIGNMENT = 64, 4096


class Placement(NamedTuple):
    """Bytes of scratch memory for the whole block, and bytes of stack."""

    scratch: int
    stack: int


def place_arrays(entry: KernelEntry) -> Placement:
    """Move the largest arrays from the stack of `entry` to the start of its scratch memory, until the rest fits."""
    found = operations(entry.function, (llvm.AllocaOp.name,))
    arrays = [(allocation_bytes(op), op) for op in found if isinstance(op, llvm.AllocaOp)]
    stack = sum(size for (size, _), _ in arrays)
    scratch = 0
    moved = []
    for (size, alignment), op in sorted(arrays, key=lambda array: -array[0][0]):
        if size <= _LARGEST and stack <= _STACK:
            break
        if alignment > _MAX_ALIGNMENT:
            raise error_at(op, f"a register tensor is aligned to {_MAX_ALIGNMENT} bytes at most, found {alignment}")
        scratch = _align(scratch, max(alignment, _ALIGNMENT))
        moved.append((op, scratch))
        scratch, stack = scratch + size, stack - size
    scratch = _align(scratch, _ALIGNMENT)
    if moved:
        _move(entry, moved, scratch)
    return Placement(scratch, stack)


def _move(entry: KernelEntry, moved: list[tuple[llvm.AllocaOp, int]], scratch: int) -> None:
    start = entry.scratch_argument
    first = entry.block.first_op
    assert first is not None
    rest = _offset(LLVMBuilder.before_op(first), start, scratch)
    start.replace_uses_with_if(rest, lambda use: use.operation is not rest.owner)
    for op, offset in moved:
        op.results[0].replace_all_uses_with(_offset(LLVMBuilder.before_op(op), start, offset))
        erase(op)


def _offset(build: LLVMBuilder, start: SSAValue, offset: int) -> SSAValue:
    return build.gep(start, (build.constant(offset, i64),), i8, inbounds=True)


def _align(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
