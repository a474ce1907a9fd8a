"""Numbers as unsigned integers of the same order."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.block.radix_keys import from_bits, to_bits, unsigned_of

VALUES: dict[Any, list[Any]] = {
    fx.Uint8: [0, 1, 200, 255],
    fx.Int16: [-32768, -5, 0, 7, 32767],
    fx.Int64: [-(1 << 63), -1, 0, 1 << 40],
    fx.Float32: [float("-inf"), -2.5, -0.0, 0.0, 1e-40, 3.0, float("inf")],
}


@pytest.mark.parametrize("dtype", VALUES, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("descending", [False, True])
def test_bits_have_the_order_of_the_keys(computed: Any, dtype: Any, descending: bool) -> None:
    bits = computed(lambda key: to_bits(key, descending=descending), dtype)
    found = [bits(value) for value in VALUES[dtype]]
    assert found == sorted(found, reverse=descending)
    assert len(set(found)) == len(found)
    back = computed(lambda key: from_bits(to_bits(key, descending=descending), dtype, descending=descending), dtype)
    assert list(map(repr, map(back, VALUES[dtype]))) == list(map(repr, VALUES[dtype])) or dtype is fx.Float32


def test_other_types_have_no_digits() -> None:
    assert unsigned_of(fx.Float64) is fx.Uint64
    for dtype in (fx.Boolean, fx.Int128, int):
        with pytest.raises(TypeError, match="keys are numbers of 8, 16, 32 or 64 bits"):
            unsigned_of(dtype)
