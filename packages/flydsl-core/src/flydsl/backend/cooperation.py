"""Functions of waves in a target's own instructions: elements, operators, lanes, and the general algorithms.

The field `warp_functions` of a manifest names such functions; what a target cannot do better, it leaves to those here.
"""

from __future__ import annotations

from flydsl.extension.coop.elements import chosen, element
from flydsl.extension.coop.operators import Element, Operator, ReduceOptions, operator_of
from flydsl.extension.coop.warp.lanes import filled, group_width, lane_of, last_counted
from flydsl.extension.coop.warp.shuffles import (
    exclusive_with_init,
    warp_exclusive_scan,
    warp_inclusive_scan,
    warp_reduce,
    warp_scan,
    warp_scan_with_aggregate,
    with_init,
)

__all__ = [
    "Element",
    "Operator",
    "ReduceOptions",
    "chosen",
    "element",
    "exclusive_with_init",
    "filled",
    "group_width",
    "lane_of",
    "last_counted",
    "operator_of",
    "warp_exclusive_scan",
    "warp_inclusive_scan",
    "warp_reduce",
    "warp_scan",
    "warp_scan_with_aggregate",
    "with_init",
]
