"""A traced module in, the arguments that its kernels may write to out: what frameworks and read-only checks need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from xdsl.dialects.func import FuncOp
from xdsl.dialects.gpu import LaunchFuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from flydsl.frontend.arguments import argument_types
from flydsl.frontend.signature import TensorSpec, leaf_specs
from flydsl.ir.fly.types import CoordTensorType, MemRefType, PointerType

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from flydsl.frontend.signature import Spec

# op -> positions of the operands it may write through
_WRITES: dict[str, tuple[int, ...]] = {
    "fly.copy": (2,),
    "fly.copy_atom_call": (2,),
    "fly.gemm": (1,),
    "fly.mma_atom_call": (1,),
    "fly.memref.store": (1,),
    "fly.memref.store_vec": (1,),
    "fly.ptr.store": (1,),
    "fly.ptrtoint": (0,),  # whoever has the number may make a pointer of it
    "llvm.atomicrmw": (0,),
    "llvm.cmpxchg": (0,),
    "llvm.store": (1,),
}
# ops that make storage of their own
_STORAGE = frozenset({"fly.make_fragment_like", "fly.mma.make_fragment", "fly.memref.alloca", "fly.get_dyn_shared"})
_ADDRESSES = (MemRefType, PointerType)
# ops that use an address and neither write through it nor hand it on
_READERS = frozenset(
    {"fly.memref.load", "fly.memref.load_vec", "fly.ptr.load", "fly.make_fragment_like", "fly.get_layout"}
)


def written_arguments(module: ModuleOp, specs: Mapping[str, Spec]) -> tuple[int, ...]:
    """Positions, among the leaves of all parameters, of the tensors that may be written.

    An address that reaches an op unknown here counts as written.
    """
    kernels = {
        op.get_attr_or_prop("sym_name").data: _written_in(op)  # type: ignore[union-attr]
        for op in module.walk()
        if op.name == "gpu.func"
    }
    host = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    roots: set[SSAValue] = set()
    for launch in host.walk():
        if isinstance(launch, LaunchFuncOp):
            written = kernels[launch.kernel.nested_references.data[-1].data]
            roots |= {root for index in written for root in _roots(launch.kernelOperands[index])}
    leaves = leaf_specs(specs.values())
    positions = [index for index, spec in enumerate(leaves) for _ in argument_types(spec)]
    arguments = host.body.block.args
    written = {positions[i] for i, value in enumerate(arguments) if value in roots}
    return tuple(index for index in sorted(written) if isinstance(leaves[index], TensorSpec))


def _written_in(kernel: Operation) -> set[int]:
    body: Block = kernel.regions[0].block
    roots = {root for op in kernel.walk() for value in _written_operands(op) for root in _roots(value)}
    return {index for index, value in enumerate(body.args) if value in roots}


def _written_operands(op: Operation) -> list[SSAValue]:
    if op.name in _WRITES:
        return [op.operands[index] for index in _WRITES[op.name]]
    if op.results or op.name in _READERS or op.name == "gpu.func":
        return []
    return [operand for operand in op.operands if isinstance(operand.type, _ADDRESSES)]


def _roots(value: SSAValue) -> set[SSAValue]:
    """The block arguments that an address may come from; through regions, every address operand counts."""
    seen: set[SSAValue] = set()
    pending: list[SSAValue] = [value]
    roots: set[SSAValue] = set()
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        if isinstance(current, BlockArgument):
            roots.add(current)
            parent = current.block.parent_op()
            pending += _addresses(parent) if parent is not None else []
        elif current.owner.name not in _STORAGE:  # type: ignore[union-attr]
            assert isinstance(current.owner, Operation)
            pending += _addresses(current.owner)
            for region in current.owner.regions:
                pending += [v for op in region.walk() if not op.results for v in _addresses(op)]
    return roots


def _addresses(op: Operation) -> list[SSAValue]:
    return [v for v in op.operands if isinstance(v.type, _ADDRESSES) and not isinstance(v.type, CoordTensorType)]
