"""The pass `cpu-move-large-arrays`: register tensors that are too large for a stack, in scratch memory of the block."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import i8, i64
from xdsl.ir import Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import DevicePass
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.emission.kernel_abi import add_memory, scratch_argument
from flydsl_cpu.lowering.kernels import error_at
from flydsl_cpu.lowering.schedule.private_memory import allocation_bytes

_LARGEST = 64 << 10
"""Bytes of an array that may be on the stack."""
_STACK = 512 << 10
"""Bytes of all arrays that stay there: what most threads have, and calls below need some of it."""
_ALIGNMENT, _MAX_ALIGNMENT = 64, 4096


@dataclass(frozen=True)
class MoveLargeArrays(DevicePass):
    """Moves the largest arrays of native kernels to the start of scratch memory, until the rest fits the stack."""

    name = "cpu-move-large-arrays"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        found = operations(kernel, (llvm.AllocaOp.name,))
        arrays = [(allocation_bytes(op), op) for op in found if isinstance(op, llvm.AllocaOp)]
        if arrays and isinstance(kernel, func.FuncOp):
            add_memory(kernel, *_move_largest(kernel, arrays))


def _move_largest(function: func.FuncOp, arrays: list[tuple[tuple[int, int], llvm.AllocaOp]]) -> tuple[int, int]:
    """The bytes of scratch memory that arrays of these sizes and alignments take now, and those of the stack."""
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
        _move(function, moved, scratch)
    return scratch, stack


def _move(function: func.FuncOp, moved: list[tuple[llvm.AllocaOp, int]], scratch: int) -> None:
    start, first = scratch_argument(function), function.body.blocks[0].first_op
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
