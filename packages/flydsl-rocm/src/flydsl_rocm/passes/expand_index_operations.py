"""The pass `rocdl-expand-index-operations`: sizes of blocks and grids, and wave numbers, as arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, IntegerType, i8, i32
from xdsl.ir import Operation, SSAValue

from flydsl.backend.gpu import BlockSize, IndexArithmetic, dimension_of, known_block_size
from flydsl.backend.llvm import LLVMBuilder, call_intrinsic, pointer_type
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace

_BLOCK_COUNT, _GROUP_SIZE = 0, 12
"""Byte offsets in the implicit kernel arguments (code object version 5): u32 block counts, then u16 group sizes."""


@dataclass(frozen=True)
class ExpandIndexOperations(KernelPass):
    """Sizes of blocks and grids and wave numbers, which MLIR's own lowering takes from a library or does not know."""

    name = "rocdl-expand-index-operations"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        known = known_block_size(kernel)
        for op in operations(kernel, _EXPANSIONS):
            replace(op, [_EXPANSIONS[op.name](_Indices(LLVMBuilder.before_op(op), known), dimension_of(op))])


class _Indices(IndexArithmetic):
    """Sizes of blocks as constants or from the implicit arguments (MLIR's own lowering calls ockl)."""

    def __init__(self, build: LLVMBuilder, known: BlockSize | None) -> None:
        super().__init__(build)
        self._known = known

    def extent(self, dimension: int) -> SSAValue:
        """Threads of a block in one dimension."""
        if self._known is not None:
            return self.build.constant(self._known[dimension], IndexType())
        return _implicit(self.build, _GROUP_SIZE + 2 * dimension, 16)

    def wave_size(self) -> SSAValue:
        """What LLVM knows as a constant."""
        size = call_intrinsic(self.build, "llvm.amdgcn.wavefrontsize", (), (i32,)).results[0]
        return self.build.integer_cast(size, IndexType())


_EXPANSIONS: dict[str, Callable[[_Indices, int], SSAValue]] = {
    "gpu.block_dim": _Indices.extent,
    "gpu.global_id": _Indices.global_id,
    "gpu.grid_dim": lambda indices, dimension: _implicit(indices.build, _BLOCK_COUNT + 4 * dimension, 32),
    "gpu.num_subgroups": lambda indices, _: indices.num_subgroups(),
    "gpu.subgroup_id": lambda indices, _: indices.subgroup_id(),
}


def _implicit(build: LLVMBuilder, offset: int, width: int) -> SSAValue:
    arguments = call_intrinsic(build, "llvm.amdgcn.implicitarg.ptr", (), (pointer_type(4),)).results[0]
    address = build.gep(arguments, (offset,), i8, inbounds=True)
    value = build.load(address, IntegerType(width), width // 8)
    if width < 32:
        value = build.zero_extend(value, i32)
    return build.integer_cast(value, IndexType())
