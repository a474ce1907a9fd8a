"""Types, attributes and values of `ir`, as MLIR's bindings have them."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.dialects import arith, llvm
from flydsl._mlir.extras import types as T
from flydsl.base.errors import FrontendError


def test_types_are_made_and_read() -> None:
    assert ir.IntegerType.get_signless(32) == T.i32() == fx.Int32.ir_type == ir.Type.parse("i32")
    assert ir.F32Type.get() == T.f32() == fx.Float32.ir_type
    assert ir.VectorType.get([4], T.f32()) == T.vector(4, T.f32()) == fx.Vector.make_type(4, fx.Float32)
    assert str(ir.Type.parse("!llvm.ptr<1>")) == str(llvm.PointerType.get(1)) == "!llvm.ptr<1>"
    assert llvm.PointerType.get() == ir.Type.parse("!llvm.ptr")
    assert ir.Type.parse("!llvm.struct<(i32, i64)>") == llvm.StructType.get_literal([T.i32(), T.i64()])
    assert str(ir.IndexType.get()) == str(T.index()) == "index"
    assert str(T.i(7)) == "i7"
    assert T.bool() == T.i1() == fx.Boolean.ir_type
    assert str(ir.IntegerType.get_unsigned(8)) == "ui8"
    with pytest.raises(ValueError, match="'vector<' is neither a type nor an attribute"):
        ir.Type.parse("vector<")


def test_types_are_asked_what_they_are() -> None:
    vector = T.vector(2, 4, T.bf16())
    assert isinstance(vector, ir.VectorType)
    assert isinstance(vector, ir.ShapedType)
    assert isinstance(vector, ir.Type)
    assert not isinstance(vector, ir.IntegerType)
    assert ir.VectorType.isinstance(vector)
    assert isinstance(T.f16(), ir.FloatType)
    assert isinstance(T.f16(), ir.F16Type)
    assert not isinstance(T.f16(), ir.F32Type)
    assert isinstance(T.index(), ir.IndexType)
    assert not isinstance(3, ir.Type)


def test_a_view_of_a_type_has_the_properties_of_mlir_and_is_the_type() -> None:
    vector = ir.VectorType(T.vector(2, 4, T.i16()))
    assert (vector.shape, vector.rank, vector.element_type, vector.get_dim_size(1)) == ([2, 4], 2, T.i16(), 4)
    assert vector == T.vector(2, 4, T.i16())
    assert T.vector(2, 4, T.i16()) == vector
    assert ir.VectorType(vector) == vector
    assert {vector: 1}[T.vector(2, 4, T.i16())] == 1
    integer = ir.IntegerType(T.i64())
    assert (integer.width, integer.is_signless, str(integer)) == (64, True, "i64")
    assert ir.FloatType(T.bf16()).width == 16
    with pytest.raises(ValueError, match=r"cannot cast type to IntegerType \(from f32\)"):
        ir.IntegerType(T.f32())


def test_no_tensor_of_the_language_is_a_memref(emitted) -> None:
    def use() -> None:
        tensor = fx.make_rmem_tensor(4, fx.Float32)
        with pytest.raises(ValueError, match="cannot cast type to MemRefType"):
            ir.MemRefType(tensor.type)
        assert isinstance(tensor, ir.Value)

    emitted(use)


def test_views_are_taken_where_types_are(emitted) -> None:
    def use(x: fx.Int32) -> object:
        return arith.extsi(ir.IntegerType(T.i64()), x)

    found = emitted(use, fx.Int32)
    assert isinstance(found.result, fx.Int64)
    found.verify()


def test_attributes() -> None:
    assert str(ir.IntegerAttr.get(T.i64(), -3)) == "-3 : i64"
    assert ir.IntegerAttr.get(T.i8(), 255) == ir.IntegerAttr.get(T.i8(), -1)
    assert ir.FloatAttr.get(T.f32(), 2) == ir.FloatAttr.get_f32(2.0)
    assert str(ir.ArrayAttr.get([ir.IntegerAttr.get(T.i32(), 1), "x"])) == '[1 : i32, "x"]'
    assert str(ir.StringAttr.get("agent")) == '"agent"'
    assert str(ir.DictAttr.get({"a": True})) == "{a = true}"
    assert str(ir.DenseI64ArrayAttr.get([1, 2])) == "array<i64: 1, 2>"
    assert ir.Attribute.parse("#llvm.fastmath<fast>").name == "llvm.fastmath"
    assert ir.Attribute.parse("[1, 2]") == ir.ArrayAttr.get([1, 2])
    with pytest.raises(FrontendError, match="300 does not fit an attribute of type i8"):
        ir.IntegerAttr.get(T.i8(), 300)


def test_values_of_the_language_and_ssa_values_are_values(emitted) -> None:
    def use(x: fx.Int32, pointer: object) -> None:
        vector = fx.Vector.from_elements([x, x])
        assert all(isinstance(value, ir.Value) for value in (x, vector, pointer, x.ir_value()))
        assert not isinstance(3, ir.Value)
        assert ir.Value(x) is x
        with pytest.raises(ValueError, match="not a value: 'x'"):
            ir.Value("x")

    emitted(use, fx.Int32, "!llvm.ptr")
    with pytest.raises(AttributeError, match="without a C API"):
        ir.Value._CAPICreate


def test_contexts_and_locations_change_nothing(emitted) -> None:
    def use(x: fx.Int32) -> object:
        with ir.Context() as context, ir.Location.unknown(context), ir.Location.name("here"):
            ir.Context.current.__exit__(None, None, None)
            return arith.addi(x, x, loc=ir.Location.file("k.py", 1, 1), ip=None)

    assert emitted(use, fx.Int32).names == ["arith.addi"]


def test_operations_go_where_an_insertion_point_says(emitted) -> None:
    def use(x: fx.Int32) -> None:
        second = arith.AddIOp(x, 2)
        with ir.InsertionPoint(second):
            arith.MulIOp(x, 3)
        with ir.InsertionPoint.at_block_begin(ir.InsertionPoint.current.block):
            arith.SubIOp(x, 4)
        arith.OrIOp(x, 5)

    names = [name for name in emitted(use, fx.Int32).names if name != "arith.constant"]
    assert names == ["arith.subi", "arith.muli", "arith.addi", "arith.ori"]
