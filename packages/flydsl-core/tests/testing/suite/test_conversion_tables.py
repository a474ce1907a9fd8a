"""What conversions have to give, compared with NumPy where that rounds once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flydsl.testing.suite import conversion_tables as tables


@pytest.mark.parametrize("source", tables.SOURCES)
def test_floats_are_those_of_numpy(source: str) -> None:
    numbers = tables.operands(source)
    half, _, single = tables.expected_floats(source)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(single, numbers.astype(np.float32))
        if numbers.dtype.itemsize < 4 or source == "float32":  # of wide integers NumPy rounds twice
            np.testing.assert_array_equal(half, numbers.astype(np.float16).astype(np.float32))


def test_integers_are_rounded_once_to_bfloat16() -> None:
    assert tables.rounded(16842753, "BFloat16") == 16908288
    assert tables.rounded(-257, "BFloat16") == -256
    assert tables.rounded(65520, "Float16") == math.inf
    assert tables.rounded(1e-45, "Float32") == float(np.float32(1e-45))
    assert math.copysign(1, tables.rounded(-1e-50, "Float32")) == -1


@pytest.mark.parametrize("source", tables.SOURCES)
def test_integers_keep_their_low_bits(source: str) -> None:
    allowed = tables.is_whole(source)
    numbers = tables.operands(source)[allowed]
    for name, found in zip(tables.INTEGERS, tables.expected_integers(source), strict=True):
        kind = f"{'u' if name.startswith('U') else ''}int{name.rpartition('t')[2]}"
        np.testing.assert_array_equal(found[allowed], numbers.astype(kind).astype(np.int64))
        assert not found[~allowed].any()
