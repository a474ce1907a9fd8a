"""Properties of operations that the thread-loop transformation needs: purity, cost, synchronisation."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, llvm, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Block, Operation, SSAValue

from flydsl.backend.rewriting import effects_of, has_effects_of_regions, is_pure_class, operations
from flydsl.backend.rewriting import is_pure as has_no_effect
from flydsl_cpu.dialect import AgreedOp, ButterflyOp

THREAD_VARYING = frozenset({"gpu.thread_id"})
"""Operations whose results differ between the threads of a block; other index operations are expanded to these first.
"""

EXCHANGES = frozenset({"gpu.shuffle", "gpu.subgroup_reduce", "gpu.all_reduce", AgreedOp.name, ButterflyOp.name})
"""Operations that read the first operand of other threads."""

SYNC = frozenset({"gpu.barrier", *EXCHANGES})
ATOMIC = frozenset({"llvm.atomicrmw", "llvm.cmpxchg", "memref.atomic_rmw"})
COMMUTATIVE = (
    *(arith.AddfOp, arith.MulfOp, arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp),
    *(arith.AddiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
    *(arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp),
)
"""What reductions combine two values with."""

_COSTLY = frozenset({"arith.divf", "arith.remf", "llvm.fdiv", "llvm.frem"})
_DIVISIONS = ("div", "rem")


def is_pure(op: Operation) -> bool:
    """No effect, and in every thread the same result for the same operands.

    A yield is pure, and so is an operation with regions when all they hold is pure.
    """
    if op.regions:
        return is_pure_itself(op) and all(map(is_pure, inner_operations(op)))
    return is_pure_itself(op)


def is_pure_itself(op: Operation) -> bool:
    """Whether an operation is pure when all that its regions hold is."""
    if op.regions:
        return has_effects_of_regions(op) and not effects_of(op)
    kind = type(op)
    answer = _OF_CLASS.get(kind)
    if answer is None:
        answer = _OF_CLASS[kind] = _is_pure_class(kind)
    return has_no_effect(op) if answer == "asks" else answer == "pure"


def _is_pure_class(kind: type[Operation]) -> str:
    """`pure`, `impure`, or `asks`: whether an operation without regions is, as far as its class tells."""
    if issubclass(kind, scf.YieldOp):
        return "pure"
    if kind.name in THREAD_VARYING:
        return "impure"
    answer = is_pure_class(kind)
    return "asks" if answer is None else "pure" if answer else "impure"


_OF_CLASS: dict[type[Operation], str] = {}


def inner_operations(op: Operation) -> Iterator[Operation]:
    """The operations of the blocks of an operation's regions, without those that these hold."""
    return (nested for region in op.regions for block in region.blocks for nested in block.ops)


def is_sync(op: Operation) -> bool:
    """Whether threads of the block meet or exchange values here."""
    return op.name in SYNC


def hoisted_operations(body: Block) -> frozenset[Operation]:
    """The structured operations that hold a synchronisation, and so run once for the block."""
    hoisted: set[Operation] = set()
    for op in operations(body, SYNC):
        parent = op.parent_op()
        while parent is not None and parent is not body.parent_op() and parent not in hoisted:
            hoisted.add(parent)
            parent = parent.parent_op()
    return frozenset(hoisted)


def is_plain(op: llvm.LoadOp | llvm.StoreOp) -> bool:
    """Whether an access is neither atomic nor volatile."""
    ordering = op.get_attr_or_prop("ordering")
    is_atomic = isinstance(ordering, IntegerAttr) and ordering.value.data != 0
    return not is_atomic and op.get_attr_or_prop("volatile_") is None


def recompute_cost(op: Operation) -> int:
    """What computing a pure `op` again costs, in simple integer instructions."""
    name = op.name
    if op.regions or name.startswith("math.") or name in _COSTLY:
        return 1000
    if any(word in name for word in _DIVISIONS):
        return 8
    scalar = all(isinstance(r.type, IntegerType | IndexType | LLVMPointerType) for r in op.results)
    return 1 if scalar else 4


def replace_inside(body: Block, old: SSAValue, new: SSAValue) -> None:
    """Let operations of `body` use `new`; other segments go on using `old`, and look up what stands for it there."""
    for use in tuple(old.uses):
        if is_inside(body, use.operation):
            use.operation.operands[use.index] = new


def take_out_unused(body: Block) -> None:
    """Take out pure operations of `body` whose results nothing in it uses."""
    for op in reversed(list(body.ops)):
        uses = (use.operation for result in op.results for use in result.uses)
        if op.results and is_pure(op) and not any(is_inside(body, user) for user in uses):
            take_out(op)


def is_inside(body: Block, op: Operation) -> bool:
    """Whether an operation is in `body`, or in a region in it."""
    block = op.parent
    while block is not None and block is not body:
        parent = block.parent_op()
        block = parent.parent if parent is not None else None
    return block is body


def take_out(op: Operation) -> None:
    """Remove an operation from its block but leave it intact: another segment may compute it again."""
    assert op.parent is not None
    op.parent.detach_op(op)
