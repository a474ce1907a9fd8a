"""The pass `cpu-expand-index-operations`: each id and size once, at the start of the kernel.

What remains are ids of threads and blocks, and sizes of blocks and the grid; the rest is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import gpu
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from flydsl.backend.gpu import IndexArithmetic, dimension_of
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.kernels import start_of
from flydsl_cpu.target import WARP_SIZE

_Remaining = gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp


@dataclass(frozen=True)
class ExpandIndexOperations(KernelPass):
    """Replaces the index operations of a kernel by new ones at its start."""

    name = "cpu-expand-index-operations"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        found = operations(kernel, _EXPANSIONS)
        if not found:
            return
        indices = _Indices(start_of(kernel))
        for op in found:
            op.results[0].replace_all_uses_with(indices.value(op.name, dimension_of(op)))
        for op in found:  # afterwards: the first of them may be where new operations go
            erase(op)


class _Indices(IndexArithmetic):
    """Makes each index value once."""

    def __init__(self, build: LLVMBuilder) -> None:
        super().__init__(build)
        self._values: dict[tuple[str, int], SSAValue] = {}

    def value(self, name: str, dimension: int) -> SSAValue:
        """The index value of one operation."""
        key = (name, dimension)
        if key not in self._values:
            self._values[key] = _EXPANSIONS[name](self, dimension)
        return self._values[key]

    def operation(self, kind: type[_Remaining], dimension: int) -> SSAValue:
        """The operation itself."""
        return self.build.insert(kind(gpu.DimensionAttr(list(gpu.DimensionEnum)[dimension]))).results[0]

    def thread_id(self, dimension: int) -> SSAValue:
        """The number of a thread in its block, in one dimension."""
        return self.value("gpu.thread_id", dimension)

    def block_id(self, dimension: int) -> SSAValue:
        """The number of a block in the grid, in one dimension."""
        return self.value("gpu.block_id", dimension)

    def extent(self, dimension: int) -> SSAValue:
        """Threads of a block in one dimension."""
        return self.value("gpu.block_dim", dimension)

    def wave_size(self) -> SSAValue:
        """Threads of a wave."""
        return self.build.constant(WARP_SIZE, IndexType())


_EXPANSIONS: dict[str, Callable[[_Indices, int], SSAValue]] = {
    "gpu.thread_id": lambda indices, dimension: indices.operation(gpu.ThreadIdOp, dimension),
    "gpu.block_id": lambda indices, dimension: indices.operation(gpu.BlockIdOp, dimension),
    "gpu.block_dim": lambda indices, dimension: indices.operation(gpu.BlockDimOp, dimension),
    "gpu.grid_dim": lambda indices, dimension: indices.operation(gpu.GridDimOp, dimension),
    "gpu.global_id": _Indices.global_id,
    "gpu.lane_id": lambda indices, _: indices.lane_id(),
    "gpu.subgroup_id": lambda indices, _: indices.subgroup_id(),
    "gpu.subgroup_size": lambda indices, _: indices.wave_size(),
    "gpu.num_subgroups": lambda indices, _: indices.num_subgroups(),
}
