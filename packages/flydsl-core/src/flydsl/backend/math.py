"""Math functions and divisions in terms of arithmetic, where a target has no instruction for them."""

from __future__ import annotations

from flydsl.passes.expand_math import ExpandMath, expand, expansions
from flydsl.passes.math.approximation import Approximation, approximations, widened
from flydsl.passes.math.exponential import LN2_HIGH, LN2_LOW, LOG2_E, scaled
from flydsl.passes.math.expression import F32, F64, I32, select
from flydsl.passes.math.functions import FUNCTIONS, SCALAR_FUNCTIONS
from flydsl.passes.total_division import make_divisions_total

__all__ = [
    "F32",
    "F64",
    "FUNCTIONS",
    "I32",
    "LN2_HIGH",
    "LN2_LOW",
    "LOG2_E",
    "SCALAR_FUNCTIONS",
    "Approximation",
    "ExpandMath",
    "approximations",
    "expand",
    "expansions",
    "make_divisions_total",
    "scaled",
    "select",
    "widened",
]
