"""Reductions and scans of warps by shuffles, for every target and type.

The warp is divided into groups of `width` lanes (a power of two; by default all), which do not see each other. All
threads of a group take part; lanes that have no thread, in a block that does not fill its last group, do not count.
Reductions follow a butterfly, scans are those of Hillis and Steele ("Data parallel algorithms").
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from flydsl.expr.numeric import Boolean, Int32, Numeric
from flydsl.expr.threads.shuffle import lane_id, shuffle_idx, shuffle_up, shuffle_xor
from flydsl.extension.coop.elements import chosen, element, exchanged
from flydsl.extension.coop.operators import Element, Operator, ReduceOptions, operator_of
from flydsl.extension.coop.warp.lanes import are_full, filled, group_width, lane_of, last_counted

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike

__all__ = ["warp_exclusive_scan", "warp_inclusive_scan", "warp_reduce", "warp_scan", "warp_scan_with_aggregate"]


def warp_reduce(
    value: Element,
    op: object,
    *,
    width: int | None = None,
    valid_items: IntLike | None = None,
    identity: object = None,
) -> Element:
    """The values of the lanes of a group, or of its first `valid_items` lanes, combined, in every lane."""
    group, result = group_width(width), element(value)
    operator, threads = operator_of(op, result, identity), filled(group)
    valid = _valid(valid_items, threads)
    distance = 1
    while distance < group:
        other = exchanged(result, _other_half(distance, group, threads))
        both = _in_order(operator, result, other, distance)
        if valid is not None and not (valid_items is None and are_full(2 * distance)):
            both = _of_valid(both, result, other, distance, group, valid)
        result = both
        distance *= 2
    return result


def warp_inclusive_scan(
    value: Element, op: object, *, width: int | None = None, init: object = None, **options: Unpack[ReduceOptions]
) -> Element:
    """The values of the lanes up to this one combined, behind `init`."""
    return warp_scan(value, op, width=width, init=init, **options)[0]


def warp_exclusive_scan(
    value: Element, op: object, *, width: int | None = None, init: object = None, **options: Unpack[ReduceOptions]
) -> Element:
    """The values of the lanes before this one combined, behind `init`; of the first lane `init`, else the identity."""
    return warp_scan(value, op, width=width, init=init, **options)[1]


def warp_scan(
    value: Element, op: object, *, width: int | None = None, init: object = None, **options: Unpack[ReduceOptions]
) -> tuple[Element, Element]:
    """The inclusive and the exclusive scan."""
    return warp_scan_with_aggregate(value, op, width=width, init=init, **options)[:2]


def warp_scan_with_aggregate(
    value: Element,
    op: object,
    *,
    width: int | None = None,
    init: object = None,
    valid_items: IntLike | None = None,
    identity: object = None,
) -> tuple[Element, Element, Element]:
    """The inclusive and the exclusive scan, and all values combined, without `init`, in every lane."""
    group, own = group_width(width), element(value)
    operator = operator_of(op, own, identity)
    last = last_counted(valid_items, group, filled(group))
    scanned = inclusive(operator, own, group)
    before = shifted(operator, scanned, group)
    return (
        with_init(operator, scanned, init),
        exclusive_with_init(operator, before, init, group),
        exchanged(scanned, lambda part: shuffle_idx(part, last, group)),
    )


def inclusive(operator: Operator[Element], value: Element, group: int) -> Element:
    """An inclusive scan within groups."""
    lane, distance = lane_of(group), 1
    while distance < group:
        left = exchanged(value, lambda part, by=distance: shuffle_up(part, by, group))  # type: ignore[misc]
        value = chosen(lane >= distance, operator.combine(left, value), value)
        distance *= 2
    return value


def shifted(operator: Operator[Element], scanned: Element, group: int) -> Element:
    """What the lane before has; in the first lane of a group the identity, else what it has itself."""
    before = exchanged(scanned, lambda part: shuffle_up(part, 1, group)) if group > 1 else scanned
    if operator.identity is None:
        return before
    return chosen(lane_of(group) == 0, operator.identity, before)


def with_init(operator: Operator[Element], scanned: Element, init: object) -> Element:
    """A scan behind `init`, if there is one."""
    return scanned if init is None else operator.combine(like(init, scanned), scanned)


def exclusive_with_init(operator: Operator[Element], before: Element, init: object, group: int) -> Element:
    """An exclusive scan behind `init`, if there is one; `before` is that of `shifted`."""
    if init is None:
        return before
    start = like(init, before)
    if operator.identity is not None:
        return operator.combine(start, before)
    return chosen(lane_of(group) == 0, start, operator.combine(start, before))


def like(init: object, value: Element) -> Element:
    """`init` as an element of the type of `value`."""
    made: Any = init
    if isinstance(value, Numeric):
        made = value.dtype(made)
    result: Element = made
    return result


def _other_half(distance: int, group: int, threads: Int32 | None) -> Callable[[Numeric], Numeric]:
    """Reads a lane of the other half of `2 * distance` lanes, all of which have the same: the one opposite, or where no
    thread has that one, the last that has one."""
    if are_full(2 * distance) or threads is None:
        return lambda part: shuffle_xor(part, distance, group)
    opposite, last = lane_of(group) ^ distance, threads - 1
    source = Int32((opposite < last).select(opposite, last))
    return lambda part: shuffle_idx(part, source, group)


def _valid(valid_items: IntLike | None, threads: Int32 | None) -> Int32 | None:
    """How many first lanes count, None where all do."""
    if valid_items is None or threads is None:
        return threads if valid_items is None else Int32(valid_items)
    valid = Int32(valid_items)
    return Int32((valid < threads).select(valid, threads))


def _in_order(operator: Operator[Element], own: Element, other: Element, distance: int) -> Element:
    """Own and the other half's values combined in the order of the lanes, where that matters."""
    if operator.commutative:
        return operator.combine(own, other)
    is_right: Boolean = (lane_id() & distance) != 0
    return operator.combine(chosen(is_right, other, own), chosen(is_right, own, other))


def _of_valid(both: Element, own: Element, other: Element, distance: int, group: int, valid: Int32) -> Element:
    """`both`, or what there is of it where the first `valid` lanes end before one of the halves."""
    own_first = lane_of(group) & -distance
    other_first = own_first ^ distance
    alone = chosen(other_first < valid, other, own)
    return chosen((own_first < valid) & (other_first < valid), both, alone)
