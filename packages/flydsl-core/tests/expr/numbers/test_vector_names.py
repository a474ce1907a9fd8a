"""The vectors that fit in registers, by name."""

from __future__ import annotations

import re

import flydsl.expr as fx
from flydsl.expr.numbers import vector_names

CLASSES = {name: value for name, value in vars(vector_names).items() if not name.startswith("_")}
REGISTER_BITS = 256


def test_each_name_says_the_element_type_and_the_count():
    for name, kind in CLASSES.items():
        dtype, lanes = re.fullmatch(r"(.+)x(\d+)", name).groups()
        assert kind is fx.VectorAlias(getattr(fx, dtype), int(lanes)), name
        assert (kind.__name__, kind.__module__) == (name, vector_names.__name__)
        assert getattr(fx, name) is kind


def test_counts_are_powers_of_two_that_fit_in_a_register():
    widths = {kind.dtype: set() for kind in CLASSES.values()}
    for kind in CLASSES.values():
        (lanes,) = kind.shape
        assert lanes & (lanes - 1) == 0
        widths[kind.dtype].add(lanes)
    for dtype, counts in widths.items():
        assert max(counts) * dtype.width <= REGISTER_BITS, dtype
        assert counts == {lanes for lanes in (1, 2, 4, 8, 16, 32) if min(counts) <= lanes <= max(counts)}, dtype


def test_every_type_of_whole_bytes_has_a_vector_of_one_128_bit_access():
    dtypes = {kind.dtype for kind in CLASSES.values()}
    assert {fx.Float32, fx.Float16, fx.BFloat16, fx.Int8, fx.Uint32, fx.Float8E4M3FN, fx.Int4} <= dtypes
    assert all(fx.VectorAlias(dtype, 128 // dtype.width).__name__ in CLASSES for dtype in dtypes)
