"""The name of an instruction on LDS or memory in, a random instruction out."""

from __future__ import annotations

from random import Random

from .atomics import ATOMICS, FLOAT_KINDS
from .chips import Chip
from .contents import (
    BASE,
    FLOAT_REGISTERS,
    FLOATS_IN_LDS,
    FLOATS_IN_MEMORY,
    INDICES,
    LDS_ADDRESSES,
    MEMORY_OFFSETS,
    OFFSET_SCALAR,
    POINTERS,
    RAW,
    STRUCTURED,
)  # fmt: skip
from .draw import sgpr, vgpr
from .instruction import Instruction, Operand
from .local_memory import TRANSPOSED, TWO_ADDRESSES
from .memory import LDS_LOADS, SCALAR_LOADS
from .transfers import LOADS, STORES

Fields = dict[str, int | str]
_TWO = ("cmpst", "mskor", "wrap")


def float_kind(name: str) -> str:
    """Of an atomic on floats: its letters, else nothing."""
    return next((kind for kind in FLOAT_KINDS if name.replace("_rtn", "").endswith(kind)), "")


def local_instruction(random: Random, name: str, chip: Chip) -> Instruction:
    address = Operand("v", random.choice(LDS_ADDRESSES))
    fields: Fields = {"offset": 8 * random.randrange(100)}
    if name in TWO_ADDRESSES:
        return _two_addresses(random, name, address)
    if name in TRANSPOSED:
        count = 3 if name.endswith("b6") else 2
        before = "s_mov_b64 exec, -1"
        target = vgpr(random, count, True)
        return Instruction(name, "lds", (target,), (address,), fields={"offset": 0}, before=before)
    if name in ("ds_append", "ds_consume") or "addtid" in name:
        where = 8 * random.randrange(60)
        before = f"s_mov_b32 m0, {where}"
        register = vgpr(random, 1, True)
        target, source = ((), (register,)) if "write" in name or "store" in name else ((register,), ())
        return Instruction(name, "lds", target, source, fields=fields, before=before)
    word = name.split("_", 2)[-1]
    if name.startswith(("ds_read", "ds_load")):
        return Instruction(name, "lds", (vgpr(random, LOADS[word].words, True),), (address,), fields=fields)
    if name.startswith(("ds_write", "ds_store_")):
        return Instruction(name, "lds", (), (address, vgpr(random, STORES[word].words)), fields=fields)
    return _local_atomic(random, name, address, fields)


def _local_atomic(random: Random, name: str, address: Operand, fields: Fields) -> Instruction:
    words = ATOMICS[name.replace("_rtn", "").removeprefix("ds_")][0] // 4
    kind = float_kind(name)
    data = [vgpr(random, words) for _ in range(2 if any(word in name for word in _TWO) else 1)]
    if kind:
        data = [Operand("v", FLOAT_REGISTERS[kind], words) for _ in data]
        fields = {"offset": FLOATS_IN_LDS[kind]}
    returns = "wrxchg" in name or "storexchg" in name or "_rtn_" in name or random.random() < 0.5
    targets = (vgpr(random, words, True),) if returns else ()
    if returns and "_rtn_" not in name:
        head, tail = name[:3], name[3:]
        parts = tail.split("_")
        place = len(parts) - 1
        name = head + "_".join([*parts[:place], "rtn", *parts[place:]])
    return Instruction(name, "lds", targets, (address, *data), fields=fields)


