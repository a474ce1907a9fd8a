"""What AMD chips differ by: everything that asks which chip it is for asks for one of these.

Which chip has which is LLVM's word (22): the features that clang states for a chip, the intrinsics of which `llc` makes
an instruction, and the occupancy that it computes. The rows are in `target.py`,
which a process that finds its code in the cache reads without this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from types import MappingProxyType

from flydsl_rocm.target import TARGETS, Family


class Feature(Enum):
    """A property of a chip."""

    # The instruction set's manual that describes it, by which `fx.rocdl.cdna3` and the others are named.
    CDNA = auto()
    CDNA3 = auto()
    """CDNA4 as well."""
    CDNA4 = auto()
    CDNA5 = auto()
    RDNA3 = auto()
    """RDNA 3.5 as well."""
    RDNA4 = auto()

    # Matrix instructions.
    MFMA = auto()
    MFMA_GFX90A = auto()
    """Shapes that CDNA3 gave up for deeper ones."""
    MFMA_GFX942 = auto()
    MFMA_FP8 = auto()
    MFMA_GFX950 = auto()
    WMMA = auto()
    WMMA_GFX11 = auto()
    WMMA_GFX12 = auto()
    WMMA_GFX1250 = auto()

    # Conversions.
    FP8_CONVERSIONS = auto()
    FNUZ = auto()
    """Its 8-bit floats have no negative zero; they are those of the OCP elsewhere."""
    BF16_CONVERSIONS = auto()
    TANH = auto()

    # Atomics of buffer memory.
    ATOMICS_F64 = auto()
    ATOMIC_MIN_MAX_F32 = auto()
    ATOMIC_PACKED_F16 = auto()
    ATOMIC_PACKED_BF16 = auto()

    # Moves between lanes.
    ROW_BROADCASTS = auto()
    """DPP goes from row to row of a wave of 64; `ds_bpermute` reads any lane of it."""
    HALF_WAVE_PERMUTE = auto()
    """In a wave of 64, `ds_bpermute` reads lanes of its half only."""
    PERMLANEX16 = auto()
    PERMLANE16_SWAP = auto()
    PERMLANE32_SWAP = auto()

    # Memory.
    LOADS_TO_LDS = auto()
    """Of up to 4 bytes a lane, from buffers."""
    WIDE_LOADS_TO_LDS = auto()
    """Of 12 and 16 bytes as well."""
    ASYNC_MARKS = auto()
    ASYNC_COPIES = auto()
    """Between global memory and LDS, with a counter of their own."""
    TENSOR_MOVES = auto()
    SIGNED_OFFSETS = auto()
    """Beside a scalar base, offsets of global memory are signed."""
    CHECKED_OFFSETS = auto()
    """The resource of a buffer says how its bound is checked."""
    LONG_RESOURCES = auto()
    """The resource of a buffer has 45 bits of bound, and no format."""
    LDS_BANKS_64 = auto()
    CLUSTERS = auto()

    # Waits.
    SPLIT_COUNTERS = auto()
    """A counter, and a wait, for each kind of memory operation."""
    EXPORT_COUNTER = auto()
    """And a wait for exports among them."""

    # Registers.
    ACCUMULATION_REGISTERS = auto()
    REGISTERS_1536 = auto()
    """Half as many again as the others of its family."""
    REGISTERS_1024 = auto()
    """That a lane can name."""
    REGISTER_BANKS = auto()
    """Of vector registers, which a value may ask for."""
    TRUE16 = auto()
    """Halves of registers are operands."""

    # How code is named.
    GENERIC = auto()
    """Not one chip but what a family has in common, which needs version 6 of code objects."""


F = Feature

_CDNA = frozenset(
    {F.CDNA, F.MFMA, F.ATOMICS_F64, F.ATOMIC_PACKED_F16, F.ROW_BROADCASTS, F.LOADS_TO_LDS, F.ACCUMULATION_REGISTERS}
)
_CDNA2 = _CDNA | {F.MFMA_GFX90A}
_CDNA3_GENERIC = _CDNA | {F.CDNA3, F.MFMA_GFX942, F.ASYNC_MARKS}
"""What gfx942 and gfx950 have in common: their 8-bit floats differ."""
_CDNA3 = _CDNA3_GENERIC | {F.MFMA_FP8, F.FP8_CONVERSIONS, F.FNUZ}
_CDNA4 = _CDNA3_GENERIC | {
    *(F.CDNA4, F.MFMA_FP8, F.MFMA_GFX950, F.FP8_CONVERSIONS, F.BF16_CONVERSIONS, F.ATOMIC_PACKED_BF16),
    *(F.PERMLANE16_SWAP, F.PERMLANE32_SWAP, F.WIDE_LOADS_TO_LDS, F.LDS_BANKS_64),
}
_WAVE32 = frozenset({F.WMMA, F.ATOMIC_MIN_MAX_F32, F.PERMLANEX16, F.TRUE16})
_RDNA3 = _WAVE32 | {F.RDNA3, F.WMMA_GFX11, F.HALF_WAVE_PERMUTE, F.CHECKED_OFFSETS}
_GFX12 = _WAVE32 | {
    *(F.FP8_CONVERSIONS, F.ATOMIC_PACKED_F16, F.ATOMIC_PACKED_BF16, F.SPLIT_COUNTERS),
}
_RDNA4 = _GFX12 | {F.RDNA4, F.WMMA_GFX12, F.CHECKED_OFFSETS, F.EXPORT_COUNTER, F.REGISTERS_1536}
_CDNA5 = _GFX12 | {
    *(F.CDNA5, F.WMMA_GFX1250, F.BF16_CONVERSIONS, F.TANH, F.ATOMICS_F64, F.PERMLANE16_SWAP, F.ASYNC_MARKS),
    *(F.ASYNC_COPIES, F.TENSOR_MOVES, F.SIGNED_OFFSETS, F.LONG_RESOURCES, F.CLUSTERS, F.REGISTERS_1024),
    F.REGISTER_BANKS,
}

FAMILIES: Mapping[Family, frozenset[Feature]] = MappingProxyType(
    {
        "cdna2": _CDNA2,
        "cdna3": _CDNA3,
        "cdna4": _CDNA4,
        "cdna3-generic": _CDNA3_GENERIC | {F.GENERIC},
        "rdna3": _RDNA3,
        "rdna3-large": _RDNA3 | {F.REGISTERS_1536},
        "rdna4": _RDNA4,
        "cdna5": _CDNA5,
    }
)
"""What the chips of a family have."""


def chips_with(feature: Feature) -> frozenset[str]:
    """The chips that have it."""
    return frozenset(chip for chip, target in TARGETS.items() if feature in target.features)
