"""ROCDL kernel attributes and folded block sizes, from launch bounds."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, gpu
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    StringAttr,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder, call_intrinsic, pointer_type
from flydsl.backend.rewriting import operations, replace
from flydsl.base.errors import IRError

Size = tuple[int, int, int]

MAX_THREADS = 1024
"""Threads of a workgroup on every target; assumed for kernels whose block size is only known at launch."""

MAX_BLOCKS = (1 << 31) - 1
"""Blocks of a grid in one dimension."""

_WAVES, _GROUP_THREADS = "rocdl.waves_per_eu", "rocdl.flat_work_group_size"
_LOOPS_AND_BLOCKS = ("scf.for", "scf.while", "gpu.block_id")
_BLOCK_COUNT, _GROUP_SIZE = 0, 12
"""Byte offsets in the implicit kernel arguments (code object version 5): u32 block counts, then u16 group sizes."""


def set_launch_bounds(kernel: Operation) -> None:
    """Tell LLVM how many threads a workgroup has: exactly, when the block size is known, else at most 1024."""
    size = known_block_size(kernel)
    if size is None:
        kernel.attributes.setdefault(_GROUP_THREADS, StringAttr(f"1,{MAX_THREADS}"))
        return
    kernel.attributes.pop(
        _GROUP_THREADS, None
    )  # a wider statement, that of a program, would stand beside the exact one
    for name in ("gpu.known_block_size", "known_block_size"):
        kernel.attributes.pop(name, None)
        kernel.properties.pop(name, None)
    kernel.attributes["known_block_size"] = DenseArrayBase.from_list(i32, size)


def set_block_bounds(kernel: Operation) -> None:
    """Tell LLVM that the number of a block is not negative: a grid has less than 2^32 threads in each dimension.

    Not in kernels with loops: knowing it, LLVM gives each access of a loop a pointer of its own, which costs registers
    and 64-bit additions in each iteration.
    """
    found, size = operations(kernel, _LOOPS_AND_BLOCKS), known_block_size(kernel) or (1, 1, 1)
    if all(isinstance(op, gpu.BlockIdOp) for op in found):
        for op in found:
            op.properties["upper_bound"] = IntegerAttr(block_limit(size[_dimension(op)]), IndexType())


def block_limit(threads: int) -> int:
    """How many blocks of so many threads a dimension can have."""
    return min(MAX_BLOCKS, ((1 << 32) - 1) // threads)


def set_cluster_attribute(kernel: Operation) -> None:
    """`rocdl.cluster_dims`, or the cluster size of a launch, becomes the function attribute that LLVM reads."""
    sizes = [
        kernel.attributes.pop(name, None) or kernel.properties.pop(name, None)
        for name in ("rocdl.cluster_dims", "gpu.known_cluster_size", "known_cluster_size")
    ]
    cluster = next(filter(None, sizes), None)
    if cluster is None:
        return
    if not isinstance(cluster, StringAttr | DenseArrayBase):
        raise IRError(f'rocdl.cluster_dims is a text such as "2,1,1" or an array of three numbers, found {cluster}')
    text = cluster.data if isinstance(cluster, StringAttr) else ",".join(map(str, cluster.get_values()))
    _pass_through(kernel, "amdgpu-cluster-dims", text)


def set_occupancy(kernel: Operation, waves: int, most_waves: int, registers: int) -> None:
    """State how many waves an execution unit is to run, at least and at most, and how many registers a thread may have,
    in place of what the program says; 0 states nothing."""
    if most_waves:
        kernel.attributes.pop(_WAVES, None)
        _pass_through(kernel, "amdgpu-waves-per-eu", f"{waves},{most_waves}")
    elif waves:
        kernel.attributes[_WAVES] = IntegerAttr(waves, i32)
    if registers:
        _pass_through(kernel, "amdgpu-num-vgpr", str(registers))


def _pass_through(kernel: Operation, name: str, value: str) -> None:
    """A function attribute of LLVM, in place of one of the same name."""
    old = kernel.attributes.get("passthrough")
    entries: list[Attribute] = list(old.data) if isinstance(old, ArrayAttr) else []
    others = [entry for entry in entries if not (isinstance(entry, ArrayAttr) and entry.data[0] == StringAttr(name))]
    kernel.attributes["passthrough"] = ArrayAttr([*others, ArrayAttr([StringAttr(name), StringAttr(value)])])


def expand_index_operations(kernel: Operation) -> None:
    """Read block and grid sizes from constants or the implicit arguments (MLIR's own lowering calls ockl), and compute
    wave numbers, which it does not know."""
    known = known_block_size(kernel)
    for op in operations(kernel, _EXPANSIONS):
        replace(op, [_EXPANSIONS[op.name](LLVMBuilder.before_op(op), op, known)])


def _block_dim(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    return _extent(build, _dimension(op), known)


def _grid_dim(build: LLVMBuilder, op: Operation, known: Size | None) -> SSAValue:
    return _implicit(build, _BLOCK_COUNT + 4 * _dimension(op), 32)


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
    dimension = gpu.DimensionAttr(list(gpu.DimensionEnum)[_dimension(op)])
    block = build.insert(gpu.BlockIdOp(dimension)).results[0]
    thread = build.insert(gpu.ThreadIdOp(dimension)).results[0]
    return build.add(build.mul(block, _extent(build, _dimension(op), known)), thread)


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


def _dimension(op: Operation) -> int:
    attribute = op.get_attr_or_prop("dimension")
    assert isinstance(attribute, gpu.DimensionAttr), op.name
    return "xyz".index(attribute.data.value)


def known_block_size(kernel: Operation) -> Size | None:
    for name in ("known_block_size", "gpu.known_block_size"):
        attribute = kernel.get_attr_or_prop(name)
        if isinstance(attribute, DenseArrayBase):
            x, y, z = (int(v) for v in attribute.get_values())
            return x, y, z
    return None
