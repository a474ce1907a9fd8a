"""Names of LDS instructions in, functions of a wave out; lanes act in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .cross_lane import active, made
from .integers import signed

if TYPE_CHECKING:
    from .instruction import Instruction
    from .machine import Expected, Wave

__all__ = ["LOCAL"]

Handler = Callable[["Wave", "Instruction"], "Expected"]


def value_of(wave: Wave, register: int, lane: int, size: int) -> int:
    words = sum(wave.v[register + k][lane] << 32 * k for k in range((size + 3) // 4))
    return words & (1 << 8 * size) - 1


def load(size: int, is_signed: bool = False, half: str = "") -> Handler:
    def run(wave: Wave, i: Instruction) -> Expected:
        result = {}
        for lane in active(wave):
            at = wave.v[i.sources[0].index][lane] + int(i.fields.get("offset", 0))
            value = int.from_bytes(wave.lds[at : at + size], "little", signed=is_signed) & (1 << 8 * max(size, 4)) - 1
            old = wave.v[i.targets[0].index][lane]
            if half == "low":
                value = old & 0xFFFF0000 | value & 0xFFFF
            elif half == "high":
                value = old & 0xFFFF | (value & 0xFFFF) << 16
            result[lane] = value
        expected = made(result)
        expected.letter = "q" if size == 8 else "u"
        return expected

    return run


def store(size: int, high: bool = False) -> Handler:
    def run(wave: Wave, i: Instruction) -> Expected:
        for lane in active(wave):
            at = wave.v[i.sources[0].index][lane] + int(i.fields.get("offset", 0))
            value = value_of(wave, i.sources[1].index, lane, 4 if high else size) >> 16 * high & (1 << 8 * size) - 1
            wave.lds[at : at + size] = value.to_bytes(size, "little")
        return made()

    return run


def update(size: int, function: Callable[..., int]) -> Handler:
    def run(wave: Wave, i: Instruction) -> Expected:
        result, mask = {}, (1 << 8 * size) - 1
        for lane in active(wave):
            at = wave.v[i.sources[0].index][lane] + int(i.fields.get("offset", 0))
            old = int.from_bytes(wave.lds[at : at + size], "little")
            values = [value_of(wave, o.index, lane, size) for o in i.sources[1:]]
            wave.lds[at : at + size] = (function(old, *values) & mask).to_bytes(size, "little")
            result[lane] = old
        expected = made(result if i.targets else {})
        expected.letter = "q" if size == 8 else "u"
        return expected

    return run


LOCAL: dict[str, Handler] = {
    "ds_read_b32": load(4),
    "ds_read_b64": load(8),
    "ds_read_u8": load(1),
    "ds_read_i8": load(1, True),
    "ds_read_u16": load(2),
    "ds_read_i16": load(2, True),
    "ds_read_u8_d16": load(1, False, "low"),
    "ds_read_u8_d16_hi": load(1, False, "high"),
    "ds_read_i8_d16": load(1, True, "low"),
    "ds_read_i8_d16_hi": load(1, True, "high"),
    "ds_read_u16_d16": load(2, False, "low"),
    "ds_read_u16_d16_hi": load(2, False, "high"),
    "ds_write_b32": store(4),
    "ds_write_b64": store(8),
    "ds_write_b8": store(1),
    "ds_write_b16": store(2),
    "ds_write_b8_d16_hi": store(1, True),
    "ds_write_b16_d16_hi": store(2, True),
}
for size in (4, 8):
    bits = 8 * size
    for name, function in {
        "add_u": lambda m, d: m + d,
        "sub_u": lambda m, d: m - d,
        "rsub_u": lambda m, d: d - m,
        "and_b": lambda m, d: m & d,
        "or_b": lambda m, d: m | d,
        "xor_b": lambda m, d: m ^ d,
        "inc_u": lambda m, d: 0 if m >= d else m + 1,
        "dec_u": lambda m, d: d if m == 0 or m > d else m - 1,
        "min_u": min,
        "max_u": max,
        "wrxchg_b": lambda m, d: d,
        "min_i": lambda m, d, n=bits: min(signed(m, n), signed(d, n)),
        "max_i": lambda m, d, n=bits: max(signed(m, n), signed(d, n)),
        "cmpst_b": lambda m, d, new: new if m == d else m,
        "mskor_b": lambda m, d, new: m & ~d | new,
    }.items():
        LOCAL[f"ds_{name}{bits}"] = update(size, function)
LOCAL["ds_wrap_rtn_b32"] = update(4, lambda m, d, e: m - d if m >= d else m + e)
