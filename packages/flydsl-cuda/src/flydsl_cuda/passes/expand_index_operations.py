"""The pass `nvvm-expand-index-operations`: numbers of warps and threads as arithmetic, and known block sizes.

MLIR's own lowering lacks them, or takes them from a register that may change while a kernel runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace
from flydsl_cuda.passes.kernel_attributes import Size, known_block_size
from flydsl_cuda.target import WARP_SIZE

_INDEX = IndexType()
_DIMENSIONS = list(gpu.DimensionEnum)


@dataclass(frozen=True)
class ExpandIndexOperations(KernelPass):
    """Warp and global thread numbers as arithmetic, and sizes of blocks that are known as constants."""

    name = "nvvm-expand-index-operations"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        expand_index_operations(kernel)


def expand_index_operations(kernel: Operation) -> None:
    """Compute these numbers from those of threads and blocks."""
    known = known_block_size(kernel)
    for op in operations(kernel, _EXPANSIONS):
        if known is not None or op.name != "gpu.block_dim":
            replace(op, [_EXPANSIONS[op.name](LLVMBuilder.before_op(op), op, known)])


def _block_dim(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    return _extent(build, _dimension(op), known)


def _subgroup_id(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    x, y, z = (build.insert(gpu.ThreadIdOp(gpu.DimensionAttr(dimension))).results[0] for dimension in _DIMENSIONS)
    row = build.add(y, build.mul(z, _extent(build, 1, known)))
    linear = build.add(x, build.mul(row, _extent(build, 0, known)))
    return build.value(arith.DivUIOp, (linear, build.constant(WARP_SIZE, _INDEX)), _INDEX)


def _num_subgroups(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    x, y, z = (_extent(build, dimension, known) for dimension in range(3))
    rounded = build.add(build.mul(build.mul(x, y), z), build.constant(WARP_SIZE - 1, _INDEX))
    return build.value(arith.DivUIOp, (rounded, build.constant(WARP_SIZE, _INDEX)), _INDEX)


def _global_id(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    dimension = gpu.DimensionAttr(_DIMENSIONS[_dimension(op)])
    block = build.insert(gpu.BlockIdOp(dimension)).results[0]
    thread = build.insert(gpu.ThreadIdOp(dimension)).results[0]
    return build.add(build.mul(block, _extent(build, _dimension(op), known)), thread)


def _subgroup_size(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    return build.constant(WARP_SIZE, _INDEX)


_EXPANSIONS: dict[str, Callable[[LLVMBuilder, Operation, Size | None], SSAValue]] = {
    "gpu.block_dim": _block_dim,
    "gpu.global_id": _global_id,
    "gpu.num_subgroups": _num_subgroups,
    "gpu.subgroup_id": _subgroup_id,
    "gpu.subgroup_size": _subgroup_size,
}


def _extent(build: LLVMBuilder, dimension: int, known: Size | None) -> SSAValue:
    """Threads of a block in one dimension."""
    if known is not None:
        return build.constant(known[dimension], _INDEX)
    return build.insert(gpu.BlockDimOp(gpu.DimensionAttr(_DIMENSIONS[dimension]))).results[0]


def _dimension(op: Operation) -> int:
    attribute = op.get_attr_or_prop("dimension")
    assert isinstance(attribute, gpu.DimensionAttr), op.name
    return "xyz".index(attribute.data.value)
