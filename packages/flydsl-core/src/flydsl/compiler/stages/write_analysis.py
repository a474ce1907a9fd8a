"""Write analysis of a traced module: the tensor arguments that its kernels may write to.

Frameworks and the checks of read-only arrays ask it. Each address among the arguments is followed forward through its
uses: what an operation reads and writes is asked of `flydsl.ir.effects`, and whatever is unknown counts as a write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING

from xdsl.dialects.func import FuncOp
from xdsl.dialects.gpu import LaunchFuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue, Use
from xdsl.traits import DefaultResource, EffectInstance, IsTerminator, MemoryEffectKind

from flydsl.frontend.signature import leaf_specs
from flydsl.ir.effects import effects_of, has_effects_of_regions
from flydsl.ir.fly.types import CoordTensorType, MemRefType, PayloadType, PointerType
from flydsl.passes.rewriting import functions

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from flydsl.frontend.signature import ArgSpec

_ADDRESSES = (MemRefType, PointerType, LLVMPointerType)
_HOLD_NO_ADDRESS = (PayloadType, CoordTensorType)
_FUNCTIONS = ("gpu.func", "func.func")

WrittenByKernel = Mapping[str, Set[int]]


def written_arguments(module: ModuleOp, specs: Mapping[str, ArgSpec]) -> tuple[int, ...]:
    """Positions, among the leaves of all parameters, of the tensors that may be written.

    An address that reaches an operation of unknown effects counts as written, and so does one that becomes a number:
    whoever has the number may make a pointer of it.
    """
    kernels = {
        op.get_attr_or_prop("sym_name").data: _written_in(op, {})  # type: ignore[union-attr]
        for op in functions(module)
        if op.name == "gpu.func"
    }
    host = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    leaves = leaf_specs(specs.values())
    positions = [index for index, spec in enumerate(leaves) for _ in spec.ir_types()]
    written = {positions[index] for index in _written_in(host, kernels)}
    return tuple(index for index in sorted(written) if leaves[index].notes_writes)


def _written_in(function: Operation, kernels: WrittenByKernel) -> Set[int]:
    """Positions of the arguments of a function through which it, or a kernel that it launches, may write."""
    arguments = function.regions[0].block.args
    return {i for i, value in enumerate(arguments) if isinstance(value.type, _ADDRESSES) and _written(value, kernels)}


def _written(root: SSAValue, kernels: WrittenByKernel) -> bool:
    """Whether a write may reach the memory at an address, through any value that derives from it."""
    seen, pending = {root}, [root]
    while pending:
        for use in pending.pop().uses:
            derived = _derived(use, kernels)
            if derived is None:
                return True
            fresh = [value for value in derived if value not in seen]
            seen.update(fresh)
            pending += fresh
    return False


def _derived(use: Use, kernels: WrittenByKernel) -> list[SSAValue] | None:
    """The values that a use of an address makes other addresses of the same memory; None when it may be written."""
    op = use.operation
    if isinstance(op, LaunchFuncOp):
        return _launched(op, use, kernels)
    if op.has_trait(IsTerminator):
        return _passed_on(op)
    if op.regions:
        return _addresses(_handed_on(op)) if has_effects_of_regions(op) else None
    effects = effects_of(op)
    if effects is None:
        return None
    operand = op.operands[use.index]
    kinds = {effect.kind for effect in effects if _concerns(effect, operand)}
    if kinds & {MemoryEffectKind.WRITE, MemoryEffectKind.FREE}:
        return None
    if MemoryEffectKind.READ not in kinds and _lets_it_escape(op, effects):
        return None
    allocated = {effect.value for effect in effects if effect.kind is MemoryEffectKind.ALLOC}
    return [result for result in op.results if isinstance(result.type, _ADDRESSES) and result not in allocated]


def _concerns(effect: EffectInstance, operand: SSAValue) -> bool:
    """Whether an effect is on the memory of an operand: it says so, or it says nothing of where it is."""
    return effect.value is operand or (effect.value is None and isinstance(effect.resource, DefaultResource))


def _lets_it_escape(op: Operation, effects: Set[EffectInstance]) -> bool:
    """Whether an address that is not accessed is stored somewhere or becomes a value that is no address."""
    stores = any(e.kind is MemoryEffectKind.WRITE and isinstance(e.resource, DefaultResource) for e in effects)
    return stores or any(not isinstance(result.type, _ADDRESSES + _HOLD_NO_ADDRESS) for result in op.results)


def _launched(launch: LaunchFuncOp, use: Use, kernels: WrittenByKernel) -> list[SSAValue] | None:
    """Nothing derives from an argument of a kernel, which either writes through it or does not."""
    operand = launch.operands[use.index]
    written = kernels.get(launch.kernel.nested_references.data[-1].data)
    if written is None or any(launch.kernelOperands[index] is operand for index in written):
        return None
    return []


def _passed_on(terminator: Operation) -> list[SSAValue] | None:
    """What a terminator gives its operands to: blocks, and the operation around it; None when it leaves a function."""
    if terminator.successors:
        return _addresses(arg for block in terminator.successors for arg in block.args)
    parent = terminator.parent_op()
    if parent is None or parent.name in _FUNCTIONS or not has_effects_of_regions(parent):
        return None
    return _addresses(_handed_on(parent))


def _addresses(values: Iterable[SSAValue]) -> list[SSAValue]:
    return [value for value in values if isinstance(value.type, _ADDRESSES)]


def _handed_on(op: Operation) -> Iterator[SSAValue]:
    """The values that an operand of an operation with regions may become."""
    yield from op.results
    for region in op.regions:
        for block in region.blocks:
            yield from block.args
