"""Fast-math flags of the operations inside of a `with`."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def flags(run):
    return [op.split("fastmath<")[1].split(">")[0] for op in run.ops if "fastmath<" in op]


def test_operations_inside_have_the_flags_and_others_none(emitted):
    def run(x):
        before = x + 1.0
        with fx.fastmath("contract,nnan"):
            inside = before * 2.0
        return inside - 1.0

    assert flags(emitted(run, fx.Float32)) == ["none", "nnan,contract", "none"]


def test_an_inner_statement_replaces_the_flags(emitted):
    def run(x):
        with fx.fastmath(fx.FastMathFlags.fast):
            with fx.fastmath(None):
                y = x + 1.0
            return y * 2.0

    assert flags(emitted(run, fx.Float32)) == ["none", "fast"]


def test_an_unknown_flag_is_refused(emitted):
    def run(x):
        with fx.fastmath("quick"):
            return x

    with pytest.raises(FrontendError, match="quick"):
        emitted(run, fx.Float32)
