"""Names of instructions that move values between lanes in, functions of a wave out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .instruction import Instruction
    from .machine import Expected, Wave


def active(wave: Wave) -> list[int]:
    return [lane for lane in range(wave.chip.lanes) if wave.exec >> lane & 1]


def made(lanes: dict[int, int] | None = None, **scalars: int) -> Expected:
    from .machine import Expected

    return Expected("u", lanes or {}, scalars)


def first_lane(wave: Wave, i: Instruction) -> Expected:
    lane = (active(wave) or [0])[0]
    return made(sdst=wave.v[i.sources[0].index][lane])


def lane_index(wave: Wave, i: Instruction) -> int:
    return wave.read(i.sources[1]) & wave.chip.lanes - 1


def read_lane(wave: Wave, i: Instruction) -> Expected:
    return made(sdst=wave.v[i.sources[0].index][lane_index(wave, i)])


def write_lane(wave: Wave, i: Instruction) -> Expected:
    return made({lane_index(wave, i): wave.read(i.sources[0])})


def vector(wave: Wave, i: Instruction, k: int, lane: int) -> int:
    operand = i.sources[k]
    return wave.v[operand.index][lane] if operand.kind == "v" else wave.read(operand)


def count_low(wave: Wave, i: Instruction) -> Expected:
    def lane_count(lane: int) -> int:
        below = vector(wave, i, 0, lane) & (1 << min(lane, 32)) - 1
        return below.bit_count() + vector(wave, i, 1, lane) & 0xFFFFFFFF

    return made({lane: lane_count(lane) for lane in active(wave)})


def count_high(wave: Wave, i: Instruction) -> Expected:
    def lane_count(lane: int) -> int:
        below = vector(wave, i, 0, lane) & (1 << max(lane - 32, 0)) - 1
        return below.bit_count() + vector(wave, i, 1, lane) & 0xFFFFFFFF

    return made({lane: lane_count(lane) for lane in active(wave)})


def chosen(wave: Wave, i: Instruction, lane: int) -> int:
    """By the address; RDNA 3's guide: modulo 32 in waves of 64 too, so in the lane's own half."""
    number = (vector(wave, i, 0, lane) + int(i.fields.get("offset", 0))) // 4
    return lane & 32 | number % 32 if wave.chip.generation == 11 else number % wave.chip.lanes


def pull(wave: Wave, i: Instruction) -> Expected:
    """ds_bpermute_b32: lanes that are off give 0."""
    result = {}
    for lane in active(wave):
        source = chosen(wave, i, lane)
        result[lane] = wave.v[i.sources[1].index][source] if wave.exec >> source & 1 else 0
    return made(result)


def push(wave: Wave, i: Instruction) -> Expected:
    """ds_permute_b32: the highest lane wins."""
    result = dict.fromkeys(active(wave), 0)
    for lane in active(wave):
        to = chosen(wave, i, lane)
        if to in result:
            result[to] = wave.v[i.sources[1].index][lane]
    return made(result)


def swizzled(offset: int, lane: int) -> int:
    """Which lane is read: by an FFT's order, rotated, in groups of four, or by masks."""
    row, place = lane & 32, lane & 31
    if offset >= 0xE000:
        mask = offset & 31
        return row | int(f"{place:05b}"[::-1], 2) >> mask.bit_count() | place & mask
    if offset >= 0xC000:
        by, mask = offset >> 5 & 31, offset & 31
        return row | place & mask | (place + (-by if offset >> 10 & 1 else by)) & ~mask & 31
    if offset & 0x8000:
        return lane // 4 * 4 + (offset >> 2 * (lane % 4) & 3)
    return row | ((place & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31)


def swizzle(wave: Wave, i: Instruction) -> Expected:
    result = {}
    for lane in active(wave):
        source = swizzled(int(i.fields["offset"]), lane)
        result[lane] = wave.v[i.sources[0].index][source] if wave.exec >> source & 1 else 0
    return made(result)


LANE_MOVES: dict[str, Callable[[Wave, Instruction], Expected]] = {
    "v_readfirstlane_b32": first_lane,
    "v_readlane_b32": read_lane,
    "v_writelane_b32": write_lane,
    "v_mbcnt_lo_u32_b32": count_low,
    "v_mbcnt_hi_u32_b32": count_high,
    "ds_bpermute_b32": pull,
    "ds_permute_b32": push,
    "ds_swizzle_b32": swizzle,
}
