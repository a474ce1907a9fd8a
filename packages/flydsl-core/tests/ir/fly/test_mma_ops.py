"""Matrix multiply-add operations: operands by name, the operand they are about, and element types."""

from __future__ import annotations

import pytest
from fly_cases import ATOM, FMA, TILED_MMA
from verified_op import verified
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.fly.attributes import GemmTraversalOrder, MmaOperand

TILE = "!fly.memref<f32, register, (1,2,2):(0,1,2)>"
HALF = "!fly.memref<f16, register, (1,2,2):(0,1,2)>"


def test_an_atom_is_made_of_its_type() -> None:
    verified(f"%r = fly.make_mma_atom : {FMA}")
    with pytest.raises(VerifyException, match="fly.make_mma_atom makes an mma_atom, found !fly.copy_atom"):
        verified(f"%r = fly.make_mma_atom : {ATOM}")


@pytest.mark.parametrize(("operand", "result"), [("a", "(1,4,32)"), ("b", "(1,4,32)"), ("c", "(1,4,2)")])
def test_the_operand_stands_first_in_the_text(operand: str, result: str) -> None:
    types = (TILED_MMA, "!fly.int_tuple<(64,32)>")
    op = verified(
        f"%r = fly.tiled_mma.partition_shape({operand}, %0, %1) : ({', '.join(types)}) -> !fly.int_tuple<{result}>",
        *types,
    )
    assert op.operand_id is MmaOperand(operand)
    assert f"partition_shape({operand}, " in str(op)
    assert (op.tiled_mma, op.shape) == tuple(op.operands)


@pytest.mark.parametrize("name", ["gemm", "mma_atom_call"])
def test_the_result_comes_before_the_operands(name: str) -> None:
    types = (FMA, TILE, TILE, TILE, TILE)
    op = verified(f"fly.{name}(%0, %1, %2, %3, %4) : ({', '.join(types)}) -> ()", *types)
    assert (op.atom, op.d, op.a, op.b, op.c) == tuple(op.operands)
    assert op.device_only == name


@pytest.mark.parametrize("name", ["gemm", "mma_atom_call"])
@pytest.mark.parametrize("index", [1, 2, 3, 4])
def test_elements_are_those_of_the_atom(name: str, index: int) -> None:
    types = [FMA, TILE, TILE, TILE, TILE]
    types[index] = HALF
    with pytest.raises(
        VerifyException, match=f"operand {index} of fly.{name} must have elements of type f32, found f16"
    ):
        verified(f"fly.{name}(%0, %1, %2, %3, %4) : ({', '.join(types)}) -> ()", *types)


def test_a_gemm_has_an_order_and_perhaps_a_layout_of_steps() -> None:
    types = (FMA, TILE, TILE, TILE, TILE, "!fly.layout<(2,2,2):(1,2,4)>")
    order = "{traversalOrder = #fly<gemm_traversal_order nmk>}"
    op = verified(f"fly.gemm(%0, %1, %2, %3, %4, %5) {order} : ({', '.join(types)}) -> ()", *types)
    assert op.traversal_order is GemmTraversalOrder.NMK
    assert op.traversal_layout is op.operands[5]
    wrong = (*types[:5], "i32")
    with pytest.raises(VerifyException, match="operand 5 of fly.gemm must be a layout, found i32"):
        verified(f"fly.gemm(%0, %1, %2, %3, %4, %5) : ({', '.join(wrong)}) -> ()", *wrong)


def test_fragments_know_their_stages() -> None:
    types = (TILED_MMA, "!fly.memref<f32, shared, (1,4,8):(0,128,1)>")
    text = f"%r = fly.mma.make_fragment(a, %0, %1) {{}} : ({', '.join(types)}) -> !fly.memref<f32, register, {{}}>"
    assert verified(text.format("", "(1,4,8):(0,8,1)"), *types).stages is None
    assert verified(text.format("{stages = 2 : i32}", "(1,4,8,2):(0,8,1,32)"), *types).stages == 2
