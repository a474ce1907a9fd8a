from __future__ import annotations

import itertools

import numpy as np

import flydsl.expr as fx


def test_types_of_elements_equal_those_of_other_libraries():
    kinds = {fx.Float32: "float32", fx.Int8: "int8", fx.Boolean: "bool", fx.Uint64: "uint64", fx.Float16: "float16"}
    for kind, name in itertools.product(kinds, kinds.values()):
        expected = kinds[kind] == name
        scalar = np.dtype(name).type
        assert (kind == name, kind == np.dtype(name), np.dtype(name) == kind, kind == scalar) == (expected,) * 4
        assert (kind != name) is not expected
        assert (kind in (scalar,)) is expected


def test_extended_types_of_elements():
    import ml_dtypes

    for kind, scalar in ((fx.BFloat16, ml_dtypes.bfloat16), (fx.Float8E4M3FN, ml_dtypes.float8_e4m3fn)):
        assert kind == scalar
        assert kind == np.dtype(scalar)
        assert np.dtype(scalar) == kind
        assert fx.Float16 != scalar
        assert np.dtype(scalar) != fx.Float16


def test_what_is_no_type_of_elements_equals_none():
    for other in (None, "flaot32", float, object(), np.complex64, {}):
        assert fx.Float32 != other
