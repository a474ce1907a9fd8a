"""Every name that kernels written elsewhere may rely on can be imported."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

NAMES = Path(__file__).with_name("stable_names.txt").read_text().split()
SUMS = {
    "": "warp_sum warp_max warp_min warp_inclusive_sum warp_exclusive_sum warp_head_segmented_sum "
    "warp_tail_segmented_sum warp_sum_batched warp_sum_batched_to_blocked warp_sum_batched_to_striped",
    "WarpReduce": "sum max min head_segmented_sum tail_segmented_sum",
    "WarpReduceBatched": "sum sum_to_blocked sum_to_striped",
    "WarpScan": "inclusive_sum exclusive_sum",
    "BlockReduce": "sum",
    "BlockScan": "inclusive_sum exclusive_sum inclusive_sum_with_aggregate exclusive_sum_with_aggregate",
    "BlockRadixSort": "sort_descending sort_blocked_to_striped sort_descending_blocked_to_striped",
}


def resolved(name: str) -> Any:
    """What the dotted name is: the longest part of it that is a module, and attributes of that."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: Any = import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


def is_missing(name: str) -> bool:
    try:
        return resolved(name) is None
    except (ImportError, AttributeError):
        return True


def test_all_of_them_are_there() -> None:
    assert len(NAMES) == 501
    assert [name for name in NAMES if is_missing(name)] == []


@pytest.mark.parametrize("module", ["flydsl.expr.coop", "flydsl.expr.coop.universal"])
def test_shorthands_are_there(module: str) -> None:
    coop = resolved(module)
    missing = {
        f"{owner}.{name}"
        for owner, names in SUMS.items()
        for name in names.split()
        if not hasattr(getattr(coop, owner) if owner else coop, name)
    }
    assert missing == set()
