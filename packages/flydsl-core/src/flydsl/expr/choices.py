"""The named choices that operations of the language take."""

from __future__ import annotations

from enum import Enum

__all__ = ["AtomicOp", "GemmTraversalOrder", "MmaOperand"]


class AtomicOp(Enum):
    """How an atomic copy combines; the value is the dialect's name."""

    Add = "add"
    Max = "max"
    Min = "min"
    And = "and"
    Or = "or"
    Inc = "inc"
    Dec = "dec"


class MmaOperand(Enum):
    """The matrix an operand of an MMA stands for, in D = A * B + C."""

    A = "a"
    B = "b"
    C = "c"
    D = "d"


class GemmTraversalOrder(Enum):
    """Which of M, N and K `gemm` steps through first (the first letter changes fastest).

    `Serpentine`: backwards on every other pass, so that the last fragment of a pass is the first of the next.
    """

    KMN = "kmn"
    KNM = "knm"
    MKN = "mkn"
    MNK = "mnk"
    NKM = "nkm"
    NMK = "nmk"
    KMN_Serpentine = "kmn_serpentine"
    KNM_Serpentine = "knm_serpentine"
    MKN_Serpentine = "mkn_serpentine"
    MNK_Serpentine = "mnk_serpentine"
    NKM_Serpentine = "nkm_serpentine"
    NMK_Serpentine = "nmk_serpentine"
