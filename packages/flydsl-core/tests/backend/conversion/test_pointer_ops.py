"""Fly pointer operations as LLVM pointer arithmetic."""

from __future__ import annotations

import pytest
from toy_target import convert, lines

from flydsl.base.errors import IRError


def test_offsets_become_geps_on_the_element_type() -> None:
    text = convert(
        "%p: !fly.ptr<f16, global>, %n: i32",
        """
        %s = fly.static : !fly.int_tuple<8>
        %a = fly.add_offset(%p, %s) : (!fly.ptr<f16, global>, !fly.int_tuple<8>) -> !fly.ptr<f16, global>
        %d = fly.make_int_tuple(%n) : (i32) -> !fly.int_tuple<?>
        %b = fly.add_offset(%a, %d) : (!fly.ptr<f16, global>, !fly.int_tuple<?>) -> !fly.ptr<f16, global>
        %v = fly.ptr.load(%b) : (!fly.ptr<f16, global>) -> f16
        """,
    )
    first, second = lines(text, "llvm.getelementptr")
    assert "elem_type = f16" in first
    assert "value = 8 : i32" in lines(text, "arith.constant")[0]
    assert ", i32)" in second


def test_pointers_become_integers_and_back() -> None:
    text = convert(
        "%p: !fly.ptr<f32, global>, %i: index",
        """
        %n = fly.ptrtoint(%p) : (!fly.ptr<f32, global>) -> i64
        %q = fly.inttoptr(%n) : (i64) -> !fly.ptr<f32, shared>
        %x = fly.ptrtoint(%p) : (!fly.ptr<f32, global>) -> index
        %r = fly.inttoptr(%i) : (index) -> !fly.ptr<f32, global>
        %l = fly.to_llvm_ptr(%p) : (!fly.ptr<f32, global>) -> !llvm.ptr
        "llvm.store"(%i, %l) : (index, !llvm.ptr) -> ()
        """,
    )
    assert [line.split(" : ")[-1] for line in lines(text, "llvm.inttoptr")] == [
        "(i64) -> !llvm.ptr<3>",
        "(i64) -> !llvm.ptr<1>",
    ]
    assert "(!llvm.ptr<1>) -> !llvm.ptr" in lines(text, "llvm.addrspacecast")[0]
    assert len(lines(text, "arith.index_cast")) == 2


@pytest.mark.parametrize("space", ["global", "generic"])
def test_another_address_space_than_the_pointers_is_refused(space: str) -> None:
    pointer = f"!fly.ptr<f32, {space}>"
    with pytest.raises(IRError, match="the address space 3 is asked of .*; ask for its own space"):
        convert(
            f"%p: {pointer}, %i: i32",
            f"""
            %l = fly.to_llvm_ptr(%p) {{llvm_address_space = 3 : i32}} : ({pointer}) -> !llvm.ptr<3>
            "llvm.store"(%i, %l) : (i32, !llvm.ptr<3>) -> ()
            """,
        )


def test_an_offset_of_zero_is_an_address_too() -> None:
    text = convert(
        "%p: !fly.ptr<f32, global>",
        """
        %s = fly.static : !fly.int_tuple<0>
        %a = fly.add_offset(%p, %s) : (!fly.ptr<f32, global>, !fly.int_tuple<0>) -> !fly.ptr<f32, global>
        %v = fly.ptr.load(%a) : (!fly.ptr<f32, global>) -> f32
        """,
    )
    assert "value = 0 : i32" in lines(text, "arith.constant")[0]
    assert len(lines(text, "llvm.getelementptr")) == 1


def test_a_pointer_is_recast_to_another_space() -> None:
    text = convert(
        "%p: !fly.ptr<f32, shared>",
        """
        %g = fly.recast_iter(%p) : (!fly.ptr<f32, shared>) -> !fly.ptr<f32, generic>
        %v = fly.ptr.load(%g) : (!fly.ptr<f32, generic>) -> f32
        """,
    )
    assert "(!llvm.ptr<3>) -> !llvm.ptr" in lines(text, "llvm.addrspacecast")[0]


def test_dynamic_shared_memory_needs_a_space_that_has_it() -> None:
    from flydsl.backend.ir import SHARED
    from flydsl.backend.lowering import PlainSpace

    with pytest.raises(IRError, match="target 'toy' has no dynamic shared memory"):
        convert("", "%d = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared>", spaces={SHARED: PlainSpace(3)})
