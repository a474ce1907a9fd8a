"""The pass `cpu-expand-index-operations`: each id and size once, at the start of the kernel.

What remains are ids of threads and blocks, and sizes of blocks and the grid; the rest is arithmetic on them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.kernels import start_of
from flydsl_cpu.target import WARP_SIZE

_Remaining = gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp
_INDEX = IndexType()
_DIMENSIONS = ("x", "y", "z")


@dataclass(frozen=True)
class ExpandIndexOperations(KernelPass):
    """Replaces the index operations of a kernel by new ones at its start."""

    name = "cpu-expand-index-operations"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        found = operations(kernel, _EXPANSIONS)
        if not found:
            return
        expander = _Expander(start_of(kernel))
        for op in found:
            op.results[0].replace_all_uses_with(expander.value(op.name, _dimension(op)))
        for op in found:  # afterwards: the first of them may be where new operations go
            erase(op)


class _Expander:
    """Makes each index value once."""

    def __init__(self, build: LLVMBuilder) -> None:
        self.build = build
        self._values: dict[tuple[str, int], SSAValue] = {}

    def value(self, name: str, dim: int = 0) -> SSAValue:
        """The index value of one operation."""
        key = (name, dim)
        if key not in self._values:
            self._values[key] = _EXPANSIONS[name](self, dim)
        return self._values[key]

    def operation(self, kind: type[_Remaining], dim: int) -> SSAValue:
        """The operation itself."""
        return self.build.insert(kind(gpu.DimensionAttr(gpu.DimensionEnum(_DIMENSIONS[dim])))).results[0]

    def linear_id(self) -> SSAValue:
        """x + dim_x * (y + dim_y * z)."""
        build = self.build
        row = build.add(self.value("gpu.thread_id", 1), build.mul(self.value("gpu.thread_id", 2), self.extent(1)))
        return build.add(self.value("gpu.thread_id", 0), build.mul(row, self.extent(0)))

    def extent(self, dim: int) -> SSAValue:
        """Threads per block in one dimension."""
        return self.value("gpu.block_dim", dim)

    def global_id(self, dim: int) -> SSAValue:
        """block id * block size + thread id."""
        start = self.build.mul(self.value("gpu.block_id", dim), self.extent(dim))
        return self.build.add(start, self.value("gpu.thread_id", dim))

    def wave(self, cls: type[Operation]) -> SSAValue:
        """The linear id divided by, or modulo, the warp size."""
        return self.build.value(cls, (self.linear_id(), self.build.constant(WARP_SIZE, _INDEX)), _INDEX)

    def wave_count(self) -> SSAValue:
        """Waves of a block, rounded up."""
        build = self.build
        threads = build.mul(build.mul(self.extent(0), self.extent(1)), self.extent(2))
        rounded = build.add(threads, build.constant(WARP_SIZE - 1, _INDEX))
        return build.value(arith.DivUIOp, (rounded, build.constant(WARP_SIZE, _INDEX)), _INDEX)


_EXPANSIONS: dict[str, Callable[[_Expander, int], SSAValue]] = {
    "gpu.thread_id": lambda e, dim: e.operation(gpu.ThreadIdOp, dim),
    "gpu.block_id": lambda e, dim: e.operation(gpu.BlockIdOp, dim),
    "gpu.block_dim": lambda e, dim: e.operation(gpu.BlockDimOp, dim),
    "gpu.grid_dim": lambda e, dim: e.operation(gpu.GridDimOp, dim),
    "gpu.global_id": lambda e, dim: e.global_id(dim),
    "gpu.lane_id": lambda e, dim: e.wave(arith.RemUIOp),
    "gpu.subgroup_id": lambda e, dim: e.wave(arith.DivUIOp),
    "gpu.subgroup_size": lambda e, dim: e.build.constant(WARP_SIZE, _INDEX),
    "gpu.num_subgroups": lambda e, dim: e.wave_count(),
}


def _dimension(op: Operation) -> int:
    attribute = op.properties.get("dimension") or op.attributes.get("dimension")
    return _DIMENSIONS.index(attribute.data.value) if isinstance(attribute, gpu.DimensionAttr) else 0
