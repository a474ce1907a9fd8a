"""Vectors: element by element with the typing rules of scalars."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.numbers import operators


def test_arithmetic_is_element_by_element_with_the_typing_rules(emitted):
    def use(x):
        v = fx.Vector.from_elements([x, 2, 3.0], fx.Float32)
        w = fx.full(3, 2, fx.Int32)
        return [v + w, v * x, v > w, -v]

    run = emitted(use, fx.Float16)
    assert [(r.dtype, r.shape) for r in run.result] == [
        (fx.Float32, (3,)),
        (fx.Float32, (3,)),
        (fx.Boolean, (3,)),
        (fx.Float32, (3,)),
    ]
    assert [n for n in run.names if n.startswith("arith.")] == [
        "arith.extf",
        "arith.sitofp",
        "arith.addf",
        "arith.extf",
        "arith.mulf",
        "arith.sitofp",
        "arith.cmpf",
        "arith.negf",
    ]


def test_elements_conversions_and_shapes(emitted):
    def use(x):
        v = fx.full((2, 4), x, fx.Float32)
        flat = v.reshape(8)
        assert len(flat) == 8
        assert flat.numel == 8
        assert flat[-1].dtype is fx.Float32
        assert flat.bitcast(fx.Int8).shape == (32,)
        assert flat.to(fx.Float16).dtype is fx.Float16
        assert flat.to(fx.Float32) is flat
        assert flat.broadcast_to((3, 8)).shape == (3, 8)
        assert fx.Vector.zeros_like(flat).shape == (8,)
        assert [e.dtype for e in fx.full(2, 1, fx.Int32)] == [fx.Int32, fx.Int32]
        return flat

    names = emitted(use, fx.Float32).names
    assert {"vector.shape_cast", "vector.extract", "vector.bitcast", "arith.truncf", "vector.broadcast"} <= set(names)


@pytest.mark.parametrize(
    "dtype, op, kind",
    [
        (fx.Float32, "ADD", "add"),
        (fx.Float32, "MAX", "maxnumf"),
        (fx.Float32, "MIN", "minimumf"),
        (fx.Int32, "MAX", "maxsi"),
        (fx.Uint32, "MIN", "minui"),
        (fx.Int32, "MUL", "mul"),
    ],
)
def test_a_reduction_has_the_kind_of_its_type(emitted, dtype, op, kind):
    run = emitted(lambda x: fx.full(4, x, dtype).reduce(fx.ReductionOp[op], 1), dtype)
    assert run.result.dtype is dtype
    assert f"#vector.kind<{kind}>" in run.ops[-1]


def test_select_takes_elements_where_a_vector_of_booleans_holds(emitted):
    def use(x):
        v = fx.full(4, x, fx.Float32)
        return (v > 0.0).select(v, 0)

    run = emitted(use, fx.Float32)
    assert run.names[-1] == "arith.select"
    assert run.result.dtype is fx.Float32


def test_misuse_is_an_error_that_says_what_fits(emitted):
    def use():
        v = fx.full(4, 1, fx.Int8)
        with pytest.raises(FrontendError, match=r"one shape, found \(4,\) and \(3,\)"):
            v + fx.full(3, 1, fx.Int8)
        with pytest.raises(FrontendError, match="out of range for a vector of 4"):
            v[4]
        with pytest.raises(FrontendError, match="cannot take the shape"):
            v.reshape(5)
        with pytest.raises(FrontendError, match="cannot be read as elements"):
            v.bitcast(fx.Int64)
        with pytest.raises(FrontendError, match="does not broadcast"):
            v.broadcast_to((4, 2))
        with pytest.raises(FrontendError, match="at least one element"):
            fx.Vector.from_elements([])
        with pytest.raises(FrontendError, match="select needs a scalar or vector"):
            operators.select("v", v, v)

    emitted(use)
