"""The generated tables: what is in them, and that they are those of the installed LLVM."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from flydsl._mlir.building.enumerations import enumerations
from flydsl._mlir.building.operations import by_class, by_function
from flydsl.base.errors import FrontendError

ROOT = Path(__file__).resolve().parents[4]


def test_the_tables_are_those_of_the_installed_mlir() -> None:
    script = ROOT / "scripts/generate_mlir_operations.py"
    assert subprocess.run([sys.executable, script, "--check"], check=False).returncode == 0


def test_signatures_are_in_the_order_of_mlir() -> None:
    load, gep = by_class("llvm")["LoadOp"], by_class("llvm")["GEPOp"]
    assert str(load).startswith("LoadOp(type, addr, alignment=None, volatile_=None")
    assert [a.name for a in gep.arguments] == [
        *("base", "dynamicIndices", "rawConstantIndices", "elem_type", "noWrapFlags"),
    ]
    assert by_function("llvm")["intr_expect"].result == "=val"
    assert by_function("arith")["extsi"].is_pure
    assert not by_function("llvm")["store"].is_pure
    assert by_class("llvm")["CallIntrinsicOp"].is_segmented


def test_enumerations_have_the_numbers_of_mlir() -> None:
    orderings = enumerations("llvm")["AtomicOrdering"]
    assert (orderings.members["monotonic"], orderings.members["seq_cst"]) == (2, 7)
    assert str(orderings.attribute("acquire")) == "4 : i64"
    assert enumerations("arith")["CmpFPredicate"].attribute("olt") == enumerations("arith")["CmpFPredicate"].attribute(
        4
    )
    flags = enumerations("arith")["FastMathFlags"]
    assert str(flags.attribute(flags.members["nnan"] | flags.members["ninf"])) == "#arith.fastmath<nnan,ninf>"
    assert flags.attribute("nnan,ninf") == flags.attribute(6)
    assert str(flags.attribute("fast")) == "#arith.fastmath<fast>"
    assert enumerations("llvm")["FastMathFlags"] is enumerations("llvm")["FastmathFlags"]
    for wrong in ("relaxed", 3, None):
        with pytest.raises(FrontendError, match=r"llvm.AtomicOrdering has not_atomic, .*; found"):
            orderings.attribute(wrong)
