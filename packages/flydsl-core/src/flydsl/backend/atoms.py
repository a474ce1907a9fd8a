"""Copy and matrix atoms of a target: the base classes of their types, and how their text is read and printed.

A copy atom subclasses `CopyOpType`, a matrix atom `MmaOpType`: a type of the dialect with its layouts. What the atom
becomes is said to the lowering, `flydsl.backend.lowering`.
"""

from __future__ import annotations

from flydsl.expr.tiles.atoms import check_is_there
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType, OneThreadCopy, mma_body, read_mma_body
from flydsl.ir.fly.base import FlyAttribute, FlyType, text_of
from flydsl.ir.fly.reader import Reader

__all__ = [
    "CopyOpType",
    "FlyAttribute",
    "FlyType",
    "MmaOpType",
    "OneThreadCopy",
    "Reader",
    "check_is_there",
    "mma_body",
    "read_mma_body",
    "text_of",
]
