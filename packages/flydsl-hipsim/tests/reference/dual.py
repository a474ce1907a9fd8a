"""Which instructions can be halves of RDNA's dual ones in, random pairs out.

Sources of both come from different banks (numbers modulo four, of the accumulators modulo two), and one destination
has an even number, the other an odd one. Both read before one writes.
"""

from __future__ import annotations

from random import Random

from .chips import Chip
from .draw import constant, sgpr
from .instruction import Instruction, Operand

_OLD = ("max_f32", "min_f32")
DUAL_FIRST = (
    "fmac_f32", "mul_f32", "add_f32", "sub_f32", "subrev_f32", "mul_dx9_zero_f32", "mov_b32", "cndmask_b32", *_OLD,
    "max_num_f32", "min_num_f32",
)  # fmt: skip
DUAL_SECOND = (*DUAL_FIRST, "add_nc_u32", "lshlrev_b32", "and_b32")


def half(random: Random, name: str, banks: int, parity: int, scalars: bool) -> Instruction:
    """Registers of one half: `banks` is the lowest two bits of its sources' numbers."""

    def source(place: int) -> Operand:
        return Operand("v", 4 * random.randrange(8) + (banks + place) % 4)

    first = source(0)
    choice = random.random()
    if choice < 0.15:
        first = constant(random, name.endswith("f32"))
    elif choice < 0.3 and scalars:
        first = sgpr(random, 1)
    target = Operand("v", 2 * random.randrange(16) + parity)
    sources = (first,) if name == "mov_b32" else (first, source(1))
    return Instruction(f"v_dual_{name}", "dual", (target,), sources)


def dual_instruction(random: Random, name: str, chip: Chip) -> Instruction:
    """`name` is that of one half; the other is any that the chip has."""
    name = name.removeprefix("v_dual_")
    minima = tuple(f"{word}{'_num' if chip.generation == 12 else ''}_f32" for word in ("max", "min"))
    fit = [each for each in DUAL_FIRST if not each.startswith(("max", "min")) or each in minima]
    bank, parity = random.randrange(4), random.randrange(2)
    second = random.choice([*fit, *DUAL_SECOND[-3 : -1 if chip.arch == "gfx1250" else None]])
    first = name if name in DUAL_FIRST else random.choice(fit)
    second = second if name in DUAL_FIRST else name
    scalars = "cndmask_b32" not in (first, second)  # which reads vcc
    x = half(random, first, bank, parity, scalars)
    y = half(random, second, (bank + random.randrange(1, 4)) % 4, 1 - parity, False)
    return Instruction(x.name, "dual", x.targets, x.sources, second=y)
