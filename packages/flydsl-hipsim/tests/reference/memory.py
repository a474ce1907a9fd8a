"""A global, flat, scratch, buffer or scalar load, store or atomic and a wave in, what must be in registers out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from .atomics import ATOMICS
from .cross_lane import active, made
from .local_memory import value_of
from .transfers import LOADS, STORES, Transfer

if TYPE_CHECKING:
    from .instruction import Instruction, Operand
    from .machine import Expected, Wave

LDS_LOADS = {f"global_load_lds_{name}": LOADS[name] for name in ("ubyte", "ushort", "dword", "dwordx3", "dwordx4")}
SCALAR_LOADS = {
    f"s_{space}load_{name}": transfer
    for space in ("", "buffer_")
    for name, transfer in {
        **{f"dwordx{n}" if n > 1 else "dword": Transfer(4 * n) for n in (1, 2, 4, 8, 16)},
        **{f"b{32 * n}": Transfer(4 * n) for n in (1, 2, 3, 4, 8, 16)},
        **{name: LOADS[name] for name in ("u8", "i8", "u16", "i16")},
    }.items()
}
Place = Callable[[int, int], int | None]
"""Of a lane and a number of bytes, or of more of them in a range."""


def memory_names() -> list[str]:
    names = [*LDS_LOADS, *SCALAR_LOADS]
    for space in ("global", "flat", "buffer", "scratch"):
        names += [f"{space}_load_{name}" for name in LOADS] + [f"{space}_store_{name}" for name in STORES]
        if space != "scratch":
            names += [f"{space}_atomic_{name}" for name in ATOMICS]
    return names


def global_access(wave: Wave, i: Instruction) -> Expected:
    """The handler of a name."""
    if i.name in SCALAR_LOADS:
        return scalar_load(wave, i)
    space, word, *_ = i.name.split("_")
    name = i.name.removeprefix(f"{space}_{word}_")
    if i.name in LDS_LOADS or "lds" in i.fields:
        return load_to_lds(wave, i, LDS_LOADS.get(i.name) or LOADS[name])
    if word == "load":
        return load(wave, i, LOADS[name])
    return store(wave, i, STORES[name]) if word == "store" else update(wave, i, *ATOMICS[name])


def offset_of(i: Instruction) -> int:
    return int(i.fields.get("offset", 0))


def place(wave: Wave, i: Instruction, lane: int, size: int, at: int = 0) -> int | None:
    """Where in memory a lane's bytes are; None out of a buffer's range."""
    if i.name.startswith("buffer"):
        return _in_buffer(wave, i, lane, size, at)
    vector, base = i.fields["address"], i.fields["base"]
    offset = offset_of(i) + at
    if i.name.startswith("scratch"):
        return (
            offset + (wave.v[int(vector)][lane] if vector != "off" else 0) + (wave.s[int(base)] if base != "off" else 0)
        )
    own = wave.v[int(vector)][lane]
    whole = own | wave.v[int(vector) + 1][lane] << 32 if base == "off" else own + _pair(wave, int(base))
    return whole + offset - wave.base


def _pair(wave: Wave, index: int) -> int:
    return wave.s[index] | wave.s[index + 1] << 32


def _resource(wave: Wave, first: int) -> tuple[int, int, int]:
    """Base, number of records and stride of the buffer whose words begin at a scalar register."""
    words = sum(wave.s[first + k] << 32 * k for k in range(4))
    if wave.chip.arch == "gfx1250":
        return words & (1 << 57) - 1, words >> 57 & (1 << 45) - 1, words >> 108 & 0x3FFF
    return words & (1 << 48) - 1, words >> 64 & 0xFFFFFFFF, words >> 48 & 0x3FFF


def _in_buffer(wave: Wave, i: Instruction, lane: int, size: int, at: int) -> int | None:
    base, records, stride = _resource(wave, int(i.fields["resource"]))
    vector = int(i.fields["address"]) if i.fields["address"] != "off" else 0
    index = wave.v[vector][lane] if "idxen" in i.fields else 0
    inside = offset_of(i) + at
    if "offen" in i.fields:
        inside += wave.v[vector + ("idxen" in i.fields)][lane]
    scalar = wave.s[int(i.fields["soffset"])] if i.fields["soffset"] else 0
    if index >= records if stride else inside + scalar + size > records:
        return None
    return base + index * stride + inside + scalar - wave.base


def load(wave: Wave, i: Instruction, how: Transfer) -> Expected:
    result = {}
    memory = wave.memory
    for lane in active(wave):
        source = wave.scratch[lane] if i.name.startswith("scratch") else memory
        result[lane] = how.loaded(_bytes(wave, i, lane, how.size, source), wave.v[i.targets[0].index][lane])
    return made(result)


def _bytes(wave: Wave, i: Instruction, lane: int, size: int, source: bytearray) -> bytes:
    """Word by word: a buffer's range may end between them."""
    data = b""
    for at in range(0, size, 4):
        each = min(4, size - at)
        where = place(wave, i, lane, each, at)
        data += bytes(each) if where is None else bytes(source[where : where + each])
    return data


