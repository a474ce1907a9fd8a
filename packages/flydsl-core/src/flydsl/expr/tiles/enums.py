"""The named choices that operations of the language take; the dialect knows each by its name in lower case."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["AtomicOp", "CachePolicy", "GemmTraversalOrder", "MmaOperand"]


class AtomicOp(IntEnum):
    """How an atomic copy combines destination and source."""

    Add = 0
    Max = 1
    Min = 2
    And = 3
    Or = 4
    Inc = 5
    Dec = 6


class CachePolicy(IntEnum):
    """Caching of a copy: `CacheGlobal` bypasses the nearest cache, `CacheAlways` uses all."""

    CacheGlobal = 0
    CacheAlways = 1


class MmaOperand(IntEnum):
    """The operands of an MMA, D = A * B + C."""

    A = 0
    B = 1
    C = 2
    D = 3


class GemmTraversalOrder(IntEnum):
    """The order in which `gemm` visits M, N and K; the first letter changes fastest.

    `Serpentine`: backwards on every other pass, so that the last fragment of a pass is the first of the next.
    """

    KMN = 0
    KNM = 1
    MKN = 2
    MNK = 3
    NKM = 4
    NMK = 5
    KMN_Serpentine = 6
    KNM_Serpentine = 7
    MKN_Serpentine = 8
    MNK_Serpentine = 9
    NKM_Serpentine = 10
    NMK_Serpentine = 11
