"""Sums, least and greatest values of warps: the functions of `fx.coop` with their operation in the name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.extension.coop import warp
from flydsl.extension.coop.operators import Element
from flydsl.extension.coop.warp import segments

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import ScalarLike
    from flydsl.extension.coop.operators import ReduceOptions, WarpFunctions

__all__ = [
    "warp_exclusive_sum",
    "warp_head_segmented_sum",
    "warp_inclusive_sum",
    "warp_max",
    "warp_min",
    "warp_sum",
    "warp_sum_batched",
    "warp_sum_batched_to_blocked",
    "warp_sum_batched_to_striped",
    "warp_tail_segmented_sum",
]


def warp_sum(
    value: Element, *, width: int | None = None, functions: WarpFunctions = warp, **options: Unpack[ReduceOptions]
) -> Element:
    """`warp_reduce` with ADD. `functions` has the reduction."""
    return functions.warp_reduce(value, ReductionOp.ADD, width=width, **options)


def warp_max(
    value: Element, *, width: int | None = None, functions: WarpFunctions = warp, **options: Unpack[ReduceOptions]
) -> Element:
    """`warp_reduce` with MAX."""
    return functions.warp_reduce(value, ReductionOp.MAX, width=width, **options)


def warp_min(
    value: Element, *, width: int | None = None, functions: WarpFunctions = warp, **options: Unpack[ReduceOptions]
) -> Element:
    """`warp_reduce` with MIN."""
    return functions.warp_reduce(value, ReductionOp.MIN, width=width, **options)


def warp_inclusive_sum(
    value: Element,
    *,
    width: int | None = None,
    init: object = None,
    functions: WarpFunctions = warp,
    **options: Unpack[ReduceOptions],
) -> Element:
    """`warp_inclusive_scan` with ADD."""
    return functions.warp_inclusive_scan(value, ReductionOp.ADD, width=width, init=init, **options)


def warp_exclusive_sum(
    value: Element,
    *,
    width: int | None = None,
    init: object = None,
    functions: WarpFunctions = warp,
    **options: Unpack[ReduceOptions],
) -> Element:
    """`warp_exclusive_scan` with ADD."""
    return functions.warp_exclusive_scan(value, ReductionOp.ADD, width=width, init=init, **options)


def warp_head_segmented_sum(value: Element, head_flag: ScalarLike, *, width: int | None = None) -> Element:
    """`warp_head_segmented_reduce` with ADD."""
    return segments.warp_head_segmented_reduce(value, head_flag, ReductionOp.ADD, width=width)


def warp_tail_segmented_sum(value: Element, tail_flag: ScalarLike, *, width: int | None = None) -> Element:
    """`warp_tail_segmented_reduce` with ADD."""
    return segments.warp_tail_segmented_reduce(value, tail_flag, ReductionOp.ADD, width=width)


def warp_sum_batched(
    values: Sequence[Element],
    *,
    width: int | None = None,
    sync_physical_warp: bool = False,
    functions: WarpFunctions = warp,
) -> Element:
    """`warp_reduce_batched` with ADD; the lanes of a group are in step whatever `sync_physical_warp` says."""
    return segments.warp_reduce_batched(values, ReductionOp.ADD, width=width, functions=functions)


def warp_sum_batched_to_blocked(
    values: Sequence[Element],
    *,
    width: int | None = None,
    sync_physical_warp: bool = False,
    functions: WarpFunctions = warp,
) -> Any:
    """`warp_reduce_batched_to_blocked` with ADD."""
    return segments.warp_reduce_batched_to_blocked(values, ReductionOp.ADD, width=width, functions=functions)


def warp_sum_batched_to_striped(
    values: Sequence[Element],
    *,
    width: int | None = None,
    sync_physical_warp: bool = False,
    functions: WarpFunctions = warp,
) -> Any:
    """`warp_reduce_batched_to_striped` with ADD."""
    return segments.warp_reduce_batched_to_striped(values, ReductionOp.ADD, width=width, functions=functions)
