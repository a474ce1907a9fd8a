"""A seed and a chip in, instructions out."""

from __future__ import annotations

import re
from random import Random

from .chips import Chip
from .contents import SCALAR_REGISTERS
from .cross_lane import LANE_MOVES
from .draw import constant, literal, sgpr, vgpr
from .dual import DUAL_SECOND, dual_instruction
from .exchange import EXCHANGES, exchange_instruction
from .instruction import Instruction, Operand
from .local_memory import local_names
from .memory import memory_names
from .memory_forms import float_kind, local_instruction, memory_instruction
from .renamed import gfx9_name, rdna_names
from .scalar_floats import SCALAR_FLOATS
from .scalars import COMPARES, CONSTANTS, OLD, SAVES, SCALARS
from .vector_forms import FORMS, ROUNDED_ROUGHLY, vector_instruction
from .vectors import entry, vector_names


def scalar_instruction(random: Random, name: str, chip: Chip) -> Instruction:
    def source(count: int) -> Operand:
        choice = random.random()
        if choice < 0.07 and count == 1:
            return literal(random, "u")
        return constant(random, False) if choice < 0.25 else sgpr(random, count, chip=chip)

    if name in COMPARES:
        return Instruction(name, "scalar", (), _one_literal(tuple(source(n) for n in COMPARES[name][0])))
    if "exec_b" in name:
        count = 2 if name.endswith("64") else 1
        return Instruction(name, "scalar", (sgpr(random, count, True),), (source(count),))
    if gfx9_name(name) in CONSTANTS:
        number = random.choice((0, 1, -1, 0x7FFF, -0x8000, random.randrange(-0x8000, 0x8000)))
        text = str(number & 0xFFFF if name.endswith("u32") else number)
        constant_operand, register = Operand("const", number, text=text), sgpr(random, 1, True)
        if "cmpk" in name:
            return Instruction(name, "scalar", (), (register, constant_operand))
        return Instruction(name, "scalar", (register,), (constant_operand,))
    if name in OLD:
        count, widths, _ = OLD[name]
        return Instruction(name, "scalar", (sgpr(random, count, True),), tuple(source(n) for n in widths))
    if name in SCALAR_FLOATS:
        return _scalar_float(random, name, chip)
    count, widths, _ = SCALARS[gfx9_name(name)]
    sources = _one_literal(tuple(source(n) for n in widths))
    return Instruction(name, "scalar", (sgpr(random, count, True),), sources)


