"""Names of data types against those who use them."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl.adaptors.dtypes import DTYPES

NATIVE = [name for name in DTYPES if name == "bool" or hasattr(np, name)]


@pytest.mark.parametrize("name", NATIVE)
def test_bits_and_kind_are_those_of_numpy(name: str) -> None:
    dtype, entry = np.dtype(name), DTYPES[name]
    assert entry.bits == 8 * dtype.itemsize
    assert entry.code == {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}[dtype.kind]


def test_float8_names_carry_their_width() -> None:
    small = {name: dtype for name, dtype in DTYPES.items() if "_" in name}
    assert all(dtype.bits == int(name[5]) for name, dtype in small.items())
    assert len({(dtype.code, dtype.lanes) for dtype in small.values()}) == len(small)


def test_unknown_names_have_none() -> None:
    assert "float128" not in DTYPES