def store(wave: Wave, i: Instruction, how: Transfer) -> Expected:
    for lane in active(wave):
        target = wave.scratch[lane] if i.name.startswith("scratch") else wave.memory
        data = how.stored(value_of(wave, data_of(i).index, lane, 4 * how.words))
        for at in range(0, how.size, 4):
            each = data[at : at + 4]
            where = place(wave, i, lane, len(each), at)
            if where is not None:
                target[where : where + len(each)] = each
    return made()


def data_of(i: Instruction) -> Operand:
    """The vector register, or registers, with what is stored."""
    if i.name.startswith("buffer"):
        return i.targets[0] if i.targets else i.sources[0]
    return next(o for o in reversed(i.sources) if o.kind == "v")


def update(wave: Wave, i: Instruction, size: int, function: Callable[..., int]) -> Expected:
    """Data of a comparison are the new value, then the one that it is compared with."""
    result = {}
    values = [[value_of(wave, data_of(i).index, lane, 2 * size), size] for lane in range(wave.chip.lanes)]
    compares = "cmpswap" in i.name
    for lane in active(wave):
        where = place(wave, i, lane, size)
        if where is None:
            result[lane] = None
            continue
        old = int.from_bytes(wave.memory[where : where + size], "little")
        data, mask = values[lane][0], (1 << 8 * size) - 1
        new = function(old, data & mask, data >> 8 * size) if compares else function(old, data & mask)
        wave.memory[where : where + size] = (new & mask).to_bytes(size, "little")
        result[lane] = old | data >> 8 * size << 8 * size if compares and len(i.targets) and wide(i, size) else old
    return made({lane: value for lane, value in result.items() if value is not None} if i.targets else {})


def wide(i: Instruction, size: int) -> bool:
    """A buffer's comparison has both values in its destination: only the first changes."""
    return i.targets[0].count > size // 4


def load_to_lds(wave: Wave, i: Instruction, how: Transfer) -> Expected:
    """Lanes' data go one after the other to where M0 and the offset say; bytes and shorts become words."""
    for lane in active(wave):
        step = 4 * how.words
        at = (wave.m0 & 0xFFFF) + offset_of(i) + step * lane
        value = how.loaded(_bytes(wave, i, lane, how.size, wave.memory), 0)
        wave.lds[at : at + step] = value.to_bytes(step, "little")
    return made()


def scalar_load(wave: Wave, i: Instruction) -> Expected:
    how, base = SCALAR_LOADS[i.name], i.sources[0].index
    offset = offset_of(i) + sum(wave.read(o) for o in i.sources[1:] if o.kind == "s")
    data = b""
    for at in range(0, how.size, 4):
        each = min(4, how.size - at)
        if "buffer" in i.name and offset + at + each > _resource(wave, base)[1]:
            data += bytes(each)
            continue
        where = (_pair(wave, base) & (1 << 48) - 1) + offset + at - wave.base
        data += bytes(wave.memory[where : where + each])
    return made(sdst=how.loaded(data, 0))
