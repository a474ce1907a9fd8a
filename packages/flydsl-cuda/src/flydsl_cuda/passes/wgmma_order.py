"""The pass `fly-nvvm-wgmma-order`: matrix instructions of warp groups behind fences, and waits that their results pass.

These instructions run beside the threads that start them. What a thread wrote to registers they see behind a fence:
where a program has none between such a write and the next instruction, one is put there. Their results are there
behind a wait: a wait for all of them loads and stores every accumulator, so that what reads one stays behind it.

It runs before `fly-convert-atom-call-to-ssa-form`, while accumulators are register memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.backend.ir import (
    REGISTER,
    AddOffsetOp,
    CopyAtomCallOp,
    MakePtrOp,
    MakeViewOp,
    MemRefType,
    MmaAtomCallOp,
    MmaAtomType,
    PointerType,
    PtrLoadOp,
    PtrStoreOp,
)
from flydsl.backend.lowering import storage_type
from flydsl.backend.rewriting import erase, functions, insert_before, operands_of, vector_of, walk
from flydsl_cuda.atoms.wgmma_types import WgmmaType
from flydsl_cuda.wgmma_operations import WgmmaCommitOp, WgmmaFenceOp, WgmmaWaitOp


@dataclass(frozen=True)
class FlyNvvmWgmmaOrder(ModulePass):
    """Insert the fences, and give the waits their accumulators."""

    name: ClassVar[str] = "fly-nvvm-wgmma-order"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Rewrite the functions of the module, in place."""
        for function in functions(op):
            calls = [inner for inner in walk(function) if _is_wgmma(inner)]
            if not calls:
                continue
            for call in calls:
                if _needs_fence(call):
                    insert_before(WgmmaFenceOp.create(location=call.location), call)
            allocations = list(dict.fromkeys(filter(None, (_allocation(operands_of(call)[1]) for call in calls))))
            for wait in [inner for inner in walk(function) if isinstance(inner, WgmmaWaitOp)]:
                if wait.count == 0 and not wait.operands:
                    _tie(wait, [allocation for allocation in allocations if _precedes(allocation, wait)])


def _is_wgmma(op: Operation) -> bool:
    if not isinstance(op, MmaAtomCallOp):
        return False
    type_ = operands_of(op)[0].type
    return isinstance(type_, MmaAtomType) and isinstance(type_.op, WgmmaType)


def _needs_fence(call: Operation) -> bool:
    """Whether something else than such instructions may have happened since the last fence."""
    before = call.prev_op
    while before is not None:
        if _is_wgmma(before) or isinstance(before, WgmmaFenceOp):
            return False
        if before.regions or _writes_registers(before) or isinstance(before, WgmmaCommitOp | WgmmaWaitOp):
            return True
        before = before.prev_op
    return True


def _writes_registers(op: Operation) -> bool:
    if not isinstance(op, CopyAtomCallOp | MmaAtomCallOp | PtrStoreOp):
        return False
    written = operands_of(op)[2 if isinstance(op, CopyAtomCallOp) else 1].type
    return isinstance(written, MemRefType | PointerType) and written.space == REGISTER


def _allocation(view: SSAValue) -> MakePtrOp | None:
    """The register allocation that an accumulator is in."""
    owner = view.owner
    while isinstance(owner, MakeViewOp | AddOffsetOp):
        owner = operands_of(owner)[0].owner
    return owner if isinstance(owner, MakePtrOp) else None


def _precedes(allocation: Operation, op: Operation) -> bool:
    """Whether the allocation is in front of `op` in its block, or in front of what `op` is in."""
    place: Operation | None = op
    while place is not None and place.parent is not allocation.parent:
        place = place.parent_op()
    block = allocation.parent
    assert isinstance(block, Block)
    return place is not None and _is_before(allocation, place)


def _is_before(first: Operation, second: Operation) -> bool:
    op: Operation | None = first
    while op is not None and op is not second:
        op = op.next_op
    return op is second


def _tie(wait: WgmmaWaitOp, allocations: list[MakePtrOp]) -> None:
    """Load every accumulator before the wait, and store what comes out of it."""
    values = []
    for allocation in allocations:
        pointer = allocation.results[0]
        count = _count(allocation)
        assert isinstance(pointer.type, PointerType)
        type_ = vector_of(storage_type(pointer.type.element), count)
        load = PtrLoadOp.create(operands=[pointer], result_types=[type_], location=wait.location)
        insert_before(load, wait)
        values.append(load.results[0])
    tied = WgmmaWaitOp.create(
        operands=values,
        result_types=[value.type for value in values],
        attributes=dict(wait.attributes),
        location=wait.location,
    )
    insert_before(tied, wait)
    for allocation, result in zip(allocations, tied.results, strict=True):
        insert_before(PtrStoreOp.create(operands=[result, allocation.results[0]], location=wait.location), wait)
    erase(wait)


def _count(allocation: MakePtrOp) -> int:
    attributes = allocation.dict_attrs
    assert isinstance(attributes, DictionaryAttr)
    size = attributes.data["allocSize"]
    assert isinstance(size, IntegerAttr)
    return size.value.data
