"""Memory effects of operations: which may be erased when unused, and which may be shared."""

from __future__ import annotations

from functools import cache

from xdsl.ir import Operation
from xdsl.traits import IsTerminator, Pure

_PURE_DIALECTS = frozenset({"arith", "math", "ub"})
_PURE_OPS = frozenset(
    {
        *("gpu.thread_id", "gpu.block_id", "gpu.block_dim", "gpu.grid_dim", "gpu.lane_id", "gpu.global_id"),
        *("gpu.subgroup_id", "gpu.subgroup_size", "gpu.num_subgroups", "gpu.cluster_id", "gpu.cluster_block_id"),
        *("llvm.extractvalue", "llvm.insertvalue", "llvm.mlir.undef", "llvm.mlir.poison", "llvm.mlir.zero"),
        *("llvm.mlir.constant", "llvm.mlir.addressof", "llvm.getelementptr", "llvm.ptrtoint", "llvm.inttoptr"),
        *("vector.extract", "vector.insert", "vector.extract_strided_slice", "vector.insert_strided_slice"),
        *("vector.broadcast", "vector.shuffle", "vector.from_elements", "vector.to_elements", "vector.shape_cast"),
        *("vector.bitcast", "vector.transpose", "vector.reduction", "vector.fma", "vector.splat", "vector.create_mask"),
        *("vector.extractelement", "vector.insertelement", "vector.step", "vector.interleave"),
        *("builtin.unrealized_conversion_cast", "memref.extract_aligned_pointer_as_index"),
    }
)
_FLY_READS = frozenset({"fly.ptr.load", "fly.memref.load", "fly.memref.load_vec"})
_FLY_ALLOCATES = frozenset({"fly.make_ptr", "fly.memref.alloca", "fly.make_fragment_like", "fly.mma.make_fragment"})
_FLY_WRITES = frozenset(
    {
        *(
            "fly.ptr.store",
            "fly.memref.store",
            "fly.memref.store_vec",
            "fly.copy",
            "fly.gemm",
            "fly.print",
            "fly.assume",
        ),
        *("fly.copy_atom_call", "fly.mma_atom_call", "fly.copy_atom_call_ssa"),
    }
)


@cache
def is_pure(op_class: type[Operation]) -> bool:
    """Equal operands give equal results and nothing else happens: such operations may be erased and shared."""
    name = op_class.name
    if op_class.has_trait(IsTerminator):  # xDSL calls some of them pure
        return False
    dialect = name.partition(".")[0]
    if dialect == "fly":
        return name not in _FLY_READS | _FLY_ALLOCATES | _FLY_WRITES
    return (dialect in _PURE_DIALECTS and name != "ub.unreachable") or name in _PURE_OPS or op_class.has_trait(Pure)


@cache
def is_erasable(op_class: type[Operation]) -> bool:
    """An unused operation of this class may be erased: it is pure, only reads, or only allocates."""
    return is_pure(op_class) or op_class.name in _FLY_READS | _FLY_ALLOCATES
