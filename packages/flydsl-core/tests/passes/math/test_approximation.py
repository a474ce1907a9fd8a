"""Approximations: the instruction between the factors of its argument and of its result."""

from __future__ import annotations

import math

import pytest

from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.math.approximation import Approximation, approximations
from flydsl.passes.rewriting import operations

TABLE = approximations(exp2="llvm.t.exp2", log2="llvm.t.log2", tanh="llvm.t.tanh")


def replaced(approximation: Approximation, type_: str = "f32") -> str:
    text = f"func.func @f(%x: {type_}) -> {type_} {{ %y = math.exp %x : {type_} func.return %y : {type_} }}"
    module = parse_module(text, check=False)
    (op,) = operations(module, ("math.exp",))
    approximation.replace(op)
    return emit_generic(module)


@pytest.mark.parametrize(
    ("name", "function"),
    [("exp", math.exp), ("exp2", math.exp2), ("log", math.log), ("log2", math.log2), ("log10", math.log10)],
)
def test_functions_of_all_bases_are_made_of_base_2(name: str, function: object) -> None:
    found = TABLE[f"math.{name}"]
    base_2 = math.exp2 if name.startswith("exp") else math.log2
    assert found.intrinsic == ("llvm.t.exp2" if name.startswith("exp") else "llvm.t.log2")
    assert base_2(0.7 * found.before) * found.after == pytest.approx(function(0.7), rel=1e-15)


def test_others_are_instructions_alone() -> None:
    assert TABLE["math.tanh"] == Approximation("llvm.t.tanh")


@pytest.mark.parametrize("type_", ["f32", "f16", "bf16", "vector<2xbf16>"])
def test_narrower_types_are_computed_in_f32(type_: str) -> None:
    text = replaced(TABLE["math.exp"], type_)
    assert "math.exp" not in text
    assert text.count('"llvm.t.exp2"') == (2 if "2x" in type_ else 1)
    assert ("arith.extf" in text, "arith.truncf" in text) == (type_ != "f32",) * 2


def test_a_factor_of_one_multiplies_nothing() -> None:
    assert "arith.mulf" not in replaced(Approximation("llvm.t.one"))
    assert replaced(Approximation("llvm.t.one", before=2.0, after=3.0)).count("arith.mulf") == 2