def _one_literal(sources: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """An instruction has room for one."""
    seen = False
    made = []
    for o in sources:
        made.append(Operand("const", 7, text="7") if seen and "0x" in o.text else o)
        seen = seen or "0x" in o.text
    return tuple(made)


def _scalar_float(random: Random, name: str, chip: Chip) -> Instruction:
    def source(letter: str) -> Operand:
        if letter == "L":
            return literal(random, "f")
        return constant(random, True) if random.random() < 0.2 and letter not in "uH" else sgpr(random, 1, chip=chip)

    sources = tuple(source(letter) for letter in SCALAR_FLOATS[name] if letter != "O")
    return Instruction(name, "scalar", () if "_cmp_" in name else (sgpr(random, 1, True),), sources)


def new_mask(random: Random, chip: Chip) -> Instruction:
    """exec becomes a register's bits, all, or none."""
    bits, count = 32 * chip.mask_words, chip.mask_words
    exec_mask = Operand("exec", count=count, text="exec" if count == 2 else "exec_lo")
    every = [Operand("const", -1, text="-1"), Operand("s", random.randrange(0, SCALAR_REGISTERS, 2), count)]
    source = random.choices([*every, Operand("const", 0, text="0")], (5, 5, 1))[0]
    return Instruction(f"s_mov_b{bits}", "scalar", (exec_mask,), (source,))


def lane_instruction(random: Random, name: str, chip: Chip) -> Instruction:
    v, number = vgpr(random), random.randrange(64)
    lane = random.choice((sgpr(random, 1), Operand("const", number, text=str(number))))
    if name == "v_readfirstlane_b32":
        return Instruction(name, "lanes", (Operand("s", random.randrange(SCALAR_REGISTERS)),), (v,))
    if name == "v_readlane_b32":
        return Instruction(name, "lanes", (Operand("s", random.randrange(SCALAR_REGISTERS)),), (v, lane))
    target = vgpr(random, 1, True)
    if name == "v_writelane_b32":
        return Instruction(name, "lanes", (target,), (constant(random, False), lane))
    if "mbcnt" in name:
        first = random.choice((v, sgpr(random, 1), Operand("const", -1, text="-1")))
        return Instruction(name, "lanes", (target,), (first, vgpr(random)))
    if name == "ds_swizzle_b32":
        modes = (0x8000 | random.getrandbits(8), 0xC000 | random.getrandbits(11), 0xE000 | random.getrandbits(5))
        offset = random.choice((*modes, random.getrandbits(15)))
        return Instruction(name, "lanes", (target,), (v,), fields={"offset": offset})
    return Instruction(name, "lanes", (target,), (v, vgpr(random)), fields={"offset": 4 * random.randrange(64)})


def samples(chip: Chip) -> list[tuple[str, str, Instruction]]:
    """One of each name and form, whether there is such a thing or not."""
    random, made = Random(1), []
    for name in vector_names():
        forms = FORMS[chip.generation][:1] if name.endswith("clamp") else FORMS[chip.generation]
        result, letters, _, _ = entry(name.removesuffix(" clamp"), name.endswith("clamp"), chip)
        narrow = not set(result + letters) & set("dqPpix")
        each = [form for form in forms if narrow or form != "sdwa"]
        if re.search("fma_mix(lo|hi)|cvt_pk_(fp|bf)8_f32", name):  # LLVM 22 puts their op_sel into the permutation
            each = [form for form in each if "dpp" not in form]
        made += [(name, form, vector_instruction(random, name, form, chip)) for form in each]
    saves = [f"s_{each}_{how}_b{32 * chip.mask_words}" for each in SAVES for how in ("saveexec", "wrexec")]
    scalars = dict.fromkeys((*SCALARS, *CONSTANTS, *OLD, *saves))
    names = [*scalars, *COMPARES, *SCALAR_FLOATS, *rdna_names(dict(scalars))]
    made += [(name, "scalar", scalar_instruction(random, name, chip)) for name in dict.fromkeys(names)]
    made += [(name, "lanes", lane_instruction(random, name, chip)) for name in LANE_MOVES]
    made += [(name, "exchange", exchange_instruction(random, name, chip)) for name in EXCHANGES]
    if chip.lanes == 32:
        made += [(f"v_dual_{name}", "dual", dual_instruction(random, name, chip)) for name in DUAL_SECOND]
    made += [(i.name, "lds", i) for i in (local_instruction(random, name, chip) for name in local_names())]
    return made + [(name, "memory", memory_instruction(random, name, chip)) for name in memory_names()]


def instructions(random: Random, known: list[tuple[str, str]], count: int, mode: int, chip: Chip) -> list[Instruction]:
    made: list[Instruction] = []
    while len(made) < count:
        if random.random() < 0.05:
            made.append(new_mask(random, chip))
            continue
        name, form = random.choice(known)
        if mode == 0xF0 or not _needs_usual_mode(name, form, mode):
            made.append(create(random, name, form, chip))
    return made


def one_of_each(random: Random, known: list[tuple[str, str]], chip: Chip) -> list[Instruction]:
    """In some order, with masks that change now and then."""
    order = random.sample(known, len(known))
    made = []
    for k, (name, form) in enumerate(order):
        made += [new_mask(random, chip)] * (k % 16 == 15)
        made.append(create(random, name, form, chip))
    return made


def _needs_usual_mode(name: str, form: str, mode: int) -> bool:
    """Not correctly rounded; or the documents do not say which mode counts."""
    if any(word in name for word in ROUNDED_ROUGHLY):
        return True
    if form in ("lds", "memory"):
        return bool(float_kind(name))
    if "_dot2" in name and "_f" in name:
        return True
    return "mix" in name and (mode & 3) != (mode >> 2 & 3)


def create(random: Random, name: str, form: str, chip: Chip) -> Instruction:
    match form:
        case "scalar":
            return scalar_instruction(random, name, chip)
        case "lanes":
            return lane_instruction(random, name, chip)
        case "lds":
            return local_instruction(random, name, chip)
        case "exchange":
            return exchange_instruction(random, name, chip)
        case "dual":
            return dual_instruction(random, name, chip)
        case "memory":
            return memory_instruction(random, name, chip)
    return vector_instruction(random, name, form, chip)
