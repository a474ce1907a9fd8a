"""Expansion of GPU index operations into thread ids and launch values, each computed once."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import erase, operations
from flydsl_cpu.lowering.exchanges import WARP_SIZE
from flydsl_cpu.lowering.kernel_abi import KernelEntry

_INDEX = IndexType()
_DIMENSIONS = ("x", "y", "z")


def expand_index_operations(body: Block, entry: KernelEntry) -> None:
    """Replace the index operations anywhere in `body`; thread ids end at its start."""
    found = operations(body, _EXPANSIONS)
    if not found:
        return
    first = body.first_op
    assert first is not None
    expander = _Expander(entry, LLVMBuilder(body, first))
    for op in found:
        op.results[0].replace_all_uses_with(expander.value(op.name, _dimension(op)))
    for op in found:  # afterwards: the first of them may be where new operations go
        erase(op)


class _Expander:
    """Makes each index value once."""

    def __init__(self, entry: KernelEntry, build: LLVMBuilder) -> None:
        self.entry, self.build = entry, build
        self._values: dict[tuple[str, int], SSAValue] = {}

    def value(self, name: str, dim: int = 0) -> SSAValue:
        """The index value of one operation."""
        key = (name, dim)
        if key not in self._values:
            self._values[key] = _EXPANSIONS[name](self, dim)
        return self._values[key]

    def thread_id(self, dim: int) -> SSAValue:
        """A thread id operation at the start of the body."""
        return self.build.insert(gpu.ThreadIdOp(gpu.DimensionAttr(gpu.DimensionEnum(_DIMENSIONS[dim])))).results[0]

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
    "gpu.thread_id": lambda e, dim: e.thread_id(dim),
    "gpu.block_id": lambda e, dim: e.entry.block_id(dim),
    "gpu.block_dim": lambda e, dim: e.entry.block_dim(dim),
    "gpu.grid_dim": lambda e, dim: e.entry.grid_dim(dim),
    "gpu.global_id": lambda e, dim: e.global_id(dim),
    "gpu.lane_id": lambda e, dim: e.wave(arith.RemUIOp),
    "gpu.subgroup_id": lambda e, dim: e.wave(arith.DivUIOp),
    "gpu.subgroup_size": lambda e, dim: e.build.constant(WARP_SIZE, _INDEX),
    "gpu.num_subgroups": lambda e, dim: e.wave_count(),
}


def _dimension(op: Operation) -> int:
    attribute = op.properties.get("dimension") or op.attributes.get("dimension")
    return _DIMENSIONS.index(attribute.data.value) if isinstance(attribute, gpu.DimensionAttr) else 0
