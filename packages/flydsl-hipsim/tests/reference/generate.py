"""A seed in, instructions and register contents out."""

from __future__ import annotations

import struct
from random import Random

from .cross_lane import LANE_MOVES
from .instruction import Instruction, Operand
from .integers import INTEGERS
from .local_memory import LOCAL
from .numbers import FLOATS
from .scalars import COMPARES, SAVES, SCALARS

__all__ = ["ADDRESSES", "REGISTERS", "SCALAR_REGISTERS", "contents", "instructions", "samples"]

REGISTERS, SCALAR_REGISTERS = 32, 32
ADDRESSES = (32, 33)
"""Registers with LDS addresses: one for each lane, and few that many lanes share."""
_ROUNDED_ROUGHLY = ("rcp", "rsq", "sqrt", "exp_f", "log")
_SELECTORS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
_FLOAT_CONSTANTS = (0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0)
_SPECIAL_32 = (
    0,
    0x80000000,
    1,
    0x80000001,
    0x7FFFFF,
    0x800000,
    0x80800000,
    0x3F800000,
    0xBF800000,
    0x3F000000,
    0x7F7FFFFF,
    0xFF7FFFFF,
    0x7F800000,
    0xFF800000,
    0x7FC00000,
    0xFFC12345,
    0x7F800001,
    0xFFA00000,
    0x4F000000,
    0xCF000000,
    0x4F800000,
    0x7FFFFFFF,
    0xFFFFFFFF,
    0x3F800001,
    0x33800000,
    0x477FF000,
    0x477FEFFF,
    0x38800000,
    0x387FFFFF,
    0x40200000,
    0xC0600000,
)
_SPECIAL_16 = (
    0,
    0x8000,
    1,
    0x8001,
    0x3FF,
    0x400,
    0x8400,
    0x3C00,
    0xBC00,
    0x7BFF,
    0xFBFF,
    0x7C00,
    0xFC00,
    0x7E00,
    0xFE01,
    0x7C01,
    0xFD00,
    0x3800,
    0x3C01,
    0x4100,
    0x7FFF,
    0xFFFF,
)
_SPECIAL_64 = (
    0,
    0x80000000,
    0x00100000,
    0x000FFFFF,
    0x3FF00000,
    0xBFF00000,
    0x7FEFFFFF,
    0x7FF00000,
    0xFFF00000,
    0x7FF80000,
    0x7FF40000,
    0x41DFFFFF,
    0xC1E00000,
    0x41EFFFFF,
    0x47EFFFFF,
    0x36A00000,
    0x380FFFFF,
    0x3810000F,
)


def word(random: Random) -> int:
    """32 bits that are often something special to some type."""
    match random.randrange(8):
        case 0 | 1:
            return random.choice(_SPECIAL_32)
        case 2:
            return random.choice(_SPECIAL_16) | random.choice(_SPECIAL_16) << 16
        case 3:
            return random.choice(_SPECIAL_64)
        case 4:
            return random.randrange(-40, 72) & 0xFFFFFFFF
        case 5:  # floats near 1
            return (
                random.getrandbits(1) << 31
                | random.randrange(118, 137) << 23
                | random.getrandbits(23) & random.choice((-1, -4096))
            )
        case 6:  # halves near 1
            return sum(
                (random.getrandbits(1) << 15 | random.randrange(9, 21) << 10 | random.getrandbits(10)) << k
                for k in (0, 16)
            )
    return random.getrandbits(32)


def contents(random: Random) -> tuple[list[list[int]], list[int]]:
    vectors = [[word(random) for _ in range(64)] for _ in range(REGISTERS)]
    for first in range(0, REGISTERS, 8):  # doubles with few bits, and of like size
        for lane in range(64):
            if lane % 3:
                vectors[first][lane] = random.choice((0, 1, 0xFFFFFFFF, random.getrandbits(32)))
                vectors[first + 1][lane] = (
                    random.getrandbits(1) << 31 | random.randrange(1010, 1060) << 20 | random.getrandbits(20)
                )
    vectors.append([8 * lane for lane in range(64)])
    vectors.append([8 * (lane % 5) for lane in range(64)])
    return vectors, [word(random) for _ in range(SCALAR_REGISTERS)]


