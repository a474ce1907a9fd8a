"""Operations on tensors and pointers: effects, what is for kernels only, and what the verifier refuses."""

from __future__ import annotations

import pytest
from effects_cases import ERASABLE, PURE, STAYS, kind
from verified_op import verified
from xdsl.utils.exceptions import VerifyException

TENSOR = "!fly.memref<f32, global, (4,2):(2,1)>"
POINTER = "!fly.ptr<f32, global>"
COORD = "!fly.int_tuple<(1,0)>"


@pytest.mark.parametrize(
    ("text", "types", "treatment"),
    [
        ("%r = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared, align<1024>>", (), PURE),
        (f"%r = fly.ptr.load(%0) : ({POINTER}) -> vector<4xf32>", (POINTER,), ERASABLE),
        (f"fly.ptr.store(%0, %1) : (f32, {POINTER}) -> ()", ("f32", POINTER), STAYS),
        (f"%r = fly.memref.load(%0, %1) : ({TENSOR}, {COORD}) -> f32", (TENSOR, COORD), ERASABLE),
        (f"fly.memref.store(%0, %1, %2) : (f32, {TENSOR}, {COORD}) -> ()", ("f32", TENSOR, COORD), STAYS),
        (f"%r = fly.memref.load_vec(%0) : ({TENSOR}) -> vector<8xf32>", (TENSOR,), ERASABLE),
        (f"fly.memref.store_vec(%0, %1) : (vector<8xf32>, {TENSOR}) -> ()", ("vector<8xf32>", TENSOR), STAYS),
        (f"%r = fly.ptrtoint(%0) : ({POINTER}) -> i64", (POINTER,), PURE),
        ('fly.print(%0) {format = "{}"} : (i32) -> ()', ("i32",), STAYS),
        (
            "%r = fly.assume(%0, %1) : (!fly.int_tuple<?>, !fly.int_tuple<?>) -> !fly.int_tuple<?{div=4}>",
            ("!fly.int_tuple<?>", "!fly.int_tuple<?>"),
            STAYS,
        ),
    ],
)
def test_operations_may_go_as_their_effects_allow(text: str, types: tuple[str, ...], treatment: str) -> None:
    assert kind(verified(text, *types)) == treatment


@pytest.mark.parametrize(
    ("text", "types", "message"),
    [
        (
            f"%r = fly.ptrtoint(%0) : ({POINTER}) -> f32",
            (POINTER,),
            "result of fly.ptrtoint must be an integer, found f32",
        ),
        (
            f"%r = fly.inttoptr(%0) : (f32) -> {POINTER}",
            ("f32",),
            "operand 0 of fly.inttoptr must be an integer, found f32",
        ),
        (f"%r = fly.recast_iter(%0) : (i64) -> {POINTER}", ("i64",), "operand 0 of fly.recast_iter must be a ptr"),
        (f"fly.ptr.store(%0, %1) : (f32, {TENSOR}) -> ()", ("f32", TENSOR), "operand 1 of fly.ptr.store must be a ptr"),
        (
            f"fly.memref.store(%0, %1, %2) : (f16, {TENSOR}, {COORD}) -> ()",
            ("f16", TENSOR, COORD),
            "fly.memref.store of f16 into a tensor of f32",
        ),
        (
            f"fly.memref.store(%0, %1, %2) : (f32, {TENSOR}, i32) -> ()",
            ("f32", TENSOR, "i32"),
            "operand 2 of fly.memref.store must be an int_tuple, found i32",
        ),
        (
            f"fly.memref.store_vec(%0, %1) : (vector<4xf32>, {TENSOR}) -> ()",
            ("vector<4xf32>", TENSOR),
            "fly.memref.store_vec takes vector<8xf32>, found vector<4xf32>",
        ),
        (
            f"%r = fly.memref.alloca(%0) : (!fly.layout<(4,2):(2,1)>) -> {TENSOR}",
            ("!fly.layout<(4,2):(2,1)>",),
            "fly.memref.alloca makes a register tensor of !fly.layout<",
        ),
        (
            f"%r = fly.extract_aligned_pointer_as_index(%0) : ({TENSOR}) -> f32",
            (TENSOR,),
            "must be an index or a pointer, found f32",
        ),
        (
            "%r = fly.assume(%0, %1) : (!fly.int_tuple<?>, !fly.int_tuple<?>) -> !fly.int_tuple<(?,?)>",
            ("!fly.int_tuple<?>", "!fly.int_tuple<?>"),
            "fly.assume only adds promises to !fly.int_tuple<\\?>, found",
        ),
    ],
)
def test_wrong_operands_and_results_are_refused(text: str, types: tuple[str, ...], message: str) -> None:
    with pytest.raises(VerifyException, match=message):
        verified(text, *types)


def test_operands_and_attributes_are_read_by_name() -> None:
    store = verified(f"fly.memref.store(%0, %1, %2) : (f32, {TENSOR}, {COORD}) -> ()", "f32", TENSOR, COORD)
    assert (store.value, store.tensor, store.coord) == tuple(store.operands)
    assert store.device_only == "storing a tensor element"
    printed = verified('fly.print(%0, %1) {format = "{} {}"} : (i32, f32) -> ()', "i32", "f32")
    assert list(printed.values) == list(printed.operands)
    assert printed.format == "{} {}"
