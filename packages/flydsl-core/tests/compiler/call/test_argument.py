"""Kinds of arguments: their IR types, the values that stand for them, and how their slots are packed."""

from __future__ import annotations

import pytest
from xdsl.ir import Block

import flydsl.expr as fx
from flydsl.base.errors import ArgumentError
from flydsl.compiler.call.argument import c_parts, next_codes, padded_size
from flydsl.compiler.call.constexpr import ConstexprSpec
from flydsl.compiler.call.jit_argument import JitArgumentSpec
from flydsl.compiler.call.pointer import PointerSpec
from flydsl.compiler.call.scalar import ScalarSpec
from flydsl.compiler.call.stream import StreamSpec
from flydsl.compiler.call.tensor import TensorSpec
from flydsl.expr.tracing import context
from flydsl.expr.values.emitter import Emitter, TargetInfo
from flydsl.frontend.signature import TreeSpec
from flydsl.layout import parse_layout
from flydsl.toolchain.slots import slot_table

TENSOR = TensorSpec("Float16", parse_layout("(?,8):(?{i64},1)"), 16)


def added(spec):
    """The value that stands for an argument and the block arguments behind it."""
    block = Block()
    with context.tracing(Emitter(block, TargetInfo("none", "none", 32), "host", None)):
        values = [block.insert_arg(kind, len(block.args)) for kind in spec.ir_types()]
        return spec.traced_value(values), [str(value.type) for value in values]


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
    assert [str(type_) for type_ in spec.ir_types()] == types


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
    value, types = added(JitArgumentSpec("pair", Pair, Pair()))
    assert types == ["i32", "f32"]
    assert isinstance(value, Pair)
    assert [str(v.type) for v in value.values] == types


def test_a_number_is_made_of_one_value():
    with pytest.raises(ArgumentError, match="an Int32 is made of one IR value, and Pair has 2"):
        added(JitArgumentSpec("pair", fx.Int32, Pair()))


def test_types_are_those_of_the_ir():
    class Wrong(Pair):
        def __get_ir_types__(self):
            return ["i32"]

    with pytest.raises(ArgumentError, match=r"Wrong.__get_ir_types__ gives IR types such as .*, found 'i32'"):
        JitArgumentSpec("wrong", Wrong, Wrong()).ir_types()


def test_slots_are_packed_in_blocks_of_eight_bytes():
    slots = iter(slot_table([("scalar", "i8"), ("scalar", "i16"), ("pointer", "!llvm.ptr")]))
    assert [next_codes(slots), next_codes(slots, unsigned=True), next_codes(slots)] == ["b7x", "H6x", "Q"]
    assert padded_size([1, 8, 9]) == 8 + 8 + 16


def test_a_slot_of_several_values_is_a_c_parameter_each():
    (_, slot) = slot_table([("scalar", "i64"), ("struct", "!llvm.struct<packed (i32, i64)>")])
    assert [tuple(part) for part in c_parts(["rows", "stride"], slot)] == [
        ("rows", "int32_t", 8, 4, ""),
        ("stride", "int64_t", 12, 8, ""),
    ]