def constant(random: Random, floats: bool) -> Operand:
    if floats and random.random() < 0.5:
        value = random.choice(_FLOAT_CONSTANTS)
        return Operand("const", struct.unpack("<Q", struct.pack("<d", value))[0], text=str(value))
    value = random.randrange(-16, 65)
    return Operand("const", value, text=str(value))


def vgpr(random: Random, wide: bool, target: bool = False) -> Operand:
    low = REGISTERS // 2 if target and random.random() < 0.7 else 0
    index = random.randrange(low, REGISTERS)
    return Operand("v", index & ~1, 2) if wide else Operand("v", index)


def sgpr(random: Random, count: int, target: bool = False) -> Operand:
    kind = random.randrange(16)
    if count == 2 and kind < 2:
        return Operand("vcc", text="vcc")
    if not target and kind == 2 and count == 1:
        return Operand("vcc", text="vcc_lo")
    index = random.randrange(0, SCALAR_REGISTERS)
    return Operand("s", index & ~1, 2) if count == 2 else Operand("s", index)


def vector_instruction(random: Random, name: str, form: str) -> Instruction:
    plain = name.removesuffix(" clamp")
    key = plain.replace("cmpx", "cmp")
    result, letters, _ = INTEGERS.get(name) or FLOATS.get(name) or INTEGERS.get(key) or FLOATS[key]
    packed = plain.startswith(("v_pk_", "v_dot", "v_fma_mix"))
    form = "packed" if packed else form
    targets = () if result == "M" else (vgpr(random, result[0] in "dqP", True),)
    if "M" in result:
        mask = (
            sgpr(random, 2, True) if form == "e64" or (form == "sdwa" and result == "M") else Operand("vcc", text="vcc")
        )
        targets += (mask,)
    sources = _sources(random, form, letters, plain)
    exact = "cvt" not in plain and not any(word in plain for word in _ROUNDED_ROUGHLY)
    can_clamp = result[0] in "fdhpP" and exact and form != "dpp"
    clamp = name.endswith("clamp") or (can_clamp and random.random() < 0.15)
    omod = (
        random.randrange(1, 4) if result in ("f", "d", "h") and form == "e64" and exact and random.random() < 0.1 else 0
    )
    return Instruction(
        plain,
        form,
        targets,
        sources,
        clamp,
        omod,
        _selectors(random, form, plain, result, letters),
        _fields(random, form, result, letters),
    )


def _sources(random: Random, form: str, letters: str, name: str) -> tuple[Operand, ...]:
    free = form in ("e64", "packed")
    scalar = (
        sgpr(random, 2 if letters[0] in "dq" else 1)
        if free and "c" not in letters and not set(letters) & set("P")
        else None
    )
    made = []
    for letter in letters:
        if letter == "c":
            made.append(sgpr(random, 2) if free else Operand("vcc", text="vcc"))
            continue
        wide, choice = letter in "dqP", random.random()
        if scalar and choice < 0.15 and wide == (letters[0] in "dq"):
            operand = scalar
        elif free and letter not in "P" and choice < 0.3:
            operand = constant(random, letter in "fdhpx" and not ("mix" in name and letter == "x"))
        else:
            operand = vgpr(random, wide)
        made.append(_modified(random, form, letter, operand, name))
    return tuple(made)


def _modified(random: Random, form: str, letter: str, operand: Operand, name: str) -> Operand:
    if form == "sdwa" and letter in "uw" and operand.kind == "v" and "cndmask" not in name and "_f32_u" not in name:
        return Operand(operand.kind, operand.index, operand.count, operand.text, extended=random.random() < 0.3)
    if letter in "fdhx" and operand.kind != "const" and "ldexp" not in name + "u":
        return Operand(
            operand.kind, operand.index, operand.count, operand.text, random.random() < 0.25, random.random() < 0.2
        )
    return operand


