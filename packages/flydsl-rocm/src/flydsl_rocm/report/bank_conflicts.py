"""Predicted conflicts of LDS banks: from addresses that follow from the numbers of the threads.

An access is served in passes of as many consecutive lanes as ask for one word of every bank; a pass takes as long as
its busiest bank has different words. That is how `flydsl_hipsim` counts what it executes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from flydsl_rocm.report.instructions import Listed, access_of
from flydsl_rocm.report.lane_values import Lanes, LaneValues

_OFFSET = re.compile(r"\boffset(\d?):(\d+)")
_STRIDE_64 = re.compile(r"st64|stride64")


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Of one pass through a kernel: instructions whose addresses are `known` or not, and passes beyond the least."""

    known: int
    unknown: int
    conflicts: int


def predicted_conflicts(body: Sequence[Listed], wave: int, block: tuple[int, int, int], banks: int) -> Conflicts:
    """Of the LDS instructions of a kernel, each executed once by all lanes of the first wave."""
    values, known, unknown, conflicts = LaneValues(body, wave, block), 0, 0, 0
    for one in values.walk():
        access = access_of(one.name)
        if access is None or not access[0].startswith("LDS"):
            continue
        operands = [operand.strip().split(" ")[0] for operand in one.operands.split(",")]
        address = values.of(operands[0 if access[0] == "LDS store" else 1])
        if address is None:
            unknown += 1
        else:
            known += 1
            conflicts += conflicts_of(address, one, access[1], banks)
    return Conflicts(known, unknown, conflicts)


def conflicts_of(address: Lanes, one: Listed, bits: int, banks: int) -> int:
    """Of one instruction that moves so many bits for each lane."""
    numbers = {number: int(value) for number, value in _OFFSET.findall(one.operands)}
    is_pair = re.search(r"(?:read|write|load|store)_?2", one.name) is not None
    size = bits // 8 // (2 if is_pair else 1)
    unit = size * (64 if _STRIDE_64.search(one.name) else 1)
    offsets = [unit * numbers.get(key, 0) for key in "01"] if is_pair else [numbers.get("", 0)]
    words, asked, found = set[int](), 0, 0
    for lane in address.values:
        for offset in offsets:
            first = lane + offset
            words.update(range(first // 4, (first + size - 1) // 4 + 1))
            asked += max(4, size)
            if asked >= 4 * banks:
                found += _busiest(words, banks) - 1
                words, asked = set(), 0
    return found + (_busiest(words, banks) - 1 if words else 0)


def _busiest(words: set[int], banks: int) -> int:
    counts: dict[int, int] = {}
    for word in words:
        counts[word % banks] = counts.get(word % banks, 0) + 1
    return max(counts.values())
