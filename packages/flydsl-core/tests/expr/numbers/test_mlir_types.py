"""MLIR types by their spelling."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.numbers.mlir_types import scalar_type, vector_type
from flydsl.expr.numbers.registry import numeric_types


@pytest.mark.parametrize("dtype", [*numeric_types()], ids=lambda dtype: dtype.__name__)
def test_each_numeric_type_has_the_type_of_its_spelling(dtype):
    assert str(scalar_type(dtype.mlir_name)) == dtype.mlir_name
    assert scalar_type(dtype.mlir_name) is scalar_type(dtype.mlir_name)


def test_vectors():
    assert str(vector_type("f16", (2, 3))) == "vector<2x3xf16>"
    assert fx.Float8E4M3FN.mlir_name == "f8E4M3FN"
