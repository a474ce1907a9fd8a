"""An instruction's selectors and a register's bits in, the bits that its function sees out; and results back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .floats import F16, F32, NAN
from .instruction import Instruction, Operand

M16, M32 = 0xFFFF, 0xFFFFFFFF
MOVED = ("dpp", "dpp8", "e64_dpp", "e64_dpp8")
"""Forms whose first source comes from other lanes."""


@dataclass(frozen=True, slots=True)
class Half:
    """A result of 16 bits, or fewer, at a place among other bits."""

    value: Any
    shift: int
    others: int
    bits: int = 16


def placed_sdwa(i: Instruction, value: Any, old: int) -> Any:
    """The value's low bits in a byte or a word of the destination, the rest zero, sign or as it was."""
    kind, _, place = str(i.fields["dst_sel"]).partition("_")
    bits = 8 if kind == "BYTE" else 16
    shift, field_mask = bits * int(place), (1 << bits) - 1
    rest = 0
    if i.fields["dst_unused"] == "UNUSED_PRESERVE":
        rest = old & ~(field_mask << shift)
    elif i.fields["dst_unused"] == "UNUSED_SEXT" and isinstance(value, int) and value >> bits - 1 & 1:
        rest = M32 << shift + bits & M32
    return Half(value & field_mask, shift, rest, bits) if isinstance(value, int) else Half(value, shift, rest)


def cut(value: int, selector: str, extended: bool) -> int:
    """A byte or a word of a source, by SDWA's selector."""
    if selector == "DWORD":
        return value
    kind, _, place = selector.partition("_")
    bits = 8 if kind == "BYTE" else 16
    part = value >> bits * int(place) & (1 << bits) - 1
    return (part - (1 << bits)) & M32 if extended and part >> bits - 1 else part


def _bit(i: Instruction, name: str, k: int, default: int = 0) -> int:
    bits = i.selectors.get(name)
    return bits[k] if bits else default


def halves(i: Instruction, k: int, value: int) -> int:
    """Of a packed instruction of 16 bits."""
    low = value >> 16 * _bit(i, "op_sel", k) & M16
    high = value >> 16 * _bit(i, "op_sel_hi", k, 1) & M16
    return (low ^ _bit(i, "neg_lo", k) << 15) | (high ^ _bit(i, "neg_hi", k) << 15) << 16


def words(i: Instruction, k: int, value: int) -> int:
    """Of a packed instruction of 32 bits."""
    low = value >> 32 * _bit(i, "op_sel", k) & M32
    high = value >> 32 * _bit(i, "op_sel_hi", k, 1) & M32
    return (low ^ _bit(i, "neg_lo", k) << 31) | (high ^ _bit(i, "neg_hi", k) << 31) << 32


def mixed(i: Instruction, k: int, value: int, operand: Operand) -> int:
    """An f32, or a half that becomes one."""
    if _bit(i, "op_sel_hi", k):
        half = value >> 16 * _bit(i, "op_sel", k) & M16
        wide = F16.converted(half, F32)
        value = int(wide) if wide is not NAN else (half & 0x8000) << 16 | 0x7FC00000
    value = value & 0x7FFFFFFF if operand.absolute else value
    return value ^ 0x80000000 if operand.negative else value


def dpp_source(control: str, lane: int) -> int | None:
    """Which lane is read; None when there is none."""
    row, place = lane // 16 * 16, lane % 16
    name, _, number = control.partition(":")
    if name == "quad_perm":
        return lane // 4 * 4 + int(number.strip("[]").split(",")[lane % 4])
    if name == "dpp8":
        return lane // 8 * 8 + int(number.strip("[]").split(",")[lane % 8])
    n = int(number or 0)
    match name:
        case "row_shl":
            return lane + n if place + n < 16 else None
        case "row_shr":
            return lane - n if place >= n else None
        case "row_ror":
            return row + (place - n) % 16
        case "row_newbcast" | "row_share":
            return row + n
        case "row_xmask":
            return row + (place ^ n)
        case "row_mirror":
            return row + 15 - place
        case "row_half_mirror":
            return lane // 8 * 8 + 7 - lane % 8
        case "wave_shl":
            return lane + 1 if lane < 63 else None
        case "wave_shr":
            return lane - 1 if lane else None
        case "wave_rol":
            return (lane + 1) % 64
        case "wave_ror":
            return (lane - 1) % 64
        case "row_bcast":
            return (row - 1 if n == 15 else 31) if lane > n else None
    raise ValueError(control)
