"""The walk over a module: values get their converted types, whatever carries them."""

from __future__ import annotations

import pytest
from toy_target import convert, lines

from flydsl.base.errors import IRError


def test_pointers_flow_through_loops_and_branches() -> None:
    pointer = "!fly.ptr<f32, global>"
    text = convert(
        f"%p: {pointer}, %c: i1, %n: index, %d: i32",
        f"""
        %one = arith.constant 1 : index
        %o = fly.make_int_tuple(%d) : (i32) -> !fly.int_tuple<?>
        %r = "scf.for"(%one, %n, %one, %p) ({{
        ^bb0(%i: index, %q: {pointer}):
          %s = "scf.if"(%c) ({{
            %t = fly.add_offset(%q, %o) : ({pointer}, !fly.int_tuple<?>) -> {pointer}
            "scf.yield"(%t) : ({pointer}) -> ()
          }}, {{
            "scf.yield"(%q) : ({pointer}) -> ()
          }}) : (i1) -> {pointer}
          "scf.yield"(%s) : ({pointer}) -> ()
        }}) : (index, index, index, {pointer}) -> {pointer}
        %v = fly.ptr.load(%r) : ({pointer}) -> f32
        """,
    )
    assert (
        "(index, index, index, !llvm.ptr<1>) -> !llvm.ptr<1>" in lines(text, "scf.for")[0] or "-> !llvm.ptr<1>" in text
    )


def test_narrow_float_values_travel_as_integers() -> None:
    text = convert(
        "%p: !fly.ptr<f8E4M3FN, global>, %c: i1",
        """
        %one = "arith.constant"() <{value = 1.0 : f8E4M3FN}> : () -> f8E4M3FN
        %x = fly.ptr.load(%p) : (!fly.ptr<f8E4M3FN, global>) -> f8E4M3FN
        %y = arith.select %c, %x, %one : f8E4M3FN
        fly.ptr.store(%y, %p) : (f8E4M3FN, !fly.ptr<f8E4M3FN, global>) -> ()
        """,
    )
    assert "f8E4M3FN" not in text
    assert "value = 56 : i8" in text


def test_arithmetic_on_narrow_floats_is_an_error() -> None:
    with pytest.raises(IRError, match="convert to f32 first"):
        convert(
            "%p: !fly.ptr<f8E4M3FN, global>",
            """
            %x = fly.ptr.load(%p) : (!fly.ptr<f8E4M3FN, global>) -> f8E4M3FN
            %y = arith.addf %x, %x : f8E4M3FN
            """,
        )


def test_operation_without_a_lowering_is_named() -> None:
    with pytest.raises(IRError, match=r"fly\.make_identity_layout"):
        convert(
            "",
            """
            %s = fly.static : !fly.int_tuple<4>
            %l = fly.make_identity_layout(%s) : (!fly.int_tuple<4>) -> !fly.layout<4:1E0>
            """,
        )


def test_a_bitcast_between_types_of_one_form_is_dropped() -> None:
    text = convert(
        "%p: !fly.ptr<f8E4M3FN, global>, %q: !fly.ptr<i8, global>",
        """
        %x = fly.ptr.load(%p) : (!fly.ptr<f8E4M3FN, global>) -> f8E4M3FN
        %y = arith.bitcast %x : f8E4M3FN to i8
        fly.ptr.store(%y, %q) : (i8, !fly.ptr<i8, global>) -> ()
        """,
    )
    assert lines(text, "arith.bitcast") == []
    assert len(lines(text, "llvm.store")) == 1


def test_symbols_of_the_module_are_not_used_again() -> None:
    text = convert(
        "",
        """
        %s = fly.make_ptr() {dictAttrs = {allocSize = 64 : i64}} : () -> !fly.ptr<f16, shared>
        %t = fly.make_ptr() {dictAttrs = {allocSize = 64 : i64}} : () -> !fly.ptr<f16, shared>
        """,
    )
    names = {line.split('sym_name = "')[1].split('"')[0] for line in lines(text, "llvm.mlir.global")}
    assert names == {"__shared_alloc_0", "__shared_alloc_1"}


def test_an_offset_is_one_integer() -> None:
    with pytest.raises(IRError, match=r"an offset is one integer at this stage, found !fly.int_tuple<\(1,2\)>"):
        convert(
            "%p: !fly.ptr<f32, global>",
            """
            %s = fly.static : !fly.int_tuple<(1,2)>
            %a = fly.add_offset(%p, %s) : (!fly.ptr<f32, global>, !fly.int_tuple<(1,2)>) -> !fly.ptr<f32, global>
            """,
        )