def _selectors(random: Random, form: str, name: str, result: str, letters: str) -> dict[str, tuple[int, ...]]:
    def bits(count: int) -> tuple[int, ...]:
        return tuple(random.randrange(2) for _ in range(count))

    if form == "packed":
        if name.startswith("v_dot"):
            return {}
        made = {"op_sel": bits(len(letters)), "op_sel_hi": bits(len(letters))}
        if letters[0] in "pP" and "mov" not in name:
            made |= {"neg_lo": bits(len(letters)), "neg_hi": bits(len(letters))}
        return made
    if (form == "e64" and "!" in result) or name in ("v_mad_u32_u16", "v_mad_i32_i16"):
        chosen = bits(len(letters) + 1)
        return {"op_sel": chosen[:-1] + ((chosen[-1],) if "!" in result else (0,))}
    return {}


def _fields(random: Random, form: str, result: str, letters: str) -> dict[str, int | str]:
    if form == "dpp":
        return _dpp(random)
    if form != "sdwa":
        return {}

    def selector(letter: str) -> str:
        return "DWORD" if letter == "f" else random.choice(_SELECTORS[4:] if letter == "h" else _SELECTORS)

    made: dict[str, int | str] = {}
    if result != "M":
        made = {
            "dst_sel": selector(result[0]),
            "dst_unused": random.choice(("UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE")),
        }
        if result[0] == "h" and made["dst_unused"] == "UNUSED_SEXT":
            made["dst_unused"] = "UNUSED_PAD"
    return made | {f"src{k}_sel": selector(letter) for k, letter in enumerate(letters) if letter != "c"}


def _dpp(random: Random) -> dict[str, int | str]:
    row_mask = random.choice((15, random.randrange(16)))
    control = random.choice(
        (
            "quad_perm",
            "row_shl",
            "row_shr",
            "row_ror",
            "row_mirror",
            "row_half_mirror",
            "row_bcast",
            "wave",
            "row_newbcast",
        )
    )
    if control == "quad_perm":
        text = f"quad_perm:[{','.join(str(random.randrange(4)) for _ in range(4))}]"
    elif control == "row_bcast":
        last = random.choice((15, 31))
        text, row_mask = f"row_bcast:{last}", 0xE if last == 15 else 0xC
    elif control == "wave":
        text = random.choice(("wave_shl:1", "wave_shr:1", "wave_rol:1", "wave_ror:1"))
    else:
        text = control + ("" if "mirror" in control else f":{random.randrange(1, 16)}")
    made: dict[str, int | str] = {
        "control": text,
        "row_mask": row_mask,
        "bank_mask": random.choice((15, random.randrange(16))),
    }
    return made | ({"bound_ctrl": 0} if random.random() < 0.5 else {})


def scalar_instruction(random: Random, name: str) -> Instruction:
    def source(count: int) -> Operand:
        return constant(random, False) if random.random() < 0.2 else sgpr(random, count)

    if name in COMPARES:
        return Instruction(name, "scalar", (), tuple(source(n) for n in COMPARES[name][0]))
    if "saveexec" in name:
        return Instruction(name, "scalar", (sgpr(random, 2, True),), (source(2),))
    count, widths, _ = SCALARS[name]
    return Instruction(name, "scalar", (sgpr(random, count, True),), tuple(source(n) for n in widths))


def new_mask(random: Random) -> Instruction:
    """exec becomes a register's bits, some of its own, or all."""
    exec_mask = Operand("exec", text="exec")
    source = random.choice((Operand("const", -1, text="-1"), Operand("s", random.randrange(0, SCALAR_REGISTERS, 2), 2)))
    return Instruction("s_mov_b64", "scalar", (exec_mask,), (source,))


