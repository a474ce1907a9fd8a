"""A random source and a chip in, operands out."""

from __future__ import annotations

import struct
from random import Random

from .chips import Chip
from .contents import REGISTERS, SCALAR_REGISTERS, word
from .instruction import Operand

_FLOATS = (0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0)


def constant(random: Random, floats: bool) -> Operand:
    """An inline constant."""
    if floats and random.random() < 0.5:
        value = random.choice(_FLOATS)
        return Operand("const", struct.unpack("<Q", struct.pack("<d", value))[0], text=str(value))
    value = random.randrange(-16, 65)
    return Operand("const", value, text=str(value))


def literal(random: Random, letter: str) -> Operand:
    """Not one that the assembler makes an inline constant of."""
    value = word(random)
    if letter in "hw":
        value = value >> 16 & 0x7FFF | 0x4321
    value |= 0x1001
    return Operand("const", value, text=f"{value:#x}")


def vgpr(random: Random, count: int = 1, target: bool = False) -> Operand:
    low = REGISTERS // 2 if target and random.random() < 0.7 and count <= 8 else 0
    index = random.randrange(low, REGISTERS - count + 1)
    return Operand("v", index & ~1 if count > 1 else index, count)


def sgpr(random: Random, count: int, target: bool = False, chip: Chip | None = None) -> Operand:
    """A register, or vcc; as a source exec too."""
    kind = random.randrange(16)
    if count == 2 and kind < 2:
        return Operand("vcc", count=2, text="vcc")
    if not target and kind == 2 and count == 1:
        return Operand("vcc", text="vcc_lo")
    if not target and kind == 3 and count == 1:
        return Operand("exec", text="exec_lo")
    if not target and kind == 3 and count == 2 and chip and chip.lanes == 64:
        return Operand("exec", count=2, text="exec")
    index = random.randrange(0, SCALAR_REGISTERS - count + 1)
    return Operand("s", index // 4 * 4 if count > 2 else index & ~1 if count == 2 else index, count)


def vcc_mask(chip: Chip) -> Operand:
    return Operand("vcc", count=chip.mask_words, text="vcc" if chip.lanes == 64 else "vcc_lo")


def mask(random: Random, chip: Chip, target: bool = False) -> Operand:
    """Where a lane mask is."""
    return vcc_mask(chip) if random.random() < 0.15 else sgpr(random, chip.mask_words, target=True)