def _two_addresses(random: Random, name: str, address: Operand) -> Instruction:
    kind, size, unit = TWO_ADDRESSES[name]
    limit = 512 // unit if unit < 64 else 4
    fields: Fields = {"offset0": random.randrange(limit), "offset1": random.randrange(limit)}
    data = tuple(vgpr(random, size // 4) for _ in range(2)) if kind != "load" else ()
    targets = (vgpr(random, size // 2, True),) if kind != "store" else ()
    return Instruction(name, "lds", targets, (address, *data), fields=fields)


def memory_instruction(random: Random, name: str, chip: Chip) -> Instruction:
    if name in SCALAR_LOADS:
        return _scalar_load(random, name, chip)
    space, word, *_ = name.split("_")
    rest = name.removeprefix(f"{space}_{word}_")
    if name in LDS_LOADS:
        return _printed(random, name, (), None, chip, LDS_LOADS[name].size)
    if word == "load":
        if space == "buffer" and chip.generation == 9 and _goes_to_lds(rest, chip) and random.random() < 0.3:
            return _printed(random, name, (), None, chip, LOADS[rest].size, lds=True)
        return _printed(random, name, (vgpr(random, LOADS[rest].words, True),), None, chip, LOADS[rest].size)
    if word == "store":
        return _printed(random, name, (), vgpr(random, STORES[rest].words), chip, STORES[rest].size)
    size = ATOMICS[rest][0]
    words = size // 4 * (2 if "cmpswap" in name else 1)
    kind = float_kind(name)
    data = Operand("v", FLOAT_REGISTERS[kind], words) if kind else vgpr(random, words)
    returns = "csub" in name or random.random() < 0.5
    target = (vgpr(random, size // 4, True),) if returns else ()
    if space == "buffer" and returns:
        target, data = (data,), data
    if kind and space == "buffer" and returns:
        target = ()
    return _printed(random, name, target, data, chip, size, kind)


def _goes_to_lds(rest: str, chip: Chip) -> bool:
    return rest in ("dword", "ubyte", "ushort") or (chip.arch == "gfx950" and rest in ("dwordx3", "dwordx4"))


def _printed(
    random: Random, name: str, targets: tuple[Operand, ...], data: Operand | None, chip: Chip, size: int,
    kind: str = "", lds: bool = False,
) -> Instruction:  # fmt: skip
    """With one of the ways to give an address."""
    unit = 8 if "atomic" in name else min(size, 4)
    offset = unit * random.randrange(600 // unit)
    if kind:
        offset = FLOATS_IN_MEMORY[kind]
    space = name.split("_")[0]
    ways = {"buffer": _buffer, "scratch": _scratch, "flat": _flat}
    fields, address = ways.get(space, _global)(random, chip, offset, bool(kind), size)
    before, words = "", []
    if lds or name in LDS_LOADS:
        before = f"s_mov_b32 m0, {16 * random.randrange(20)}"
        fields["offset"] = int(fields.get("offset", 0)) & 0x1F8
        fields |= {"lds": ""} if lds else {}
    returning = "atomic" in name and bool(targets)
    if returning:
        words = ["th:TH_ATOMIC_RETURN" if chip.generation == 12 else "glc" if chip.generation == 11 else "sc0"]
    return _assembled(name, targets, data, fields, address, before, words)


def _assembled(
    name: str, targets: tuple[Operand, ...], data: Operand | None, fields: Fields, address: list[str], before: str,
    words: list[str],
) -> Instruction:  # fmt: skip
    """Buffers have their data first, others after the address; those of global memory and scratch a base at the end."""
    space = name.split("_")[0]
    data_text = [str(data)] if data else []
    if space == "buffer":
        parts = [*(map(str, targets) if targets else data_text), *address]
    else:
        parts = [*map(str, targets), address[0], *data_text, *address[1:]]
    shown = [key for key in ("idxen", "offen") if key in fields]
    shown += [f"offset:{fields['offset']}"] if fields.get("offset") else []
    shown += [*words, *(["lds"] if "lds" in fields else [])]
    text = " ".join([name, ", ".join(parts), *shown])
    sources = (data,) if data else ()
    return Instruction(name, "memory", targets, sources, fields=fields, text=text, before=before)


def _global(random: Random, chip: Chip, offset: int, floats: bool, size: int) -> tuple[Fields, list[str]]:
    if not floats and random.random() < 0.5:
        offset = -offset
    shared = int(floats or random.random() < 0.3)
    if random.random() < 0.5:
        vector = MEMORY_OFFSETS[shared]
        return {"offset": offset, "address": vector, "base": BASE}, [f"v{vector}", f"s[{BASE}:{BASE + 1}]"]
    vector = POINTERS[shared]
    return {"offset": offset, "address": vector, "base": "off"}, [f"v[{vector}:{vector + 1}]", "off"]


def _flat(random: Random, chip: Chip, offset: int, floats: bool, size: int) -> tuple[Fields, list[str]]:
    vector = POINTERS[int(floats or random.random() < 0.3)]
    return {"offset": offset, "address": vector, "base": "off"}, [f"v[{vector}:{vector + 1}]"]


def _scratch(random: Random, chip: Chip, offset: int, floats: bool, size: int) -> tuple[Fields, list[str]]:
    offset = offset & 0x7C
    match random.randrange(3):
        case 0:
            return {"offset": offset, "address": "off", "base": "off"}, ["off", "off"]
        case 1:
            vector = MEMORY_OFFSETS[1]
            return {"offset": offset, "address": vector, "base": "off"}, [f"v{vector}", "off"]
    return {"offset": offset, "address": "off", "base": OFFSET_SCALAR}, ["off", f"s{OFFSET_SCALAR}"]


def _buffer(random: Random, chip: Chip, offset: int, floats: bool, size: int) -> tuple[Fields, list[str]]:
    zero = "0" if chip.generation < 12 else "null"
    scalar, soffset = ("", zero) if floats or random.random() < 0.6 else (OFFSET_SCALAR, f"s{OFFSET_SCALAR}")
    fields: Fields = {"offset": offset, "soffset": scalar}
    way = random.randrange(4)
    if floats or way == 0:
        vector = MEMORY_OFFSETS[int(floats or random.random() < 0.3)]
        return fields | {"address": vector, "offen": "", "resource": RAW}, [
            f"v{vector}",
            f"s[{RAW}:{RAW + 3}]",
            soffset,
        ]
    if way == 1:
        return fields | {"address": "off", "resource": RAW}, ["off", f"s[{RAW}:{RAW + 3}]", soffset]
    fields |= {"address": INDICES, "idxen": "", "resource": STRUCTURED, "offset": 0}
    resource = f"s[{STRUCTURED}:{STRUCTURED + 3}]"
    fields["soffset"] = ""
    if way == 2 or size > 8:
        return fields, [f"v{INDICES}", resource, zero]
    return fields | {"offen": ""}, [f"v[{INDICES}:{INDICES + 1}]", resource, zero]


def _scalar_load(random: Random, name: str, chip: Chip) -> Instruction:
    how = SCALAR_LOADS[name]
    buffer = "buffer" in name
    base = Operand("s", RAW, 4) if buffer else Operand("s", BASE, 2)
    offset = min(how.size, 4) * random.randrange(640 if buffer and random.random() < 0.5 else 100)
    scalar = Operand("s", OFFSET_SCALAR)
    target = sgpr(random, how.words if how.words != 3 else 4, True)
    target = Operand("s", target.index if target.kind == "s" else 4, how.words)
    text, fields, sources = f"{name} {target}, {base}, ", {}, (base,)
    if chip.generation == 12:
        sources, fields = (base, scalar), {"offset": offset}
        tail = f"s{OFFSET_SCALAR} offset:{offset}"
    elif random.random() < 0.5:
        sources, tail = (base, scalar), f"s{OFFSET_SCALAR}"
    else:
        fields, tail = {"offset": offset}, f"{offset:#x}"
    return Instruction(name, "memory", (target,), sources, fields=dict(fields), text=text + tail)
