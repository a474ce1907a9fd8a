"""Moves between the lanes of waves of 64, by row of 16 lanes, as operands of instructions (DPP on CDNA).

A lane whose source is outside of its row, or that a mask leaves out, has `otherwise`.
"""

from __future__ import annotations

from typing import Any

from flydsl.backend.cooperation import Operator, chosen, lane_of
from flydsl.expr import Numeric, lane_id, rocdl

ROW, WAVE = 16, 64
_ALL = 15
_ROW_SHR, _WAVE_SHR_1, _MIRROR, _HALF_MIRROR, _BCAST_15, _BCAST_31 = 0x110, 0x138, 0x140, 0x141, 0x142, 0x143
_LAST_OF_PAIR, _LAST_OF_QUAD = 0b11110101, 0b11111111
EXCHANGES = (0b10110001, 0b01001110, _HALF_MIRROR, _MIRROR)
"""Exchanges of lanes by 1 and by 2, of the halves of 8 lanes and of 16, where those of a half have one value."""


def moved(otherwise: Numeric, value: Numeric, control: int, rows: int = _ALL, banks: int = _ALL) -> Numeric:
    """`value` of another lane, in the `rows` and `banks` of 4 lanes of each row that the masks name."""
    result: Numeric = rocdl.update_dpp(otherwise, value, control, rows, banks, False)
    return result


def scanned(operator: Operator[Numeric], value: Numeric, group: int) -> Numeric:
    """An inclusive scan in groups."""
    distance = 1
    nothing: Any = operator.identity
    while distance < min(group, ROW):
        joint = operator.combine(moved(nothing, value, _ROW_SHR + distance), value)
        value = joint if group >= ROW else chosen(lane_of(group) >= distance, joint, value)
        distance *= 2
    if group > ROW:
        value = operator.combine(moved(nothing, value, _BCAST_15, rows=0b1010), value)
    if group == WAVE:
        value = operator.combine(moved(nothing, value, _BCAST_31, rows=0b1100), value)
    return value


def shifted(operator: Operator[Numeric], scan: Numeric, group: int) -> Numeric:
    """What the lane before has, the identity in the first lane of a group."""
    nothing: Any = operator.identity
    before = moved(nothing, scan, _WAVE_SHR_1 if group > ROW else _ROW_SHR + 1)
    return before if group in (ROW, WAVE) else chosen(lane_of(group) == 0, nothing, before)


def last(value: Numeric, group: int) -> Numeric:
    """The value of the last lane of each group, in all of its lanes."""
    if group > ROW:
        upper: Numeric = rocdl.readlane(value, WAVE - 1)
        return upper if group == WAVE else chosen(lane_id() < group, rocdl.readlane(value, group - 1), upper)
    if group == 1:
        return value
    value = moved(value, value, _LAST_OF_PAIR if group == 2 else _LAST_OF_QUAD)
    if group > 4:
        value = moved(value, value, _HALF_MIRROR, banks=0b0101)
    return moved(value, value, _MIRROR, banks=0b0011) if group == ROW else value
