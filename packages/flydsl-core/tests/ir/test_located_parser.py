"""Operations know their place in the text."""

from __future__ import annotations

import pytest

from flydsl.base.errors import Diagnostic, IRError
from flydsl.ir.location import get_location
from flydsl.ir.parse import parse_module

TEXT = """func.func @f(%a: i32) {
  %0, %1 = fly.get_leaves(%b) : (!fly.int_tuple<(?,?)>) -> (i32, i32)
  scf.if %c {
    %x = "fly.static"() : () -> !fly.int_tuple<4>
  }
  %y = fly.static : !fly.int_tuple<8> loc("kernel.py":7:3)
  func.return
}
"""


def test_an_operation_gets_the_place_of_its_name() -> None:
    text = TEXT.replace("%a: i32", "%b: !fly.int_tuple<(?,?)>, %c: i1")
    module = parse_module(text, name="k.mlir", locate=True)
    found = [str(get_location(op)) for op in module.walk() if op.name.startswith(("fly.", "func.", "scf.if"))]
    places = ["k.mlir:1:1", "k.mlir:2:12", "k.mlir:3:3", "k.mlir:4:10", "kernel.py:7:3", "k.mlir:7:3"]
    assert found == places


def test_what_is_wrong_is_told_with_its_place() -> None:
    with pytest.raises(IRError) as caught:
        parse_module("\n  %x = fly.static : !fly.int_tuple<?>", name="k.mlir", locate=True)
    message = "fly.static makes values of static types, found !fly.int_tuple<?>"
    assert caught.value.diagnostic == Diagnostic("error", message, "k.mlir", 2, 8)


def test_malformed_text_is_told_with_its_place() -> None:
    with pytest.raises(IRError) as caught:
        parse_module("\n %x = fly.static ?", name="k.mlir")
    assert caught.value.diagnostic is not None
    assert str(caught.value.diagnostic).startswith("k.mlir:2:18: error: ")
