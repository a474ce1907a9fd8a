"""Result types that follow from operand types: the specification's sample, alignment, composed layouts, errors."""

from __future__ import annotations

import math

import pytest
from fly_cases import TILED_COPY, TILED_MMA
from fly_target import TARGET
from xdsl.dialects.builtin import f16
from xdsl.ir import Attribute
from xdsl.parser import Parser

import flydsl.layout as fl
from flydsl.base.errors import IRError, LayoutError
from flydsl.ir.context import create_context
from flydsl.ir.fly.attributes import MmaOperand, MmaOperandAttr, integer, integer_array
from flydsl.ir.fly.infer import ALGEBRA, evaluate, infer, infer_results
from flydsl.ir.fly.types import MemRefType
from flydsl.ir.fly.views import decomposed

VIEW = "!fly.memref<f32, global, (8,64,?,?):(?{i64},1,?{i64 div=8},64)>"
PAIRS = (
    "!fly.tiled_copy<!fly.copy_atom<!fly_test.v1.pair_copy<64>, 16>, !fly.layout<((2,2),4):((4,8),1)>, !fly.tile<[16]>>"
)
ROWS = "!fly.tiled_mma<!fly.mma_atom<!fly_test.mma<2x1x2, (f16, f16) -> f32>>, !fly.layout<(2,4,1):(1,2,0)>>"


def types(*texts: str) -> list[Attribute]:
    return [Parser(create_context([TARGET]), text).parse_type() for text in texts]


def inferred(name: str, *operands: str, **attributes: Attribute) -> str:
    return str(infer(f"fly.{name}", types(*operands), attributes))


@pytest.mark.parametrize(
    ("name", "operands", "result"),
    [
        ("make_identity_layout", ["!fly.int_tuple<(?,?)>"], "!fly.layout<(?,?):(1E0,1E1)>"),
        (
            "make_view",
            ["!fly.int_tuple<(0,0)>", "!fly.layout<(?,?):(1E0,1E1)>"],
            "!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>",
        ),
        ("flat_divide", ["!fly.memref<f32, global, (?,?):(?{i64},1)>", "!fly.tile<[8|64]>"], VIEW),
        ("slice", [VIEW, "!fly.int_tuple<(*,*,?,?)>"], "!fly.memref<f32, global, (8,64):(?{i64},1)>"),
        (
            "tiled_copy.partition_src",
            [TILED_COPY, "!fly.memref<f32, global, (8,64):(?{i64},1)>", "!fly.int_tuple<?>"],
            "!fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>",
        ),
        (
            "flat_divide",
            ["!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>", "!fly.tile<[8|64]>"],
            "!fly.coord_tensor<(0,0), (8,64,?,?):(1E0,1E1,8E0,64E1)>",
        ),
        (
            "slice",
            ["!fly.coord_tensor<(0,0), (8,64,?,?):(1E0,1E1,8E0,64E1)>", "!fly.int_tuple<(*,*,?,?)>"],
            "!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>",
        ),
        (
            "tiled_copy.partition_src",
            [TILED_COPY, "!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>", "!fly.int_tuple<?>"],
            "!fly.coord_tensor<(?,?{div=4}), ((4,1),1,1):((1E1,0),0,0)>",
        ),
        ("elem_less", ["!fly.int_tuple<(?,?{div=4})>", "!fly.int_tuple<(?,?)>"], "i1"),
        ("add_offset", ["!fly.ptr<f32, global>", "!fly.int_tuple<?{i64}>"], "!fly.ptr<f32, global>"),
        (
            "make_fragment_like",
            ["!fly.memref<f32, global, ((4,1),1,1):((1,0),0,0)>"],
            "!fly.memref<f32, register, ((4,1),1,1):((1,0),0,0)>",
        ),
    ],
)
def test_sample_of_the_specification(name: str, operands: list[str], result: str) -> None:
    assert inferred(name, *operands) == result


@pytest.mark.parametrize(
    ("coord", "align"),
    [("(*,0)", 64), ("(*,1)", 32), ("(*,?)", 32), ("(*,?{div=2})", 64), ("(?,*)", 2), ("(?{div=4},*)", 8)],
)
def test_slice_reduces_the_alignment_to_what_the_offset_keeps(coord: str, align: int) -> None:
    suffix = "" if align == 2 else f", align<{align}>"
    kept = "16:1" if coord.startswith("(*") else "8:16"
    found = inferred("slice", "!fly.memref<f16, shared, (16,8):(1,16), align<64>>", f"!fly.int_tuple<{coord}>")
    assert found == f"!fly.memref<f16, shared, {kept}{suffix}>"


