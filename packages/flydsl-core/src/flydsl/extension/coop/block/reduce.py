"""Reductions over the threads of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Unpack

from flydsl.expr.gpu import barrier
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.extension.coop.block._spec import BlockAlgorithm
from flydsl.extension.coop.block.algorithms import BlockReduceAlgorithm
from flydsl.extension.coop.block.block import Block, valid_in_block
from flydsl.extension.coop.block.items import folded, items_of
from flydsl.extension.coop.block.runs import counted, run_of_lane
from flydsl.extension.coop.block.storage import array_of, load, raking_storage, shared_storage, warp_storage
from flydsl.extension.coop.block.threads import store_if
from flydsl.extension.coop.elements import chosen
from flydsl.extension.coop.operators import Operator, operator_of

if TYPE_CHECKING:
    from flydsl.expr.numeric import Int32
    from flydsl.expr.values.operand_types import IntLike
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.operators import ReduceOptions


class BlockReduce(BlockAlgorithm):
    """`P = BlockReduce[dtype, block_size]`, or with a third parameter, a `BlockReduceAlgorithm`; then
    `P(value, op, storage=s)` combines the values of all threads of the block, for every thread.

    `value` is a number or a Vector or tuple of them; `op` as for `warp_reduce`. `s` is what
    `fx.SharedAllocator().allocate(P.SharedStorage).peek()` gives; its next use needs a barrier before. Without it the
    call has shared memory of its own and ends with a barrier, in blocks of several warps. With `valid_items` only that
    many first threads, one item each, take part.
    """

    algorithm: ClassVar[BlockReduceAlgorithm]
    _algorithms = BlockReduceAlgorithm
    _shared_storage: ClassVar = {
        BlockReduceAlgorithm.WARP_REDUCTIONS: warp_storage,
        BlockReduceAlgorithm.RAKING: raking_storage,
    }

    def __new__(  # type: ignore[misc]
        cls,
        value: object,
        op: object,
        *,
        storage: object = None,
        valid_items: IntLike | None = None,
        identity: object = None,
    ) -> Item:
        """The values of all threads combined."""
        cls._require_call()
        items, _ = items_of(value, cls.dtype)
        operator = operator_of(op, items[0], identity)
        block = Block.of(cls)
        own = folded(operator, items)
        valid = None if valid_items is None else valid_in_block(valid_items, items, block)
        if block.warps == 1:
            return block.warp_reduce(own, op, identity, valid)
        reduce = _raking if cls.algorithm is BlockReduceAlgorithm.RAKING else _of_warps
        with shared_storage(cls, storage) as shared:
            return reduce(cls, block, own, operator, op, identity, shared, valid)

    @classmethod
    def sum(cls, value: object, *, storage: object = None, **options: Unpack[ReduceOptions]) -> Item:
        """The call with ADD."""
        return cls(value, ReductionOp.ADD, storage=storage, **options)


def _of_warps(
    cls: type[BlockReduce],
    block: Block,
    own: Item,
    operator: Operator[Item],
    op: object,
    identity: object,
    storage: object,
    valid: Int32 | None,
) -> Item:
    """Each warp combines its values, then each thread those of the warps, or each group of so many lanes."""
    slots = array_of(storage, "slots", cls.SharedStorage)
    result = block.warp_reduce(own, op, identity, None if valid is None else valid - block.warp * block.lanes)
    store_if(block.lane == 0, slots, block.warp, result)
    barrier()
    if valid is None and not block.warps & (block.warps - 1) and block.threads % block.warps == 0:
        return cls.warp_ops.warp_reduce(
            load(slots, block.lane % block.warps), op, width=block.warps, **block.extra(identity)
        )
    result = load(slots, 0)
    for index in range(1, block.warps):
        both = operator.combine(result, load(slots, index))
        result = both if valid is None else chosen(valid > index * block.lanes, both, result)
    return result


def _raking(
    cls: type[BlockReduce],
    block: Block,
    own: Item,
    operator: Operator[Item],
    op: object,
    identity: object,
    storage: object,
    valid: Int32 | None,
) -> Item:
    """The first warp combines what all threads have put into shared memory, a run a lane."""
    slots, result = (array_of(storage, name, cls.SharedStorage) for name in ("slots", "result"))
    slots[block.thread] = own
    barrier()
    valid = counted(block, valid)
    first, values = run_of_lane(block, slots, own)
    run = values[0]
    for index, value in enumerate(values[1:], 1):
        both = operator.combine(run, value)
        run = both if valid is None else chosen(valid > first + index, both, run)
    lanes = None if valid is None else (valid + (block.warps - 1)) // block.warps
    total = block.warp_reduce(run, op, identity, lanes)
    store_if(block.thread == 0, result, 0, total)
    barrier()
    return load(result, 0)
