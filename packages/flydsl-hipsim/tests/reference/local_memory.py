"""An LDS instruction and a wave in, what must be in registers afterwards out; lanes act in their order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .atomics import ATOMICS
from .cross_lane import active, made
from .transfers import LOADS, STORES

if TYPE_CHECKING:
    from .instruction import Instruction
    from .machine import Expected, Wave

_PREFIXES = {"ds_read_": LOADS, "ds_load_": LOADS, "ds_write_": STORES, "ds_store_": STORES}
TWO_ADDRESSES = {
    f"ds_{word}_{bits}": (kind, int(bits[1:]) // 8, (64 if "64" in word else 1) * int(bits[1:]) // 8)
    for kind, words in (
        ("load", ("read2", "read2st64", "load_2addr", "load_2addr_stride64")),
        ("store", ("write2", "write2st64", "store_2addr", "store_2addr_stride64")),
        ("swap", ("wrxchg2_rtn", "wrxchg2st64_rtn", "storexchg_2addr_rtn", "storexchg_2addr_stride64_rtn")),
    )
    for word in words
    for bits in ("b32", "b64")
}
"""What is done, bytes of each value, bytes that a unit of an offset stands for."""
BY_THREAD = ("ds_read_addtid_b32", "ds_write_addtid_b32", "ds_load_addtid_b32", "ds_store_addtid_b32")
TRANSPOSED = {"ds_read_b64_tr_b4": 4, "ds_read_b64_tr_b8": 8, "ds_read_b64_tr_b16": 16, "ds_read_b96_tr_b6": 6}


def local_names() -> list[str]:
    """All of them, without `_rtn` where it can be there or not."""
    names = [prefix + name for prefix, table in _PREFIXES.items() for name in table]
    names += [f"ds_{name}" for name in ATOMICS] + list(TWO_ADDRESSES) + list(TRANSPOSED)
    return [*names, "ds_wrap_rtn_b32", "ds_append", "ds_consume", *BY_THREAD]


def value_of(wave: Wave, register: int, lane: int, size: int) -> int:
    words = sum(wave.v[register + k][lane] << 32 * k for k in range((size + 3) // 4))
    return words & (1 << 8 * size) - 1


def local(wave: Wave, i: Instruction) -> Expected:
    """The handler of a name."""
    if i.name in TWO_ADDRESSES:
        return two_addresses(wave, i)
    if i.name in TRANSPOSED:
        return transposed(wave, i)
    if i.name in ("ds_append", "ds_consume"):
        return counted(wave, i)
    if i.name.endswith("addtid_b32"):
        return by_thread(wave, i)
    for prefix, table in _PREFIXES.items():
        name = i.name.removeprefix(prefix)
        if name != i.name and name in table:
            return load(wave, i, name) if table is LOADS else store(wave, i, name)
    return update(wave, i)


def address(wave: Wave, i: Instruction, lane: int) -> int:
    return wave.v[i.sources[0].index][lane] + int(i.fields.get("offset", 0))


def load(wave: Wave, i: Instruction, name: str) -> Expected:
    how, result = LOADS[name], {}
    for lane in active(wave):
        at = address(wave, i, lane)
        result[lane] = how.loaded(wave.lds[at : at + how.size], wave.v[i.targets[0].index][lane])
    return made(result)


def store(wave: Wave, i: Instruction, name: str) -> Expected:
    how = STORES[name]
    for lane in active(wave):
        at = address(wave, i, lane)
        wave.lds[at : at + how.size] = how.stored(value_of(wave, i.sources[1].index, lane, 4 * how.words))
    return made()


def update(wave: Wave, i: Instruction) -> Expected:
    size, function = ATOMICS[re.sub("_rtn", "", i.name.removeprefix("ds_"))]
    result = {}
    for lane in active(wave):
        at = address(wave, i, lane)
        old = int.from_bytes(wave.lds[at : at + size], "little")
        values = [value_of(wave, o.index, lane, size) for o in i.sources[1:]]
        new = function(old, *values) & (1 << 8 * size) - 1
        wave.lds[at : at + size] = new.to_bytes(size, "little")
        result[lane] = old
    return made(result if i.targets else {})


def two_addresses(wave: Wave, i: Instruction) -> Expected:
    kind, size, unit = TWO_ADDRESSES[i.name]
    result = {}
    for lane in active(wave):
        base = wave.v[i.sources[0].index][lane]
        places = [base + unit * int(i.fields[name]) for name in ("offset0", "offset1")]
        if kind != "store":
            found = [int.from_bytes(wave.lds[at : at + size], "little") for at in places]
            result[lane] = found[0] | found[1] << 8 * size
        if kind != "load":
            for at, o in zip(places, i.sources[1:], strict=True):
                wave.lds[at : at + size] = value_of(wave, o.index, lane, size).to_bytes(size, "little")
    return made(result)


def counted(wave: Wave, i: Instruction) -> Expected:
    """A counter at M0 (as LLVM sets it) and the offset, by how many lanes are on; all get what it was."""
    at = (wave.m0 & 0xFFFF) + int(i.fields.get("offset", 0))
    old = int.from_bytes(wave.lds[at : at + 4], "little")
    lanes = active(wave)
    by = len(lanes) if i.name == "ds_append" else -len(lanes)
    wave.lds[at : at + 4] = (old + by & 0xFFFFFFFF).to_bytes(4, "little")
    return made(dict.fromkeys(lanes, old))


def by_thread(wave: Wave, i: Instruction) -> Expected:
    """At M0's lower half, the offset and four times the lane."""
    result = {}
    for lane in active(wave):
        at = (wave.m0 & 0xFFFF) + int(i.fields.get("offset", 0)) + 4 * lane
        if i.targets:
            result[lane] = int.from_bytes(wave.lds[at : at + 4], "little")
        else:
            wave.lds[at : at + 4] = wave.v[i.sources[0].index][lane].to_bytes(4, "little")
    return made(result)


def transposed(wave: Wave, i: Instruction) -> Expected:
    """Of 16 lanes: each row of 16 elements is what some lanes read one after the other, a lane gets a column."""
    bits = TRANSPOSED[i.name]
    size = 12 if bits == 6 else 8
    each = 8 * size // bits  # elements of a lane
    result = {}
    for lane in range(wave.chip.lanes):
        row, place, value = lane // 16 * 16, lane % 16, 0
        for k in range(each):
            at = address(wave, i, row + k * 16 // each + place // each)
            data = int.from_bytes(wave.lds[at : at + size], "little")
            value |= (data >> bits * (place % each) & (1 << bits) - 1) << bits * k
        result[lane] = value
    return made(result)
