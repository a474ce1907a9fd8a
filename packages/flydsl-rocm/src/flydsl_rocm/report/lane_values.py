"""What registers hold in each lane of a block's first wave, as far as it follows from the numbers of the threads.

The listing is read once from its start to its end, as if every branch into a block were taken by all lanes. A value is
unknown when it depends on memory or arguments, or on an earlier iteration of a loop; one that a wave shares but that is
not known may be added to known ones: only the differences between lanes are kept then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from flydsl_rocm.report.instructions import Listed

_MASK = (1 << 32) - 1
_REGISTER = re.compile(r"([vs])(\d+)$|([vs])\[(\d+):(\d+)\]$")
_TABLE = re.compile(r" bitop3:(\w+)")
_TARGET = re.compile(r"<(L_\w+)>")


class Lanes(NamedTuple):
    """32 bits for each lane, all of them `moved` by the same unknown number or not."""

    values: tuple[int, ...]
    moved: bool = False


class LaneValues:
    """Follows the instructions of a kernel; `of` is what a vector register holds before the instruction at hand."""

    def __init__(self, body: Sequence[Listed], wave: int, block: tuple[int, int, int]) -> None:
        self._wave, self._body = wave, body
        x, y, _ = block
        threads = tuple(t % x | t // x % y << 10 | t // (x * y) << 20 for t in range(wave))
        self._vector: dict[int, Lanes] = {0: Lanes(threads)}
        self._scalar: dict[int, Lanes] = {}
        self._forgotten = dict(_loops(body))

    def walk(self) -> Iterator[Listed]:
        """The instructions, in order."""
        for index, one in enumerate(self._body):
            for end in self._forgotten.get(index, ()):
                for other in self._body[index : end + 1]:
                    self._forget(other)
            yield one
            self._execute(one)

    def of(self, register: str) -> Lanes | None:
        """The lanes of a vector register, None where they are unknown."""
        found = _REGISTER.fullmatch(register)
        return self._vector.get(int(found[2])) if found is not None and found[1] == "v" else None

    def _execute(self, one: Listed) -> None:
        halves = f"{one.name} {one.operands}".split(" :: ")
        made = [self._made(half) for half in halves]
        self._forget(one)
        for register, value in filter(None, made):
            if register[0] == "v":
                self._vector[int(register[1:])] = value
            else:
                self._scalar[int(register[1:])] = value

    def _made(self, text: str) -> tuple[str, Lanes] | None:
        """The register that an instruction writes, and what; None where that is unknown."""
        name, _, rest = text.strip().partition(" ")
        name = re.sub(r"_e(?:32|64)$", "", name).replace("v_dual_", "v_")
        table = _TABLE.search(rest)
        operands = [operand.strip() for operand in _TABLE.sub("", rest).split(",")]
        target = _REGISTER.fullmatch(operands[0])
        known = [one for one in map(self._operand, operands[1:]) if one is not None]
        if target is None or target[2] is None or len(known) < len(operands) - 1:
            return None
        if name == "v_readfirstlane_b32":
            found: Lanes | None = self._same(known[0].values[0], moved=known[0].moved)
        elif name in ("v_bitop2_b32", "v_bitop3_b32"):
            third = [self._same(0)] if len(known) == 2 else []
            found = _by_table(int(table[1], 0) if table is not None else 0)(*known, *third)
        else:
            function = _FUNCTIONS.get(name)
            found = None if function is None else function(*known)
        return None if found is None else (operands[0], found)

    def _operand(self, text: str) -> Lanes | None:
        found = _REGISTER.fullmatch(text)
        if found is not None and found[1] == "v":
            return self._vector.get(int(found[2]))
        if found is not None and found[1] == "s":
            return self._scalar.get(int(found[2])) or self._same(0, moved=True)
        try:
            return self._same(int(text, 0))
        except ValueError:
            return None

    def _same(self, value: int, *, moved: bool = False) -> Lanes:
        return Lanes((value & _MASK,) * self._wave, moved)

    def _forget(self, one: Listed) -> None:
        """What an instruction writes is unknown."""
        for half in f"{one.name} {one.operands}".split(" :: "):
            found = _REGISTER.fullmatch(half.strip().partition(" ")[2].split(",")[0].strip())
            if found is None:
                continue
            first = int(found[2] or found[4])
            known = self._vector if (found[1] or found[3]) == "v" else self._scalar
            for register in range(first, int(found[5] or first) + 1):
                known.pop(register, None)


def _loops(body: Sequence[Listed]) -> Iterator[tuple[int, list[int]]]:
    """Where a loop starts, and the jumps back to it."""
    labels = {one.label: index for index, one in enumerate(body) if one.label}
    ends: dict[int, list[int]] = {}
    for index, one in enumerate(body):
        target = _TARGET.search(one.operands)
        if target is not None and labels.get(target[1], index + 1) <= index:
            ends.setdefault(labels[target[1]], []).append(index)
    yield from ends.items()


def _sum(*operands: Lanes) -> Lanes:
    values = tuple(sum(lane) & _MASK for lane in zip(*(one.values for one in operands), strict=True))
    return Lanes(values, any(one.moved for one in operands))


def _exactly(function: Callable[..., int]) -> Callable[..., Lanes | None]:
    """A function of bits, which needs the numbers themselves."""

    def apply(*operands: Lanes) -> Lanes | None:
        if any(one.moved for one in operands):
            return None
        lanes = zip(*(one.values for one in operands), strict=True)
        return Lanes(tuple(function(*lane) & _MASK for lane in lanes))

    return apply


def _scaled(value: Lanes, factor: Lanes) -> Lanes | None:
    """A product; an unknown number stays one when the factor is the same in all lanes."""
    if factor.moved or len(set(factor.values)) > 1:
        value, factor = factor, value
    if factor.moved or (value.moved and len(set(factor.values)) > 1):
        return None
    return Lanes(tuple(a * b & _MASK for a, b in zip(value.values, factor.values, strict=True)), value.moved)


def _shifted(value: Lanes, count: Lanes) -> Lanes | None:
    powers = _exactly(lambda n: 1 << (n & 31))(count)
    return None if powers is None else _scaled(value, powers)


def _then(first: Callable[..., Lanes | None], second: Callable[..., Lanes | None]) -> Callable[..., Lanes | None]:
    def apply(a: Lanes, b: Lanes, c: Lanes) -> Lanes | None:
        between = first(a, b)
        return None if between is None else second(between, c)

    return apply


def _lower_lanes(mask: Lanes, before: Lanes) -> Lanes | None:
    """`v_mbcnt_lo` of a full mask counts the lanes before each, up to 32."""
    return _counted(mask, before, lambda lane: min(lane, 32))


def _upper_lanes(mask: Lanes, before: Lanes) -> Lanes | None:
    return _counted(mask, before, lambda lane: max(lane - 32, 0))


def _counted(mask: Lanes, before: Lanes, count: Callable[[int], int]) -> Lanes | None:
    if mask.moved or set(mask.values) != {_MASK}:
        return None
    return Lanes(tuple(count(lane) + base for lane, base in enumerate(before.values)), before.moved)


def _by_table(table: int) -> Callable[..., Lanes | None]:
    """Bits of three operands by a truth table of eight bits."""

    def function(a: int, b: int, c: int) -> int:
        rows = [row for row in range(8) if table >> row & 1]
        return sum((a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c) & _MASK for row in rows)

    return _exactly(function)


def _left_reversed(count: Lanes, value: Lanes) -> Lanes | None:
    return _shifted(value, count)


def _itself(value: Lanes) -> Lanes:
    return value


_OR, _AND, _XOR = _exactly(lambda a, b: a | b), _exactly(lambda a, b: a & b), _exactly(lambda a, b: a ^ b)
_RIGHT, _MINUS = _exactly(lambda value, count: value >> (count & 31)), _exactly(lambda a, b: a - b)
_FIELD = _exactly(lambda value, start, width: value >> (start & 31) & ((1 << (width & 31)) - 1))
_FUNCTIONS: Mapping[str, Callable[..., Lanes | None]] = {
    **dict.fromkeys(("v_mov_b32", "s_mov_b32", "s_movk_i32"), _itself),
    **dict.fromkeys(("v_add_u32", "v_add_nc_u32", "v_add3_u32", "s_add_i32", "s_add_u32"), _sum),
    **dict.fromkeys(("v_sub_u32", "v_sub_nc_u32", "s_sub_i32"), _MINUS),
    **dict.fromkeys(("v_subrev_u32", "v_subrev_nc_u32"), _exactly(lambda a, b: b - a)),
    **dict.fromkeys(("v_mul_u32_u24", "v_mul_i32_i24", "v_mul_lo_u32", "s_mul_i32"), _scaled),
    **dict.fromkeys(("v_mad_u32_u24", "v_mad_i32_i24", "v_mad_u32"), _then(_scaled, _sum)),
    **dict.fromkeys(("v_and_b32", "s_and_b32"), _AND),
    **dict.fromkeys(("v_or_b32", "s_or_b32"), _OR),
    **dict.fromkeys(("v_xor_b32", "s_xor_b32"), _XOR),
    "v_lshlrev_b32": _left_reversed,
    "s_lshl_b32": _shifted,
    "v_lshrrev_b32": _exactly(lambda count, value: value >> (count & 31)),
    "s_lshr_b32": _RIGHT,
    "v_lshl_add_u32": _then(_shifted, _sum),
    "v_add_lshl_u32": _then(_sum, _shifted),
    "v_lshl_or_b32": _then(_shifted, _OR),
    "v_and_or_b32": _then(_AND, _OR),
    "v_or3_b32": _then(_OR, _OR),
    "v_xad_u32": _then(_XOR, _sum),
    "v_bfe_u32": _FIELD,
    "v_mbcnt_lo_u32_b32": _lower_lanes,
    "v_mbcnt_hi_u32_b32": _upper_lanes,
}
