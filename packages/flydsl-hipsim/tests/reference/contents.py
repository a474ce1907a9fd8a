"""A random source in, what registers and memory hold at the beginning out."""

from __future__ import annotations

from random import Random

from .chips import Chip

REGISTERS, SCALAR_REGISTERS = 32, 32
"""Registers that instructions may write."""
LDS_BYTES, SCRATCH_BYTES, MEMORY_BYTES = 4096, 256, 8192
LDS_ADDRESSES = (32, 33)
"""Registers with LDS addresses: one for each lane, and few that many lanes share."""
MEMORY_OFFSETS, POINTERS, INDICES = (34, 35), (36, 38), 42
"""Offsets in memory; addresses of 64 bits; an element's index, and an offset in it in the next register."""
BASE, RAW, STRUCTURED, OFFSET_SCALAR = 48, 52, 56, 60
"""Scalars: memory's middle; a buffer of bytes; one of elements of 16 bytes; a small offset."""
RAW_BYTES, ELEMENTS = 2504, 45
FLOAT_REGISTERS = {"f32": 44, "f64": 46, "pk_add_f16": 48, "pk_add_bf16": 49}
"""Registers with finite numbers for atomics: cmpst reads two, one after the other."""
FLOATS_IN_LDS = {"f32": 2048, "f64": 2560, "pk_add_f16": 3072, "pk_add_bf16": 3584}
FLOATS_IN_MEMORY = {"f32": 2400, "f64": 2600, "pk_add_f16": 2800, "pk_add_bf16": 3000}
"""Where they are, after the address in a register (in memory, the shared one): only these atomics go there."""
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


def contents(random: Random, chip: Chip, memory: int) -> dict[int, list[int]]:
    """Vector registers, with the addresses that the generator uses."""
    lanes = range(chip.lanes)
    vectors = {k: [word(random) for _ in lanes] for k in range(REGISTERS)}
    for first in range(0, REGISTERS, 8):  # doubles with few bits, and of like size
        for lane in lanes:
            if lane % 3:
                vectors[first][lane] = random.choice((0, 1, 0xFFFFFFFF, random.getrandbits(32)))
                vectors[first + 1][lane] = (
                    random.getrandbits(1) << 31 | random.randrange(1010, 1060) << 20 | random.getrandbits(20)
                )
    own, shared = [16 * lane for lane in lanes], [8 * (lane % 5) for lane in lanes]
    vectors |= {32: [8 * lane for lane in lanes], 33: shared, 34: own, 35: shared}
    for register, offsets in ((36, own), (38, shared)):
        places = [memory + MEMORY_BYTES // 2 + offset for offset in offsets]
        vectors |= {register: [p & 0xFFFFFFFF for p in places], register + 1: [p >> 32 for p in places]}
    for kind, register in FLOAT_REGISTERS.items():
        words = [finite(random, kind) for _ in lanes]
        vectors[register] = [w & 0xFFFFFFFF for w in words]
        if kind == "f64":
            vectors[register + 1] = [w >> 32 for w in words]
    return vectors | {INDICES: list(lanes), INDICES + 1: [4 * (lane % 3) for lane in lanes]}


def finite(random: Random, kind: str) -> int:
    """Numbers whose sums stay numbers: with all signs, zeros and denormals."""
    bits, mantissa, bias = {
        "f32": (32, 23, 127),
        "f64": (64, 52, 1023),
        "pk_add_f16": (16, 10, 15),
        "pk_add_bf16": (16, 7, 127),
    }[kind]

    def one() -> int:
        sign = random.getrandbits(1) << bits - 1
        exponent = random.choice((0, bias, bias + random.randrange(-6, 5)))
        return sign | exponent << mantissa | random.choice((0, random.getrandbits(mantissa)))

    return one() | one() << 16 if kind.startswith("pk") else one()


def memory_contents(random: Random) -> bytearray:
    """Anything, with finite numbers where atomics on floats are."""
    data = bytearray(random.randbytes(MEMORY_BYTES))
    for kind, offset in FLOATS_IN_MEMORY.items():
        size = 8 if kind == "f64" else 4
        for at in range(MEMORY_BYTES // 2 + offset, MEMORY_BYTES // 2 + offset + 48, size):
            data[at : at + size] = finite(random, kind).to_bytes(size, "little")
    return data


def scalar_contents(random: Random, chip: Chip, memory: int) -> dict[int, int]:
    """Scalar registers, with resources of buffers: their last word is that of the generation."""
    scalars = {k: word(random) for k in range(SCALAR_REGISTERS)}
    middle = memory + MEMORY_BYTES // 2
    scalars |= {BASE: middle & 0xFFFFFFFF, BASE + 1: middle >> 32, OFFSET_SCALAR: 24}
    raw, structured = (0x27000, 0x27000) if chip.generation == 9 else (0x31016000, 0x1016000)
    for first, stride, records, last in ((RAW, 0, RAW_BYTES, raw), (STRUCTURED, 16, ELEMENTS, structured)):
        words = (middle & 0xFFFFFFFF, middle >> 32 | stride << 16, records, last)
        if chip.arch == "gfx1250":  # 57 bits of base, 45 of records, six of zeros, the stride
            words = (words[0], middle >> 32 | (records & 127) << 25, records >> 7, stride << 12)
        scalars |= {first + k: each for k, each in enumerate(words)}
    return scalars
