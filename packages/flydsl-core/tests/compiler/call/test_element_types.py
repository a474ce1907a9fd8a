"""Numeric types of tensor elements by their DLPack data types."""

from __future__ import annotations

import pytest

from flydsl.base.errors import UnsupportedTensorError
from flydsl.compiler.call.element_types import element_name
from flydsl.plugins.tensor_adaptor import DType


@pytest.mark.parametrize(
    ("dtype", "name"),
    [((0, 16), "Int16"), ((1, 8), "Uint8"), ((2, 64), "Float64"), ((4, 16), "BFloat16"), ((6, 8), "Boolean")],
)
def test_elements_have_the_types_of_the_language(dtype, name):
    assert element_name(DType(*dtype)) == name


@pytest.mark.parametrize("dtype", [(2, 32, 4), (5, 64), (0, 4)])
def test_other_elements_are_refused(dtype):
    with pytest.raises(UnsupportedTensorError, match=r"dtype with DLPack code \d.*; supported: BFloat16, Boolean"):
        element_name(DType(*dtype))
