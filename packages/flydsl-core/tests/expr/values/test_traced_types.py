"""The static types of traced values count as every type that a user's annotation may name."""

from __future__ import annotations

import ast
from pathlib import Path

import flydsl.expr as fx
from flydsl.expr.values import operand_types

TREE = ast.parse(Path(operand_types.__file__).with_name("traced_types.pyi").read_text())
BASES = {
    node.name: {base.id for base in node.bases if isinstance(base, ast.Name)}
    for node in TREE.body
    if isinstance(node, ast.ClassDef)
}


def test_a_scalar_counts_as_each_concrete_numeric_type():
    numeric = {name for name in dir(fx) if isinstance(kind := getattr(fx, name), fx.NumericMeta) and kind.mlir_name}
    assert len(numeric) > 20
    assert BASES["Scalar"] == numeric


def test_a_structure_counts_as_what_the_algebra_gives():
    assert BASES["Structure"] == {"Layout", "IntTuple", "ComposedLayout", "Swizzle", "Tile", "Pointer", "Tensor"}
