"""Reductions and scans of warps: the functions that the target's backend declares, else those made of shuffles."""

from __future__ import annotations

from typing import Any, Unpack

from flydsl.base.location import mark_as_library
from flydsl.expr.tracing.context import current, is_interpreted
from flydsl.extension.coop.operators import Element, ReduceOptions, summed
from flydsl.extension.coop.warp import shuffles
from flydsl.plugins.active.selection import plugin_word, warp_functions

__all__ = ["warp_exclusive_scan", "warp_inclusive_scan", "warp_reduce", "warp_scan", "warp_scan_with_aggregate"]


def warp_reduce(value: Element, op: object, *, width: int | None = None, **options: Unpack[ReduceOptions]) -> Element:
    """The values of the lanes of a group combined, in every lane.

    `op` is a `fx.ReductionOp`, or a function of two values: then the order of lanes is kept, unless its attribute
    `commutative` is True. The groups are of `width` lanes, a power of two; by default the group is the warp. All
    lanes of a group take part; with the option `valid_items` only that many first ones count. The option `identity` is
    that of `op`. The sum of Booleans is their number, an Int32.
    """
    result: Element = _function("warp_reduce")(summed(op, value), op, width=width, **options)
    return result


def warp_inclusive_scan(
    value: Element, op: object, *, width: int | None = None, init: object = None, **options: Unpack[ReduceOptions]
) -> Element:
    """The values of the lanes of a group up to this one combined in order, behind `init`."""
    result: Element = _function("warp_inclusive_scan")(summed(op, value), op, width=width, init=init, **options)
    return result


def warp_exclusive_scan(
    value: Element, op: object, *, width: int | None = None, init: object = None, **options: Unpack[ReduceOptions]
) -> Element:
    """The values of the lanes of a group before this one combined in order, behind `init`.

    The first lane has `init`, else the identity of `op`.
    """
    result: Element = _function("warp_exclusive_scan")(summed(op, value), op, width=width, init=init, **options)
    return result


def warp_scan(
    value: Element, op: object, *, width: int | None = None, init: object = None, **options: Unpack[ReduceOptions]
) -> tuple[Element, Element]:
    """The inclusive and the exclusive scan."""
    both: tuple[Element, Element] = _function("warp_scan")(summed(op, value), op, width=width, init=init, **options)
    return both


def warp_scan_with_aggregate(
    value: Element, op: object, *, width: int | None = None, init: object = None, **options: Unpack[ReduceOptions]
) -> tuple[Element, Element, Element]:
    """The inclusive and the exclusive scan, and all values of the group combined, without `init`, in every lane."""
    scan = _function("warp_scan_with_aggregate")
    three: tuple[Element, Element, Element] = scan(summed(op, value), op, width=width, init=init, **options)
    return three


def _function(name: str) -> Any:
    if is_interpreted():
        return getattr(shuffles, name)  # the interpreter has no instructions of a target
    declared = warp_functions(current().target.backend)
    file = getattr(declared, "__file__", None)
    if file:
        mark_as_library(file)  # errors show the line of the user, not one of the plugin
    return getattr(declared, name, None) or getattr(shuffles, name)


def __getattr__(name: str) -> Any:
    """A plugin's own functions, such as `fx.coop.warp.acme`."""
    return plugin_word(__name__, name)
