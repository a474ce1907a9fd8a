"""Kernels with launch bounds in, ROCDL attributes and folded block sizes out."""

from __future__ import annotations

from xdsl.dialects import gpu
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IndexType, IntegerType, StringAttr, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.passes.rewriting import erase
from flydsl.passes.to_llvm.builder import LLVMBuilder, pointer_type
from flydsl_rocm.lowering.intrinsics import call_intrinsic

__all__ = ["MAX_THREADS", "expand_launch_sizes", "set_cluster_attribute", "set_launch_bounds"]

MAX_THREADS = 1024
"""Threads of a workgroup on every target; assumed for kernels whose block size is only known at launch."""

_BLOCK_COUNT, _GROUP_SIZE = 0, 12
"""Byte offsets in the implicit kernel arguments (code object version 5): u32 block counts, then u16 group sizes."""


def set_launch_bounds(kernel: Operation) -> None:
    """Tell LLVM how many threads a workgroup has: exactly, when the block size is known, else at most 1024."""
    size = _known_block_size(kernel)
    if size is None:
        kernel.attributes["rocdl.flat_work_group_size"] = StringAttr(f"1,{MAX_THREADS}")
        return
    for name in ("gpu.known_block_size", "known_block_size"):
        kernel.attributes.pop(name, None)
        kernel.properties.pop(name, None)
    kernel.attributes["known_block_size"] = DenseArrayBase.from_list(i32, size)


def set_cluster_attribute(kernel: Operation) -> None:
    """`rocdl.cluster_dims` becomes the function attribute that LLVM reads."""
    cluster = kernel.attributes.pop("rocdl.cluster_dims", None)
    if cluster is None:
        return
    text = cluster.data if isinstance(cluster, StringAttr) else ",".join(map(str, cluster.get_values()))  # type: ignore[attr-defined]
    old = kernel.attributes.get("passthrough")
    entries: list[Attribute] = list(old.data) if isinstance(old, ArrayAttr) else []
    entry = ArrayAttr([StringAttr("amdgpu-cluster-dims"), StringAttr(text)])
    kernel.attributes["passthrough"] = ArrayAttr([*entries, entry])


def expand_launch_sizes(kernel: Operation) -> None:
    """Read block and grid sizes from constants or the implicit arguments: MLIR's own lowering calls ockl."""
    known = _known_block_size(kernel)
    for op in list(kernel.walk()):
        if isinstance(op, gpu.BlockDimOp | gpu.GridDimOp):
            dim = "xyz".index(op.dimension.data.value)
            build = LLVMBuilder.before_op(op)
            if isinstance(op, gpu.BlockDimOp) and known is not None:
                value = build.constant(known[dim], IndexType())
            elif isinstance(op, gpu.BlockDimOp):
                value = _implicit(build, _GROUP_SIZE + 2 * dim, 16)
            else:
                value = _implicit(build, _BLOCK_COUNT + 4 * dim, 32)
            op.results[0].replace_all_uses_with(value)
            erase(op)


def _implicit(build: LLVMBuilder, offset: int, width: int) -> SSAValue:
    constant_space = pointer_type(4)
    arguments = call_intrinsic(build, "llvm.amdgcn.implicitarg.ptr", (), (constant_space,)).results[0]
    address = build.gep(arguments, (offset,), i8, inbounds=True)
    value = build.load(address, IntegerType(width), width // 8)
    if width < 32:
        value = build.zero_extend(value, i32)
    return build.integer_cast(value, IndexType())


def _known_block_size(kernel: Operation) -> tuple[int, int, int] | None:
    for name in ("known_block_size", "gpu.known_block_size"):
        attribute = kernel.get_attr_or_prop(name)
        if isinstance(attribute, DenseArrayBase):
            x, y, z = (int(v) for v in attribute.get_values())
            return x, y, z
    return None
