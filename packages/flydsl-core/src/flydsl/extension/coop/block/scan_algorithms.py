"""How a block finds what the threads before each one have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from flydsl.expr.gpu import barrier
from flydsl.expr.numeric import Boolean, Int32
from flydsl.extension.coop.block.block import Block
from flydsl.extension.coop.block.runs import counted, is_in_run, run_of_lane
from flydsl.extension.coop.block.storage import array_of, load
from flydsl.extension.coop.block.threads import store_if
from flydsl.extension.coop.elements import chosen
from flydsl.extension.coop.operators import Operator

if TYPE_CHECKING:
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.block.scan import BlockScan


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What the threads before this one have, combined, and what all have.

    `has_before` says whether there are any, or is None where `before` counts in any case: as it is the identity then.
    """

    before: Item
    has_before: Boolean | None
    aggregate: Item

    def behind(self, operator: Operator[Item], init: Item) -> Prefixes:
        """The same with `init` in front, which every thread has."""
        before = operator.combine(init, self.before)
        if self.has_before is not None:
            before = chosen(self.has_before, before, init)
        return replace(self, before=before, has_before=None)


def warp_scans(
    cls: type[BlockScan],
    block: Block,
    own: Item,
    operator: Operator[Item],
    op: object,
    identity: object,
    storage: object,
    valid: Int32 | None,
) -> Prefixes:
    """Each warp scans; what the warps before have is combined by each thread."""
    in_warp = None if valid is None else valid - block.warp * block.lanes
    _, before, total = block.warp_scan(own, op, identity, in_warp)
    known = operator.identity is not None
    if block.warps == 1:
        return Prefixes(before, None if known else block.lane > 0, total)
    slots = array_of(storage, "slots", cls.SharedStorage)
    store_if(block.lane == 0, slots, block.warp, total)
    barrier()
    aggregate = load(slots, 0)
    warps_before = aggregate
    for index in range(1, block.warps):
        both = operator.combine(aggregate, load(slots, index))
        aggregate = both if valid is None else chosen(valid > index * block.lanes, both, aggregate)
        if index + 1 < block.warps:
            warps_before = chosen(block.warp > index, aggregate, warps_before)
    joint = operator.combine(warps_before, before)
    if not known:
        joint = chosen(block.lane > 0, joint, warps_before)
    before = chosen(block.warp > 0, joint, before)
    return Prefixes(before, None if known else block.thread > 0, aggregate)


def raking_scan(
    cls: type[BlockScan],
    block: Block,
    own: Item,
    operator: Operator[Item],
    op: object,
    identity: object,
    storage: object,
    valid: Int32 | None,
) -> Prefixes:
    """The first warp scans what all threads have put into shared memory, a run a lane, and puts prefixes there."""
    if block.warps == 1:
        return warp_scans(cls, block, own, operator, op, identity, storage, valid)
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
    _, prefix, aggregate = block.warp_scan(run, op, identity, lanes)
    known = operator.identity is not None
    for index, value in enumerate(values):
        position = Int32(first + index)
        store_if(is_in_run(block, position), slots, position, prefix)
        both = operator.combine(prefix, value)
        prefix = both if known or index else chosen(block.lane > 0, both, value)
    store_if(block.thread == 0, result, 0, aggregate)
    barrier()
    return Prefixes(load(slots, block.thread), None if known else block.thread > 0, load(result, 0))
