"""Values with layout information: static ones are their payload, dynamic ones carry an SSA value."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl import layout as fl
from flydsl.expr.layouts.value import StructuredValue


def test_a_static_value_is_its_payload_and_has_no_ssa_values():
    layout = fx.make_layout((4, 2), (2, 1))
    assert layout.is_static
    assert layout.__extract_to_ir_values__() == []
    assert layout.__construct_from_ir_values__([]) is layout
    assert repr(layout) == "Layout((4,2):(2,1))"


def test_a_static_value_becomes_an_operation_only_as_an_operand(emitted):
    def use():
        layout = fx.make_layout((4, 2), (2, 1))
        return layout, layout.ir_type, layout.ir_value()

    run = emitted(use)
    layout, type_, value = run.result
    assert run.names == ["fly.static"]
    assert value.type == type_
    assert str(type_) == "!fly.layout<(4,2):(2,1)>"
    assert layout.is_static


def test_a_dynamic_value_keeps_the_payload_of_its_type(emitted):
    def use(n):
        layout = fx.make_layout((n, 4), (4, 1))
        (ssa,) = layout.__extract_to_ir_values__()
        return layout, ssa, layout.__construct_from_ir_values__([ssa]), fx.Layout(ssa), fx.Layout(layout)

    layout, ssa, *others = emitted(use, fx.Int32).result
    assert not layout.is_static
    assert layout.ir_value() is ssa
    assert layout.ir_type == ssa.type
    for other in others:
        assert type(other) is fx.Layout
        assert other.payload == layout.payload
        assert other.ir_value() is ssa


def test_a_mode_is_an_index_or_a_path():
    value = StructuredValue(fl.Layout((4, (2, 3)), (6, (3, 1))))
    assert value._get(0).payload == fl.Layout(4, 6)
    assert value._get((1, 1)).payload == fl.Layout(3, 1)
    assert value._layout() is value
