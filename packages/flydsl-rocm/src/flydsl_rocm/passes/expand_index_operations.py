"""The pass `rocdl-expand-index-operations`: sizes of blocks and grids, and wave numbers, as arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import IndexType, IntegerType, i8, i32
from xdsl.ir import Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder, call_intrinsic, pointer_type
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, replace
from flydsl_rocm.passes.kernel_attributes import Size, dimension_of, known_block_size

_BLOCK_COUNT, _GROUP_SIZE = 0, 12
"""Byte offsets in the implicit kernel arguments (code object version 5): u32 block counts, then u16 group sizes."""


@dataclass(frozen=True)
class ExpandIndexOperations(KernelPass):
    """Sizes of blocks and grids and wave numbers, which MLIR's own lowering takes from a library or does not know."""

    name = "rocdl-expand-index-operations"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        expand_index_operations(kernel)


def expand_index_operations(kernel: Operation) -> None:
    """Read block and grid sizes from constants or the implicit arguments (MLIR's own lowering calls ockl), and compute
    wave numbers, which it does not know."""
    known = known_block_size(kernel)
    for op in operations(kernel, _EXPANSIONS):
        replace(op, [_EXPANSIONS[op.name](LLVMBuilder.before_op(op), op, known)])


def _block_dim(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    return _extent(build, dimension_of(op), known)


def _grid_dim(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    return _implicit(build, _BLOCK_COUNT + 4 * dimension_of(op), 32)


def _subgroup_id(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    """The linear thread id divided by the wave size, which LLVM knows as a constant."""
    x, y, z = (build.insert(gpu.ThreadIdOp(gpu.DimensionAttr(dimension))).results[0] for dimension in gpu.DimensionEnum)
    row = build.add(y, build.mul(z, _extent(build, 1, known)))
    linear = build.add(x, build.mul(row, _extent(build, 0, known)))
    return build.value(arith.DivUIOp, (linear, _wave_size(build)), IndexType())


def _num_subgroups(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    x, y, z = (_extent(build, dim, known) for dim in range(3))
    wave = _wave_size(build)
    rounded = build.add(build.mul(build.mul(x, y), z), build.sub(wave, build.constant(1, IndexType())))
    return build.value(arith.DivUIOp, (rounded, wave), IndexType())


def _global_id(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    dimension = gpu.DimensionAttr(list(gpu.DimensionEnum)[dimension_of(op)])
    block = build.insert(gpu.BlockIdOp(dimension)).results[0]
    thread = build.insert(gpu.ThreadIdOp(dimension)).results[0]
    return build.add(build.mul(block, _extent(build, dimension_of(op), known)), thread)


_EXPANSIONS: dict[str, Callable[[LLVMBuilder, Operation, Size | None], SSAValue]] = {
    "gpu.block_dim": _block_dim,
    "gpu.global_id": _global_id,
    "gpu.grid_dim": _grid_dim,
    "gpu.num_subgroups": _num_subgroups,
    "gpu.subgroup_id": _subgroup_id,
}


def _extent(build: LLVMBuilder, dim: int, known: Size | None) -> SSAValue:
    """Threads of a workgroup in one dimension."""
    if known is not None:
        return build.constant(known[dim], IndexType())
    return _implicit(build, _GROUP_SIZE + 2 * dim, 16)


def _wave_size(build: LLVMBuilder) -> SSAValue:
    size = call_intrinsic(build, "llvm.amdgcn.wavefrontsize", (), (i32,)).results[0]
    return build.integer_cast(size, IndexType())


def _implicit(build: LLVMBuilder, offset: int, width: int) -> SSAValue:
    arguments = call_intrinsic(build, "llvm.amdgcn.implicitarg.ptr", (), (pointer_type(4),)).results[0]
    address = build.gep(arguments, (offset,), i8, inbounds=True)
    value = build.load(address, IntegerType(width), width // 8)
    if width < 32:
        value = build.zero_extend(value, i32)
    return build.integer_cast(value, IndexType())
