"""Result types of operations on tensors, pointers and atoms."""

from __future__ import annotations

import pytest
from fly_cases import ATOM, FMA, TILED_COPY, TILED_MMA
from xdsl.dialects.builtin import f16, i32

from flydsl.ir.fly.result_rules import RULES, WrongOperand, moved, payload_of
from flydsl.ir.parse import parse_type
from flydsl.layout import Dyn, parse_layout

TENSOR = "!fly.memref<f32, shared, (8,4):(4,1), align<64>>"
COORDS = "!fly.coord_tensor<(0,3), (8,4):(1E0,1E1)>"


def result(name: str, *types: str, **attributes: object) -> str:
    return str(RULES[f"fly.{name}"](tuple(map(parse_type, types)), attributes))


@pytest.mark.parametrize(
    ("name", "types", "expected"),
    [
        ("get_scalar", ["!fly.int_tuple<((7))>"], "i32"),
        ("get_scalar", ["!fly.int_tuple<4294967296>"], "i64"),
        ("get_scalar", ["!fly.int_tuple<?{i64}>"], "i64"),
        ("get_layout", [TENSOR], "!fly.layout<(8,4):(4,1)>"),
        ("get_iter", [TENSOR], "!fly.ptr<f32, shared, align<64>>"),
        ("get_iter", [COORDS], "!fly.int_tuple<(0,3)>"),
        ("add_offset", ["!fly.ptr<f32, shared, align<64>>", "!fly.int_tuple<-4>"], "!fly.ptr<f32, shared, align<16>>"),
        ("add_offset", ["!fly.int_tuple<(1,2)>", "!fly.int_tuple<(3,4)>"], "!fly.int_tuple<(4,6)>"),
        ("memref.load", [TENSOR, "!fly.int_tuple<(1,2)>"], "f32"),
        ("memref.load", [COORDS, "!fly.int_tuple<(1,2)>"], "!fly.int_tuple<(1,5)>"),
        ("memref.load_vec", [TENSOR], "vector<32xf32>"),
        ("get_copy_atom", [TILED_COPY], ATOM),
        ("get_mma_atom", [TILED_MMA], FMA),
        ("to_llvm_ptr", ["!fly.ptr<f32, shared>"], "!llvm.ptr"),
        ("get_dyn_shared", [], "!fly.ptr<i8, shared, align<1024>>"),
    ],
)
def test_results_follow_from_operands(name: str, types: list[str], expected: str) -> None:
    assert result(name, *types) == expected


def test_attributes_change_results() -> None:
    assert result("to_llvm_ptr", "!fly.ptr<f32, shared>", llvm_address_space=3) == "!llvm.ptr<3>"
    fragment = result("make_fragment_like", "!fly.layout<(4,2):(2,1)>", dtype=f16)
    assert fragment.startswith("!fly.memref<f16, register, (4,2):")


@pytest.mark.parametrize(
    ("name", "types", "message"),
    [
        ("get_scalar", ["!fly.int_tuple<(1,2)>"], r"a scalar is a single integer leaf, found \(1, 2\)"),
        ("get_layout", ["i32"], "operand 0 must be fly.memref or fly.coord_tensor, found i32"),
        ("get_layout", [], "takes 1 operands, found 0"),
        ("make_view", ["!fly.ptr<f32, global>"], "takes 2 operands, found 1"),
        (
            "make_fragment_like",
            ["!fly.layout<4:1>"],
            "the element type is not known: give the attribute 'dtype', found None",
        ),
        ("memref.load_vec", ["!fly.memref<f32, global, (4,?):(1,4)>"], "a vector needs a static shape"),
        (
            "add_offset",
            ["!fly.ptr<f32, global>", "!fly.int_tuple<(1,2)>"],
            r"a pointer moves by one number of elements, found \(1, 2\)",
        ),
        (
            "apply_swizzle",
            ["!fly.ptr<f16, shared, S<3,4,3>>", "!fly.swizzle<S<3,4,3>>"],
            "the pointer has a swizzle already",
        ),
        ("atom.set_value", ["i32", "i32"], "takes an atom and a value"),
        ("atom.set_value", [ATOM, "i32"], r"!fly.universal_copy<128> has no field None: it has none"),
        (
            "tiled_mma.partition_shape",
            [TILED_MMA, "!fly.int_tuple<(4,4)>"],
            "the attribute 'operand_id' names the operand",
        ),
    ],
)
def test_wrong_operands_say_what_fits(name: str, types: list[str], message: str) -> None:
    with pytest.raises(WrongOperand, match=message):
        result(name, *types)


@pytest.mark.parametrize(
    ("offset", "align"), [(16, ", align<64>"), (2, ", align<8>"), (Dyn(32, 4), ", align<16>"), (1, "")]
)
def test_a_moved_tensor_keeps_the_alignment_that_the_offset_allows(offset: object, align: str) -> None:
    tensor = parse_type(TENSOR)
    assert str(moved(tensor, offset, parse_layout("4:1"))) == f"!fly.memref<f32, shared, 4:1{align}>"  # type: ignore[arg-type]


def test_the_payload_of_a_tensor_is_its_layout() -> None:
    assert payload_of(parse_type(TENSOR)) == parse_layout("(8,4):(4,1)")
    assert payload_of(parse_type("!fly.int_tuple<(1,2)>")) == (1, 2)
    with pytest.raises(WrongOperand, match="expected an int_tuple, layout, tile, swizzle or tensor, found i32"):
        payload_of(i32)
