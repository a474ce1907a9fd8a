"""`fx.coop.warp.rocdl`: reductions and scans of waves by moves between lanes that need no memory, where there are any.

That is on CDNA for numbers of 32 bits, whose operator has an identity. Everything else is done by shuffles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from flydsl.backend import cooperation
from flydsl.backend.cooperation import (
    Element,
    Operator,
    chosen,
    element,
    exclusive_with_init,
    filled,
    group_width,
    lane_of,
    last_counted,
    operator_of,
    with_init,
)
from flydsl.backend.language import current
from flydsl.expr import Int32, Numeric, shuffle_idx, shuffle_xor
from flydsl_rocm.coop import rows
from flydsl_rocm.features import Feature
from flydsl_rocm.target import target_of

if TYPE_CHECKING:
    from flydsl.backend.cooperation import ReduceOptions
    from flydsl.backend.language import IntLike

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
    group = group_width(width)
    own: Any = element(value)
    operator = operator_of(op, own, identity)
    if not _moves(own, operator):
        return cooperation.warp_reduce(value, op, width=width, valid_items=valid_items, identity=identity)
    if valid_items is not None:
        own = chosen(lane_of(group) < Int32(valid_items), own, operator.identity)
    reduced: Any = _reduced(own, operator, group)
    return reduced  # type: ignore[no-any-return]


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
    group = group_width(width)
    own: Any = element(value)
    operator = operator_of(op, own, identity)
    if not _moves(own, operator):
        return cooperation.warp_scan_with_aggregate(
            value, op, width=width, init=init, valid_items=valid_items, identity=identity
        )
    scanned: Any = rows.scanned(operator, own, group)
    before: Any = rows.shifted(operator, scanned, group)
    threads = filled(group)
    if valid_items is None and threads is None:
        aggregate: Any = rows.last(scanned, group)
    else:
        aggregate = shuffle_idx(scanned, last_counted(valid_items, group, threads), group)
    return with_init(operator, scanned, init), exclusive_with_init(operator, before, init, group), aggregate


def _reduced(own: Numeric, operator: Operator[Numeric], group: int) -> Numeric:
    threads = filled(group)
    if threads is not None:
        return shuffle_idx(rows.scanned(operator, own, group), threads - 1, group)
    if group == rows.WAVE or not operator.commutative:
        return rows.last(rows.scanned(operator, own, group), group)
    for distance, move in zip((1, 2, 4, 8), rows.EXCHANGES, strict=True):
        if distance < group:
            own = operator.combine(own, rows.moved(own, own, move))
    if group > rows.ROW:
        own = operator.combine(own, shuffle_xor(own, 16, group))
    return own


def _moves(value: Element, operator: Operator[Element]) -> bool:
    """Whether rows of lanes can be moved for this value and operator on the target."""
    has_rows = Feature.ROW_BROADCASTS in target_of(current().target.arch).features
    return has_rows and isinstance(value, Numeric) and value.width == 32 and operator.identity is not None