def lane_instruction(random: Random, name: str) -> Instruction:
    v, lane = (
        vgpr(random, False),
        random.choice((sgpr(random, 1), Operand("const", (n := random.randrange(64)), text=str(n)))),
    )
    if name == "v_readfirstlane_b32":
        return Instruction(name, "lanes", (Operand("s", random.randrange(SCALAR_REGISTERS)),), (v,))
    if name == "v_readlane_b32":
        return Instruction(name, "lanes", (Operand("s", random.randrange(SCALAR_REGISTERS)),), (v, lane))
    target = vgpr(random, False, True)
    if name == "v_writelane_b32":
        return Instruction(name, "lanes", (target,), (constant(random, False), lane))
    if "mbcnt" in name:
        return Instruction(
            name,
            "lanes",
            (target,),
            (random.choice((v, sgpr(random, 1), Operand("const", -1, text="-1"))), vgpr(random, False)),
        )
    if name == "ds_swizzle_b32":
        offset = random.choice((0x8000 | random.getrandbits(8), random.getrandbits(15)))
        return Instruction(name, "lanes", (target,), (v,), fields={"offset": offset})
    return Instruction(name, "lanes", (target,), (v, vgpr(random, False)), fields={"offset": 4 * random.randrange(64)})


def local_instruction(random: Random, name: str) -> Instruction:
    wide = name.endswith("64")
    address = Operand("v", random.choice(ADDRESSES))
    fields: dict[str, int | str] = {"offset": 8 * random.randrange(100)}
    if "read" in name:
        return Instruction(name, "lds", (vgpr(random, wide, True),), (address,), fields=fields)
    data = [vgpr(random, wide) for _ in range(2 if any(word in name for word in ("cmpst", "mskor", "wrap")) else 1)]
    returns = "wrxchg" in name or "_rtn_" in name or ("write" not in name and random.random() < 0.5)
    head, _, tail = name.rpartition("_")
    targets = (vgpr(random, wide, True),) if returns else ()
    text = f"{head}_rtn_{tail}" if returns and "_rtn_" not in name else name
    return Instruction(text, "lds", targets, (address, *data), fields=fields)


def samples() -> list[tuple[str, str, Instruction]]:
    """One of each name and form, whether there is such a thing or not."""
    random, made = Random(1), []
    for name, (result, letters, _) in (INTEGERS | FLOATS).items():
        names = [name, name.replace("cmp", "cmpx", 1)] if name.startswith("v_cmp_") else [name]
        narrow = not set(result[0] + letters) & set("dqPpix")
        forms = ["e64", *(["sdwa", "dpp"] if narrow and not name.endswith("clamp") else [])]
        made += [(each, form, vector_instruction(random, each, form)) for each in names for form in forms]
    made += [(name, "scalar", scalar_instruction(random, name)) for name in (*SCALARS, *COMPARES)]
    made += [
        (name, "scalar", scalar_instruction(random, name)) for name in (f"s_{each}_saveexec_b64" for each in SAVES)
    ]
    made += [(name, "lanes", lane_instruction(random, name)) for name in LANE_MOVES]
    return made + [(name, "lds", local_instruction(random, name)) for name in LOCAL]


def instructions(random: Random, known: list[tuple[str, str]], count: int, mode: int) -> list[Instruction]:
    made: list[Instruction] = []
    while len(made) < count:
        if random.random() < 0.05:
            made.append(new_mask(random))
            continue
        name, form = random.choice(known)
        if mode != 0xF0 and any(word in name for word in _ROUNDED_ROUGHLY):
            continue
        if "mix" in name and (mode & 3) != (mode >> 2 & 3):
            continue
        made.append(create(random, name, form))
    return made


def create(random: Random, name: str, form: str) -> Instruction:
    match form:
        case "scalar":
            return scalar_instruction(random, name)
        case "lanes":
            return lane_instruction(random, name)
        case "lds":
            return local_instruction(random, name)
    return vector_instruction(random, name, form)
