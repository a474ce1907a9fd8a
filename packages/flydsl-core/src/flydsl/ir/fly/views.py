"""Tensor operations on layout values: slices, partitions and fragments as (offset from the iterator, layout).

Type inference calls these with layouts of types, lowering with layouts whose dynamic leaves are emitted values.
"""

from __future__ import annotations

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.ir.fly.attributes import MmaOperand
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import CoordTensorType, CopyAtomType, MemRefType, TiledCopyType, TiledMmaType

__all__ = [
    "copy_atom_tv",
    "copy_partitioned",
    "copy_retiled",
    "decomposed",
    "fragment_layout",
    "mma_fragment",
    "mma_partition_shape",
    "mma_partitioned",
    "sliced",
]