def test_slice_of_a_swizzled_tensor_moves_the_offset_of_the_layout_not_the_pointer() -> None:
    tensor = "!fly.memref<f16, shared, S<3,3,3> o 64 o (8,64):(64,1), align<128>>"
    assert inferred("slice", tensor, "!fly.int_tuple<(2,*)>") == (
        "!fly.memref<f16, shared, S<3,3,3> o 192 o 64:1, align<128>>"
    )
    assert inferred("slice", "!fly.composed_layout<S<3,3,3> o 0 o (8,64):(64,1)>", "!fly.int_tuple<(?,*)>") == (
        "!fly.composed_layout<S<3,3,3> o ?{div=64} o 64:1>"
    )


def test_decomposition_counts_the_swizzle_in_bytes() -> None:
    assert inferred("decomposition", "!fly.memref<f16, shared, S<3,3,3> o ? o (8,64):(64,1), align<128>>") == (
        "!fly.memref<f16, shared, (8,64):(64,1), S<3,4,3>>"
    )
    assert inferred("decomposition", "!fly.memref<f8E4M3FN, shared, S<3,4,3> o 0 o 64:1>") == (
        "!fly.memref<f8E4M3FN, shared, 64:1, S<3,4,3>>"
    )


@pytest.mark.parametrize(
    "tensor",
    [
        "!fly.memref<f4E2M1FN, shared, S<1,0,3> o 0 o 64:1>",
        "!fly.memref<f16, shared, S<3,3,3> o 0 o 64:1, S<3,4,3>>",
    ],
)
def test_decomposition_of_what_a_pointer_cannot_hold_is_a_layout_error(tensor: str) -> None:
    with pytest.raises(LayoutError, match="decomposition"):
        inferred("decomposition", tensor)


@pytest.mark.parametrize(
    ("layout", "plain"),
    [
        ("128:2 o 5 o [128:3 o 7 o (4,8):(1,4)]", "(4,8):(1,4)"),
        ("128:2 o 5 o 64:3 o 7 o (4,8):(1,4)", "(4,8):(1,4)"),
        ("S<1,0,2> o 5 o [64:4 o 1 o 8:1]", "8:1"),
    ],
)
def test_decomposition_moves_to_the_first_element_and_keeps_the_rightmost_layout(layout: str, plain: str) -> None:
    (tensor,) = types(f"!fly.memref<f32, global, {layout}, align<256>>")
    assert isinstance(tensor, MemRefType)
    whole = fl.parse_composed_layout(layout)
    offset, left, swizzle = decomposed(whole, tensor)
    assert (offset, str(left), swizzle) == (whole(0), plain, None)
    align = math.gcd(256, 4 * whole(0))
    assert inferred("decomposition", str(tensor)) == f"!fly.memref<f32, global, {plain}, align<{align}>>".replace(
        ", align<4>", ""
    )


def test_plain_tensor_decomposes_to_itself() -> None:
    tensor = "!fly.memref<f16, shared, (8,64):(64,1), align<16>, S<3,4,3>>"
    assert inferred("decomposition", tensor) == tensor


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("get", "!fly.memref<f16, shared, 8:16, align<16>>"),
        ("take", "!fly.memref<f16, shared, (8,2):(16,128), align<16>>"),
        ("select", "!fly.memref<f16, shared, (2,16):(128,1), align<16>>"),
        ("group", "!fly.memref<f16, shared, (16,(8,2)):(1,(16,128)), align<16>>"),
    ],
)
def test_mode_operation_keeps_the_pointer_of_a_tensor(name: str, result: str) -> None:
    attributes = {
        "get": {"mode": integer_array(1)},
        "take": {"begin": integer(1), "end": integer(3)},
        "select": {"indices": integer_array(2, 0)},
        "group": {"begin": integer(1), "end": integer(3)},
    }[name]
    assert inferred(name, "!fly.memref<f16, shared, (16,8,2):(1,16,128), align<16>>", **attributes) == result


def test_attributes_of_other_dialects_do_not_disturb() -> None:
    assert inferred("get", "!fly.int_tuple<(4,8)>", mode=integer_array(1), **{"my.note": integer(3)}) == (
        "!fly.int_tuple<8>"
    )


def test_partition_of_source_and_destination_follow_their_own_layouts() -> None:
    tensor = "!fly.memref<f16, global, 16:1, align<16>>"
    thread = "!fly.int_tuple<?>"
    assert inferred("tiled_copy.partition_src", PAIRS, tensor, thread) == (
        "!fly.memref<f16, global, ((4,1),1):((1,0),0), align<8>>"
    )
    assert inferred("tiled_copy.partition_dst", PAIRS, tensor, thread) == (
        "!fly.memref<f16, global, (((2,2),1),1):(((1,4),0),0), align<4>>"
    )


