"""The registry knows the core's numeric types, and no others."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl.expr.numbers.meta import NumericMeta
from flydsl.expr.numbers.registry import named, numeric_by_type, numeric_of_value, numeric_types


def test_every_concrete_type_is_known_by_its_name():
    concrete = {kind for kind in vars(fx).values() if isinstance(kind, NumericMeta) and kind.mlir_name}
    assert set(numeric_types()) == concrete
    assert all(named(kind.__name__) is kind for kind in concrete)


def test_a_class_of_a_program_does_not_replace_a_type():
    class Feet(fx.Float32, width=32, ir_type="f32"):
        pass

    assert Feet not in numeric_types()
    assert numeric_by_type()[fx.Float32.ir_type] is fx.Float32


def test_an_integer_of_the_ir_is_signed():
    assert numeric_by_type()[fx.Uint32.ir_type] is fx.Int32


def test_what_is_no_scalar_of_the_ir_has_no_type():
    assert numeric_of_value("text") is None
