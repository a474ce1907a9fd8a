"""Arguments of a host function: their IR types, and the values that stand for them."""

from __future__ import annotations

import pytest
from xdsl.ir import Block

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.expr.tracing import context
from flydsl.expr.values.emitter import Emitter, TargetInfo
from flydsl.frontend.arguments import add_argument, argument_types
from flydsl.frontend.signature import (
    ConstexprSpec,
    PointerSpec,
    ProtocolSpec,
    ScalarSpec,
    StreamSpec,
    TensorSpec,
    TreeSpec,
)
from flydsl.layout import parse_layout

TENSOR = TensorSpec("Float16", parse_layout("(?,8):(?{i64},1)"), 16)


def added(spec):
    """The value that stands for an argument and the block arguments behind it."""
    block = Block()
    with context.tracing(Emitter(block, TargetInfo("none", "none", 32), "host", None)):
        return add_argument(block, spec), [str(arg.type) for arg in block.args]


@pytest.mark.parametrize(
    ("spec", "types"),
    [
        (TENSOR, ["!fly.memref<f16, global, (?,8):(?{i64},1), align<16>>"]),
        (TensorSpec("Boolean", parse_layout("4:1"), 1), ["!fly.memref<i8, global, 4:1>"]),
        (ScalarSpec("Uint8"), ["i8"]),
        (PointerSpec("Float32", 1, 4), ["!fly.ptr<f32, global>"]),
        (ConstexprSpec(5, "5"), []),
        (StreamSpec(), ["!gpu.async.token"]),
    ],
)
def test_types_of_an_argument(spec, types):
    assert [str(type_) for type_ in argument_types(spec)] == types


def test_values_are_of_the_language():
    tensor, _ = added(TENSOR)
    assert (type(tensor), tensor.dtype) == (fx.Tensor, fx.Float16)
    scalar, types = added(ScalarSpec("Uint8"))
    assert (scalar.dtype, types) == (fx.Uint8, ["i8"])
    pointer, _ = added(PointerSpec("Float32", 1, 4))
    assert isinstance(pointer, fx.Pointer)
    assert isinstance(added(StreamSpec())[0], fx.Stream)


def test_a_value_of_the_code_is_itself():
    value = object()
    assert added(ConstexprSpec(value, "x")) == (value, [])


def test_a_container_is_built_of_its_leaves():
    leaves = (ScalarSpec("Int32"), ConstexprSpec("a", "a"), ScalarSpec("Float64"))
    (first, second, third), types = added(TreeSpec("tuple", leaves, tuple))
    assert (first.dtype, second, third.dtype) == (fx.Int32, "a", fx.Float64)
    assert types == ["i32", "f64"]


class Pair:
    """An object of a program's own type."""

    def __init__(self, *values):
        self.values = values

    def __get_ir_types__(self):
        return [fx.Int32.ir_type_of(), fx.Float32.ir_type_of()]

    def __extract_to_ir_values__(self):
        return list(self.values)

    def __construct_from_ir_values__(self, values):
        return Pair(*values)


def test_an_object_says_its_types_and_is_made_of_the_values():
    value, types = added(ProtocolSpec("pair", Pair, Pair()))
    assert types == ["i32", "f32"]
    assert isinstance(value, Pair)
    assert [str(v.type) for v in value.values] == types


def test_a_number_is_made_of_one_value():
    with pytest.raises(ArgumentError, match="a Int32 is made of one IR value, and Pair has 2"):
        added(ProtocolSpec("pair", fx.Int32, Pair()))


def test_types_are_those_of_the_ir():
    class Wrong(Pair):
        def __get_ir_types__(self):
            return ["i32"]

    with pytest.raises(ArgumentError, match=r"Wrong.__get_ir_types__ gives IR types such as .*, found 'i32'"):
        argument_types(ProtocolSpec("wrong", Wrong, Wrong()))