@pytest.mark.parametrize(
    ("operand", "tensor", "result"),
    [
        ("a", "!fly.memref<f16, shared, (8,4):(4,1)>", "!fly.memref<f16, shared, (2,2,2):(1,16,2), align<8>>"),
        ("b", "!fly.memref<f16, shared, (4,4):(4,1)>", "!fly.memref<f16, shared, (2,1,2):(1,0,2), align<8>>"),
        ("c", "!fly.memref<f32, global, (8,4):(4,1)>", "!fly.memref<f32, global, (1,2,1):(0,16,0)>"),
        ("d", "!fly.memref<f32, global, (8,4):(4,1)>", "!fly.memref<f32, global, (1,2,1):(0,16,0)>"),
    ],
)
def test_mma_partition_takes_the_modes_of_the_operand(operand: str, tensor: str, result: str) -> None:
    tensor = tensor.replace(">", ", align<16>>") if "f16" in tensor else tensor
    attribute = MmaOperandAttr(MmaOperand(operand))
    assert inferred("tiled_mma.partition", ROWS, tensor, "!fly.int_tuple<?>", operand_id=attribute) == result


@pytest.mark.parametrize(
    ("operand", "element", "values"), [("a", "f16", 2), ("b", "f16", 2), ("c", "f32", 1), ("d", "f32", 1)]
)
def test_fragment_has_the_element_type_of_the_atom(operand: str, element: str, values: int) -> None:
    attribute = MmaOperandAttr(MmaOperand(operand))
    part = f"!fly.memref<i8, global, ({values},2,2):({values - 1},16,2)>"
    found = inferred("mma.make_fragment", ROWS, part, operand_id=attribute)
    assert found == f"!fly.memref<{element}, register, ({values},2,2):({values - 1},{2 * values},{values})>"


def test_fragment_of_a_whole_tile_is_that_of_its_partition() -> None:
    attribute = MmaOperandAttr(MmaOperand.A)
    tile = "!fly.memref<f32, shared, (64,8):(8,1)>"
    part = inferred("tiled_mma.partition", TILED_MMA, tile, "!fly.int_tuple<?>", operand_id=attribute)
    assert inferred("mma.make_fragment", TILED_MMA, tile, operand_id=attribute) == (
        inferred("mma.make_fragment", TILED_MMA, part, operand_id=attribute)
    )


def test_fragment_of_coordinates_needs_an_element_type() -> None:
    coords = "!fly.coord_tensor<(0,0), (4,2):(1E0,1E1)>"
    with pytest.raises(IRError, match="give the attribute 'dtype'"):
        inferred("make_fragment_like", coords)
    assert inferred("make_fragment_like", coords, dtype=f16).startswith("!fly.memref<f16, register, (4,2):")


def test_leaves_have_the_widths_of_the_tuple() -> None:
    (tuple_type,) = types("!fly.int_tuple<(4,(?,?{i64}),8589934592)>")
    assert [str(t) for t in infer_results("fly.get_leaves", [tuple_type])] == ["i32", "i32", "i64", "i64"]


def test_layout_error_of_the_algebra_passes_through() -> None:
    with pytest.raises(LayoutError) as caught:
        inferred("complement", "!fly.layout<(4,8):(?,?)>")
    assert caught.value.op == "complement"


@pytest.mark.parametrize(
    ("name", "operands", "message"),
    [
        ("size", [], "an operand is missing"),
        ("make_view", ["!fly.layout<4:1>", "!fly.ptr<f32, global>"], "operand 0 must be fly.ptr or fly.int_tuple"),
        ("make_view", ["!fly.ptr<f32, global>"], "takes 2 operands, found 1"),
        ("add_offset", ["!fly.ptr<f32, global>", "!fly.int_tuple<(1,2)>"], "moves by one number of elements"),
        ("get_scalar", ["!fly.int_tuple<(1,2)>"], "a single integer leaf"),
        ("get_scalar", ["!fly.int_tuple<*>"], "a single integer leaf"),
        ("apply_swizzle", ["!fly.ptr<f16, shared, S<3,4,3>>", "!fly.swizzle<S<3,4,3>>"], "has a swizzle already"),
        (
            "tiled_mma.partition",
            [TILED_MMA, "!fly.memref<f32, shared, (64,8):(8,1)>", "!fly.int_tuple<0>"],
            "operand_id",
        ),
        ("composed_get_inner", ["!fly.layout<4:1>"], "operands do not fit"),
        ("ptr.load", ["!fly.ptr<f32, global>"], "cannot be inferred"),
        ("no_such_op", ["!fly.layout<4:1>"], "cannot be inferred"),
    ],
)
def test_wrong_operands_are_an_ir_error(name: str, operands: list[str], message: str) -> None:
    with pytest.raises(IRError, match=message):
        inferred(name, *operands)


def test_algebra_evaluates_on_layout_values() -> None:
    value = evaluate("fly.take", [fl.Layout((4, 2, 8))], {"begin": integer(0), "end": integer(2)})
    assert str(value) == "(4,2):(1,4)"
    assert ALGEBRA["fly.size"](fl.Layout((4, 2, 8))) == 64
