"""Reductions of segments of warps, broadcasts, and reductions of several values at once, by shuffles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import OperandError
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numeric import Boolean, Int32
from flydsl.expr.threads.shuffle import shuffle_down, shuffle_idx
from flydsl.extension.coop import warp
from flydsl.extension.coop.elements import chosen, element, exchanged
from flydsl.extension.coop.operators import Element, operator_of
from flydsl.extension.coop.warp.lanes import filled, group_width, lane_of, last_counted, require_thread

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike, ScalarLike
    from flydsl.expr.values.traced_types import Item
    from flydsl.extension.coop.operators import WarpFunctions

__all__ = [
    "warp_broadcast",
    "warp_head_segmented_reduce",
    "warp_reduce_batched",
    "warp_reduce_batched_to_blocked",
    "warp_reduce_batched_to_striped",
    "warp_tail_segmented_reduce",
]


def warp_broadcast(value: Element, lane: IntLike, *, width: int | None = None) -> Element:
    """The value of one lane of the group, which has a thread, in all of its lanes."""
    group = group_width(width)
    require_thread(lane, group)
    return exchanged(element(value), lambda part: shuffle_idx(part, lane, group))


def warp_head_segmented_reduce(
    value: Element,
    flag: ScalarLike,
    op: object,
    *,
    width: int | None = None,
    valid_items: IntLike | None = None,
    identity: object = None,
) -> Element:
    """What a segment has combined, in its first lane; segments begin where `flag` is true, and with the group.

    Other lanes have what their segment has from there on.
    """
    group = group_width(width)
    next_flag = exchanged(Boolean(flag), lambda part: shuffle_down(part, 1, group))
    return _suffix(value, Boolean(next_flag), op, group, valid_items, identity)


def warp_tail_segmented_reduce(
    value: Element,
    flag: ScalarLike,
    op: object,
    *,
    width: int | None = None,
    valid_items: IntLike | None = None,
    identity: object = None,
) -> Element:
    """What a segment has combined, in its first lane; segments end where `flag` is true, and with the group."""
    return _suffix(value, Boolean(flag), op, group_width(width), valid_items, identity)


def warp_reduce_batched(
    values: Sequence[Element], op: object, *, width: int | None = None, functions: WarpFunctions = warp
) -> Element:
    """Each of the values combined over the group: lane i has the i-th; there are at most as many as lanes.

    `functions` has the reduction of one.
    """
    group = group_width(width)
    if len(values) > group:
        raise OperandError(f"a group of {group} lanes reduces at most as many values so, found {len(values)}")
    return _chosen(_reduced(values, op, group, functions), lane_of(group))


def warp_reduce_batched_to_blocked(
    values: Sequence[Element], op: object, *, width: int | None = None, functions: WarpFunctions = warp
) -> Item:
    """Each of the values combined over the group: lane i has those from i * k on, where k lanes' shares are one."""
    group = group_width(width)
    results, share = _reduced(values, op, group, functions), _share(values, group)
    lane = lane_of(group)
    return _same_form(values, [_chosen(results, lane * share + k) for k in range(share)])


def warp_reduce_batched_to_striped(
    values: Sequence[Element], op: object, *, width: int | None = None, functions: WarpFunctions = warp
) -> Item:
    """Each of the values combined over the group: lane i has those at i, i + width, and so on."""
    group = group_width(width)
    results, share = _reduced(values, op, group, functions), _share(values, group)
    lane = lane_of(group)
    return _same_form(values, [_chosen(results, lane + k * group) for k in range(share)])


def _suffix(
    value: Element, ends: Boolean, op: object, group: int, valid_items: IntLike | None, identity: object
) -> Element:
    """The values from this lane to the end of its segment combined in order; `ends`: the segment ends here."""
    own, lane = element(value), lane_of(group)
    operator = operator_of(op, own, identity)
    last = last_counted(valid_items, group, filled(group))
    closed: Boolean = ends | (lane >= last)
    distance = 1
    while distance < group:
        right = exchanged(own, lambda part, by=distance: shuffle_down(part, by, group))  # type: ignore[misc]
        right_closed = shuffle_down(closed, distance, group)
        own = chosen(closed, own, operator.combine(own, right))
        closed = closed | right_closed
        distance *= 2
    return own


def _reduced(values: Sequence[Element], op: object, group: int, functions: Any) -> list[Element]:
    return [functions.warp_reduce(value, op, width=group) for value in values]


def _share(values: Sequence[Element], group: int) -> int:
    return -(-len(values) // group)


def _chosen(results: Sequence[Element], index: Int32) -> Element:
    """One of several elements by an index known at run time; the last one beyond them."""
    result = results[-1]
    for k in reversed(range(len(results) - 1)):
        result = chosen(index == k, results[k], result)
    return result


def _same_form(values: Sequence[Element], results: list[Any]) -> Item:
    made: Any
    if isinstance(values, Vector):
        made = Vector.from_elements(results, values.dtype)
    else:
        made = results if type(values) is list else tuple(results)
    formed: Item = made
    return formed
