"""The emitter: operations with defaults, types and attributes, at the insertion point of a trace."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Block

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.values.emitter import Emitter, TargetInfo
from flydsl.ir.parse import parse_type


@pytest.fixture
def block():
    return Block(arg_types=[i32, parse_type("!fly.memref<f32, global, (4,8):(8,1)>")])


@pytest.fixture
def emitter(block):
    return Emitter(block, TargetInfo("none", "none", 32), "kernel", None)


def names(block):
    return [op.name for op in block.ops]


@pytest.mark.parametrize(
    ("dtype", "value", "stored"),
    [
        (fx.Int8, 200, -56),
        (fx.Uint32, (1 << 32) - 1, -1),
        (fx.Int64, -(1 << 63), -(1 << 63)),
        (fx.Float32, 3, 3.0),
    ],
)
def test_constants_are_signless_numbers_of_their_width(emitter, dtype, value, stored):
    constant = emitter.constant(dtype, value)
    assert constant.type == emitter.type(dtype)
    assert constant.owner.properties["value"].value.data == stored


def test_a_constant_truth_is_one_bit(emitter):
    values = [emitter.constant(fx.Boolean, value).owner.properties["value"] for value in (True, False)]
    assert [str(value) for value in values] == ["true", "false"]


def test_a_constant_vector_has_one_number_in_every_element(emitter):
    constant = emitter.constant(fx.Int16, 65535, (2, 3))
    assert str(constant.type) == "vector<2x3xi16>"
    assert list(constant.owner.properties["value"].get_values()) == [-1] * 6


def test_operations_get_the_defaults_of_their_properties(emitter, block):
    x = emitter.constant(fx.Float32, 1.0)
    emitter.value("arith.addf", [x, x], x.type)
    emitter.fast_math = 0b1
    emitter.value("arith.addf", [x, x], x.type)
    plain, fast = (op.properties["fastmath"] for op in block.ops if op.name == "arith.addf")
    assert [len(flags.data) for flags in (plain, fast)] == [0, 1]


def test_an_operation_of_the_dialect_infers_its_result(emitter, block):
    shape = emitter.fly("get_shape", [block.args[1]])
    assert str(shape.type) == "!fly.int_tuple<(4,8)>"
    part = emitter.fly("select", [block.args[1]], {"indices": emitter.attribute([1])})
    assert str(part.type) == "!fly.memref<f32, global, 8:1>"
    assert names(block) == ["fly.get_shape", "fly.select"]


def test_a_call_on_values_keeps_the_type_of_the_elements(emitter):
    tensor = fx.Tensor(parse_type("!fly.memref<i32, global, (4,8):(8,1)>"), Block(arg_types=[i32]).args[0], fx.Uint32)
    tensor._value = Block(arg_types=[tensor.payload]).args[0]
    assert emitter.fly_call("select", [tensor], {"indices": [0]}).dtype is fx.Uint32
    assert emitter.fly_call("select", [tensor], {"indices": [0]}, fx.Int32).dtype is fx.Int32


def test_operations_of_threads_are_refused_in_host_code(block):
    host = Emitter(block, TargetInfo("none", "none", 32), "host", None)
    with pytest.raises(FrontendError, match="shared memory exists only inside a kernel, and this is host code; do it"):
        host.fly("get_dyn_shared", [])
    assert names(block) == []
    host.fly("get_shape", [block.args[1]])
    assert names(block) == ["fly.get_shape"]


def test_host_code_reads_coordinates():
    tensor = parse_type("!fly.coord_tensor<(0,0), (4,8):(1E0,1E1)>")
    block = Block(arg_types=[tensor, parse_type("!fly.memref<f32, global, (4,8):(8,1)>")])
    host = Emitter(block, TargetInfo("none", "none", 32), "host", None)
    coord = host.static(parse_type("!fly.int_tuple<(1,2)>"))
    assert str(host.fly("memref.load", [block.args[0], coord]).type) == "!fly.int_tuple<(1,2)>"
    with pytest.raises(FrontendError, match="loading a tensor element exists only inside a kernel"):
        host.fly("memref.load", [block.args[1], coord])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (7, "7 : i32"),
        ("text", '"text"'),
        ([1, 2], "array<i32: 1, 2>"),
        (i32, "i32"),
    ],
)
def test_python_values_become_attributes(emitter, value, text):
    assert str(emitter.attribute(value)) == text


def test_attributes_by_their_meaning(emitter):
    assert str(emitter.integer(3, 64)) == "3 : i64"
    assert str(emitter.integers([1, 2])) == "array<i64: 1, 2>"
    assert str(emitter.dimension("y")) == "#gpu<dim y>"
    assert str(emitter.combining_kind("add")) == "#vector.kind<add>"
    assert emitter.mma_operand("a").data.value == "a"
    assert emitter.traversal_order("KMN").data.value == "kmn"
    assert emitter.traversal_order(fx.GemmTraversalOrder.MNK).data.value == "mnk"
    assert str(emitter.dictionary({"a": 1, "b": i32})) == "{a = 1 : i64, b = i32}"
    assert str(emitter.texts({"a": "b"})) == '{a = "b"}'
    assert emitter.type(fx.Float16, (4,)) == VectorType(emitter.type(fx.Float16), [4])


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("!fly.copy_atom<!fly.universal_copy<32>, 16>", "fly.make_copy_atom"),
        ("!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>", "fly.make_mma_atom"),
        (
            "!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(2,4,1):(1,2,0)>>",
            "fly.static",
        ),
    ],
)
def test_atoms_are_made_by_the_operation_of_their_kind(emitter, block, text, operation):
    type_ = parse_type(text)
    assert emitter.make_atom(type_).type == type_
    assert names(block) == [operation]
    block.first_op.verify()


def test_operations_go_into_the_innermost_block(emitter, block):
    inner = Block()

    def fail_inside():
        with emitter.inside(inner):
            emitter.constant(fx.Int32, 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_inside()
    emitter.constant(fx.Int32, 2)
    assert names(inner) == names(block) == ["arith.constant"]


def test_the_largest_demand_of_dynamic_shared_memory_counts(emitter):
    assert emitter.dynamic_shared_bytes is None
    for size in (64, 256, 16):
        emitter.use_dynamic_shared(size)
    assert emitter.dynamic_shared_bytes == 256
