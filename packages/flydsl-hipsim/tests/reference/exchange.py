"""Names of instructions that exchange registers or permute lanes of rows in, functions and random ones out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from .chips import Chip
from .cross_lane import active, made
from .draw import sgpr, vgpr
from .instruction import Instruction, Operand

if TYPE_CHECKING:
    from .machine import Expected, Wave

M16 = 0xFFFF


def swapped(wave: Wave, i: Instruction) -> Expected:
    """Two registers, or halves of them."""
    first, second = i.targets
    results: tuple[dict[int, int], dict[int, int]] = {}, {}
    for lane in active(wave):
        old = [wave.v[o.index][lane] for o in (first, second)]
        if first.half is None:
            results[0][lane], results[1][lane] = old[1], old[0]
            continue
        parts = [value >> 16 * int(o.half or 0) & M16 for value, o in zip(old, (first, second), strict=True)]
        for result, value, part, o in zip(results, old, parts[::-1], (first, second), strict=True):
            shift = 16 * int(o.half or 0)
            result[lane] = value & ~(M16 << shift) | part << shift
    expected = made(results[0])
    expected.second = made(results[1])
    return expected


def in_rows(wave: Wave, i: Instruction, row_of: int, chosen: Callable[[int], int]) -> Expected:
    """A lane of this row of 16, or of the other one of two (`row_of` 16)."""
    invalid_read, bound = i.selectors["op_sel"]
    result = {}
    for lane in active(wave):
        source = (lane & ~15 ^ row_of) | chosen(lane)
        if wave.exec >> source & 1 or invalid_read:
            result[lane] = wave.v[i.sources[0].index][source]
        elif bound:
            result[lane] = 0
    return made(result)


def by_scalars(wave: Wave, i: Instruction) -> Expected:
    """Four bits for each lane of a row, in two scalars."""
    selectors = wave.read(i.sources[1]) | wave.read(i.sources[2]) << 32
    return in_rows(wave, i, 16 if "x16" in i.name else 0, lambda lane: selectors >> 4 * (lane & 15) & 15)


def by_lanes(wave: Wave, i: Instruction) -> Expected:
    """Four bits of each lane's own register."""
    row = 16 if "x16" in i.name else 0
    return in_rows(wave, i, row, lambda lane: wave.v[i.sources[1].index][lane] & 15)


def halves_exchanged(wave: Wave, i: Instruction) -> Expected:
    """v_permlane64_b32: the other half of a wave of 64; nothing in a wave of 32."""
    if wave.chip.lanes == 32:
        return made()
    return made({lane: wave.v[i.sources[0].index][lane ^ 32] for lane in active(wave)})


def rows_swapped(wave: Wave, i: Instruction) -> Expected:
    """Odd rows (or halves) of the first register with even ones of the second."""
    size = 16 if "16" in i.name else 32
    first, second = (dict(enumerate(wave.v[o.index])) for o in i.targets)
    for lane in range(wave.chip.lanes):
        if lane & size:
            first[lane], second[lane - size] = second[lane - size], first[lane]
    expected = made(first)
    expected.second = made(second)
    return expected


EXCHANGES: dict[str, Callable[[Wave, Instruction], Expected]] = {
    "v_swap_b32": swapped,
    "v_swap_b16": swapped,
    "v_permlane16_b32": by_scalars,
    "v_permlanex16_b32": by_scalars,
    "v_permlane16_var_b32": by_lanes,
    "v_permlanex16_var_b32": by_lanes,
    "v_permlane64_b32": halves_exchanged,
    "v_permlane16_swap_b32": rows_swapped,
    "v_permlane32_swap_b32": rows_swapped,
}


def exchange_instruction(random: Random, name: str, chip: Chip) -> Instruction:
    first = vgpr(random, 1, True)
    second = replace(first, index=(first.index + random.randrange(1, 32)) % 32)
    if "swap" in name:
        if name.endswith("b16"):
            first, second = (replace(o, half=random.randrange(2)) for o in (first, second))
        every = "s_mov_b64 exec, -1" if chip.lanes == 64 else "s_mov_b32 exec_lo, -1"
        before = every if "permlane" in name else ""
        return Instruction(name, "exchange", (first, second), (), before=before)
    source = vgpr(random)
    if name == "v_permlane64_b32":
        return Instruction(name, "exchange", (first,), (source,))
    bits = (random.randrange(2), random.randrange(2))
    chosen: tuple[Operand, ...] = (vgpr(random),) if "var" in name else (sgpr(random, 1, True), sgpr(random, 1, True))
    return Instruction(name, "exchange", (first,), (source, *chosen), selectors={"op_sel": bits})
