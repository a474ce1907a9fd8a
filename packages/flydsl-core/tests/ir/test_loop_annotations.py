"""Annotations of loops: MLIR reads them and moves them to branches, and our passes keep them."""

from __future__ import annotations

import pytest
from xdsl.dialects import scf
from xdsl.parser import Parser

from flydsl.backend.pipeline import FLY_PIPELINE
from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.loop_annotations import LOOP_ANNOTATION, annotation_of, unrolling
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run

LOOP = """
func.func @f(%p: !llvm.ptr, %n: i32, %x: f32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a, %b = scf.for %i = %zero to %n step %one iter_args(%q = %x, %r = %x) -> (f32, f32) : i32 {
    %s = arith.addf %q, %r : f32
    scf.yield %s, %r : f32, f32
  } ANNOTATION
  return %a : f32
}
"""
TEXTS = {1: "#llvm.loop_annotation<unroll = <disable = true>>", 4: "#llvm.loop_annotation<unroll = <count = 4 : i32>>"}


@pytest.mark.parametrize("times", TEXTS)
def test_an_annotation_is_text_of_llvms_dialect(times: int) -> None:
    assert str(unrolling(times)) == TEXTS[times]
    module = parse_module(LOOP.replace("ANNOTATION", f"{{{LOOP_ANNOTATION} = {TEXTS[times]}}}"))
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert annotation_of(loop) == {LOOP_ANNOTATION: unrolling(times)}
    again = parse_module(emit_generic(module))
    assert emit_generic(again) == emit_generic(module)
    assert TEXTS[times] in emit_generic(module)


def test_an_alias_inside_is_what_it_stands_for() -> None:
    text = "#llvm.loop_annotation<unroll = #once, peel = #other>\n#once = #llvm.loop_unroll<disable = true>\n"
    found = Parser(create_context(), text).parse_attribute()
    assert str(found) == "#llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>, peel = #other>"


def test_a_loop_that_says_nothing_has_none() -> None:
    module = parse_module(LOOP.replace("ANNOTATION", ""))
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert annotation_of(loop) == {}


def test_a_loop_that_carries_less_keeps_its_annotation() -> None:
    context = create_context()
    module = parse_module(LOOP.replace("ANNOTATION", f"{{{LOOP_ANNOTATION} = {TEXTS[1]}}}"), context)
    run(module, FLY_PIPELINE, context=context)
    (loop,) = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    assert len(loop.results) == 1
    assert annotation_of(loop) == {LOOP_ANNOTATION: unrolling(1)}
