"""Types of atoms: thread-value layouts, and parameters by name."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from flydsl.ir.fly.types import (
    CopyAtomType,
    IntTupleType,
    LayoutType,
    MmaAtomType,
    UniversalCopyType,
    UniversalFMAType,
)

COPY = CopyAtomType.get(UniversalCopyType.get(128), 32)
FMA = MmaAtomType.get(UniversalFMAType.get(f32))


def test_copy_atom_counts_in_values_of_its_width() -> None:
    assert (COPY.copy_op, COPY.val_bits) == (UniversalCopyType(128), 32)
    assert COPY.tv_layout_src == COPY.tv_layout_dst == COPY.tv_layout_ref == LayoutType.get((1, 4), (1, 1))
    assert COPY.thr_layout == LayoutType.get(1, 1)
    assert COPY.is_static


def test_matrix_atom_names_its_extents_and_layouts() -> None:
    assert FMA.mma_op == UniversalFMAType(f32)
    assert FMA.shape_mnk == IntTupleType((1, 1, 1))
    assert FMA.tv_layout_a == FMA.tv_layout_b == FMA.tv_layout_c == LayoutType.get((1, 1), (1, 1))
    assert FMA.thr_layout == LayoutType.get(1, 1)
