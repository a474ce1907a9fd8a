"""A vector instruction's name and form in, a random instruction out."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from .chips import Chip
from .draw import constant, literal, mask, sgpr, vcc_mask, vgpr
from .instruction import Instruction, Operand
from .operands import MOVED
from .vectors import WIDE, entry

ROUNDED_ROUGHLY = ("rcp", "rsq", "sqrt", "exp_f", "exp_l", "log", "sin", "cos", "tanh")
FORMS = {9: ("e64", "e32", "sdwa", "dpp"), 11: ("e64", "e32", "dpp", "dpp8", "e64_dpp", "e64_dpp8")}
FORMS[12] = FORMS[11]
_SELECTORS = ("BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD")
_PACKED = ("v_pk_", "v_dot", "v_fma_mix", "v_mad_mix")
_HALVES_CHOSEN = ("v_mad_u32_u16", "v_mad_i32_i16", "v_pack_b32_f16")


def vector_instruction(random: Random, name: str, form: str, chip: Chip) -> Instruction:
    plain = name.removesuffix(" clamp")
    result, letters, _, _ = entry(plain, name != plain, chip)
    form = "packed" if plain.startswith(_PACKED) and form == "e64" and "O" not in letters else form
    targets = _targets(random, plain, form, result, chip)
    sources = _sources(random, form, letters, plain, chip)
    exact = "cvt" not in plain and not any(word in plain for word in ROUNDED_ROUGHLY)
    can_clamp = (
        result[0] in "fdhpP" and exact and form in ("e64", "sdwa", "packed") and not re.search("pk_fmac|_dot2", plain)
    )
    clamp = name != plain or ("_iu" in plain and random.random() < 0.3) or (can_clamp and random.random() < 0.15)
    scales = result[0] in "fdh" and len(result) == 1 and form == "e64" and exact
    omod = random.randrange(1, 4) if scales and random.random() < 0.1 else 0
    selectors = _selectors(random, form, plain, result, letters, chip)
    fields = _fields(random, plain, form, result, letters, chip)
    return Instruction(plain, form, targets, sources, clamp, omod, selectors, fields)


def _targets(random: Random, name: str, form: str, result: str, chip: Chip) -> tuple[Operand, ...]:
    targets: tuple[Operand, ...] = ()
    if result != "M":
        target = vgpr(random, 2 if result[0] in WIDE else 1, True)
        halved = chip.generation > 9 and result[0] in "hw" and "^" not in result and "mix" not in name
        targets = (replace(target, half=random.randrange(2)),) if halved else (target,)
    if "M" in result and ("cmpx" not in name or chip.generation == 9):
        free = form.startswith("e64") or (form == "sdwa" and result == "M")
        targets += (mask(random, chip, True) if free else vcc_mask(chip),)
    return targets


def _sources(random: Random, form: str, letters: str, name: str, chip: Chip) -> tuple[Operand, ...]:
    free = form in ("e64", "packed")
    scalar = _scalar(random, letters, chip) if free and "c" not in letters and "P" not in letters else None
    spare = chip.generation > 9 and form == "e64" and random.random() < 0.2  # one literal in RDNA's VOP3
    made = []
    for k, letter in enumerate(letters):
        if letter in "OV":
            continue
        if letter == "c":
            made.append(mask(random, chip) if form.startswith("e64") else vcc_mask(chip))
            continue
        operand, choice = vgpr(random, 2 if letter in WIDE else 1), random.random()
        if letter == "L":
            operand = literal(random, "h" if name.endswith("16") else "f")
        elif form == "e32":
            operand = _first(random, letter, operand, chip) if k == 0 and not set(letters) & set("cLV") else operand
        elif spare and letter in "fuhwd" and choice < 0.4:
            operand, spare, scalar = literal(random, letter), False, None
        elif scalar and choice < 0.15 and (letter in WIDE) == (letters[0] in "dq"):
            operand = scalar
        elif free and letter not in "P" and choice < 0.3:
            operand = constant(random, letter in "fdhpx" and not ("mix" in name and letter == "x"))
        made.append(_modified(random, form, letter, operand, name, chip))
    return tuple(made)


def _scalar(random: Random, letters: str, chip: Chip) -> Operand:
    return sgpr(random, 2 if letters[0] in "dq" else 1, chip=chip)


def _first(random: Random, letter: str, operand: Operand, chip: Chip) -> Operand:
    """VOP1, VOP2 and VOPC take anything first: a literal too."""
    match random.randrange(4):
        case 0 if letter in "fuhwd":
            return literal(random, letter)
        case 1:
            return sgpr(random, 2 if letter in WIDE else 1, chip=chip)
        case 2:
            return constant(random, letter in "fdh")
    return operand


def _modified(random: Random, form: str, letter: str, operand: Operand, name: str, chip: Chip) -> Operand:
    if chip.generation > 9 and letter in "hw" and operand.kind == "v" and "fma_mix" not in name:
        operand = replace(operand, half=random.randrange(2))
    if form in ("e32", "dpp8") or "v_dual" in name:
        return operand
    if (
        form == "sdwa"
        and letter in "uw"
        and operand.kind == "v"
        and "cndmask" not in name
        and not re.search("_f32_u|bf16", name)
    ):
        return replace(operand, extended=random.random() < 0.3)
    if letter in "fdhx" and operand.kind != "const" and "ldexp" not in name + "u" and "_dot" not in name:
        return replace(operand, negative=random.random() < 0.25, absolute=random.random() < 0.2)
    return operand


def _selectors(
    random: Random, form: str, name: str, result: str, letters: str, chip: Chip
) -> dict[str, tuple[int, ...]]:
    def bits(count: int) -> tuple[int, ...]:
        return tuple(random.randrange(2) for _ in range(count))

    if form == "packed":
        if "_iu" in name:
            return {"neg_lo": (*bits(2), 0)}
        if name.startswith(("v_dot", "v_pk_fmac")):
            return {}
        made = {"op_sel": bits(len(letters)), "op_sel_hi": bits(len(letters))}
        if letters[0] in "pP" and "mov" not in name:
            made |= {"neg_lo": bits(len(letters)), "neg_hi": bits(len(letters))}
        return made
    if chip.generation == 9 and form == "e64" and ("!" in result or name in _HALVES_CHOSEN):
        chosen = bits(len(letters) + 1)
        if (
            "ashr_pk" in name or "bitop3" in name
        ):  # no document says whether the upper half is kept when the lower one is written
            chosen = (0, 0, 0, 1)
        if letters == "ff":  # sources of 32 bits have no halves
            chosen = (0, 0, chosen[2])
        return {"op_sel": chosen[:-1] + ((chosen[-1],) if "!" in result else (0,))}
    return {}


def _fields(random: Random, name: str, form: str, result: str, letters: str, chip: Chip) -> dict[str, int | str]:
    if re.fullmatch("v_cvt_f32_(fp|bf)8", name) and chip.generation == 12 and form == "e64":
        return {"byte_sel": random.randrange(4)}
    if "bitop3" in name:
        return {"bitop3": hex(random.getrandbits(8))}
    if form in MOVED:
        return _dpp(random, form, chip, bool(set(result + letters) & set(WIDE)))
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
    return made | {f"src{k}_sel": selector(letter) for k, letter in enumerate(letters) if letter not in "cOVL"}


def _dpp(random: Random, form: str, chip: Chip, wide: bool) -> dict[str, int | str]:
    made: dict[str, int | str]
    if form.endswith("dpp8"):
        made = {"control": f"dpp8:[{','.join(str(random.randrange(8)) for _ in range(8))}]"}
        return made | ({"fi": 1} if random.random() < 0.5 else {})
    row_mask = random.choice((15, random.randrange(16)))
    only = ("row_bcast", "wave", "row_newbcast") if chip.generation == 9 else ("row_share", "row_xmask")
    every = ("quad_perm", "row_shl", "row_shr", "row_ror", "row_mirror", "row_half_mirror", *only)
    control = "row_newbcast" if wide and chip.generation == 9 else random.choice(every)
    if control == "quad_perm":
        text = f"quad_perm:[{','.join(str(random.randrange(4)) for _ in range(4))}]"
    elif control == "row_bcast":
        last = random.choice((15, 31))
        text, row_mask = f"row_bcast:{last}", 0xE if last == 15 else 0xC
    elif control == "wave":
        text = random.choice(("wave_shl:1", "wave_shr:1", "wave_rol:1", "wave_ror:1"))
    else:
        text = control + ("" if "mirror" in control else f":{random.randrange(1, 16)}")
    made = {"control": text, "row_mask": row_mask, "bank_mask": random.choice((15, random.randrange(16)))}
    if random.random() < 0.5:
        made["bound_ctrl"] = 0 if chip.generation == 9 else 1
    return made | ({"fi": 1} if chip.generation > 9 and random.random() < 0.4 else {})
