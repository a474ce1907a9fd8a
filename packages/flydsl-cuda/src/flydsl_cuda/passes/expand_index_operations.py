"""The pass `nvvm-expand-index-operations`: numbers of warps and threads as arithmetic, and known block sizes.

MLIR's own lowering lacks them, or takes them from a register that may change while a kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import gpu
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from flydsl.backend.gpu import BlockSize, IndexArithmetic, dimension_of, known_block_size
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace
from flydsl_cuda.target import WARP_SIZE


@dataclass(frozen=True)
class ExpandIndexOperations(KernelPass):
    """Warp and global thread numbers as arithmetic, and sizes of blocks that are known as constants."""

    name = "nvvm-expand-index-operations"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        known = known_block_size(kernel)
        for op in operations(kernel, _EXPANSIONS):
            if known is not None or op.name != "gpu.block_dim":
                replace(op, [_EXPANSIONS[op.name](_Indices(LLVMBuilder.before_op(op), known), dimension_of(op))])


class _Indices(IndexArithmetic):
    """Sizes of blocks as constants, where they are known."""

    def __init__(self, build: LLVMBuilder, known: BlockSize | None) -> None:
        super().__init__(build)
        self._known = known

    def extent(self, dimension: int) -> SSAValue:
        """Threads of a block in one dimension."""
        if self._known is not None:
            return self.build.constant(self._known[dimension], IndexType())
        return self.build.insert(gpu.BlockDimOp(gpu.DimensionAttr(list(gpu.DimensionEnum)[dimension]))).results[0]

    def wave_size(self) -> SSAValue:
        """Threads of a warp."""
        return self.build.constant(WARP_SIZE, IndexType())


_EXPANSIONS: dict[str, Callable[[_Indices, int], SSAValue]] = {
    "gpu.block_dim": _Indices.extent,
    "gpu.global_id": _Indices.global_id,
    "gpu.num_subgroups": lambda indices, _: indices.num_subgroups(),
    "gpu.subgroup_id": lambda indices, _: indices.subgroup_id(),
    "gpu.subgroup_size": lambda indices, _: indices.wave_size(),
}
