"""Functions of f32: the largest errors that `docs/reference/math.md` promises, references in doubles, arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from flydsl.ir.math_functions import MATH_FUNCTIONS

Array = np.ndarray[Any, Any]
BOUNDS: Mapping[str, float] = {f.name: f.bound for f in MATH_FUNCTIONS.values() if f.operands == 1}
"""Units in the last place of the exact result."""
BINARY: Mapping[str, float] = {name: MATH_FUNCTIONS[name].bound for name in ("powf", "atan2", "copysign")}
"""The same of functions of two numbers."""
SPECIAL = (
    *(0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-40, -1e-45, 3.4e38, -3.4e38),
    *(0.49999997, 8388609.0, 6e4, 1e22, 1e-10, -1e-10, -87.5, -103.5, -127.5, -140.25, 88.5, 127.5),
)
_PAIRED = (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan)
"""Of which functions of two numbers get every pair."""
_SMALL = 96
"""Arguments in the dense range, and as many of any magnitude."""


def _exact(function: Callable[..., float]) -> Callable[..., Array]:
    """A function of C in doubles, NaN outside of its domain, for arrays."""

    def one(*values: float) -> float:
        try:
            return float(function(*values))
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    return np.vectorize(one, otypes=[float])


REFERENCES: Mapping[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("cbrt", "ceil", "cos", "cosh", "exp", "exp2", "expm1", "floor", "log")},
    **{name: getattr(np, name) for name in ("log1p", "log10", "log2", "sin", "sinh", "sqrt", "tan", "tanh", "trunc")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("cos", "cosh", "sin", "sinh", "tan", "tanh")},
    "absf": np.abs,
    "erf": _exact(math.erf),
    "erfc": _exact(math.erfc),
    "round": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "roundeven": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "powf": np.power,
    "atan2": np.arctan2,
    "copysign": np.copysign,
}


def arguments() -> Array:
    """A row of f32 for each of `BOUNDS`, then one for the second operand of `BINARY`, of which `absf` has the first."""
    rng = np.random.default_rng(4)
    rows = []
    for name in (*BOUNDS, ""):
        low, high = MATH_FUNCTIONS[name].domain if name else (-12.0, 12.0)
        dense = np.linspace(low, high, _SMALL)
        any_size = np.ldexp(rng.uniform(-1, 1, _SMALL), rng.integers(-140, 128, _SMALL))
        mixed = np.concatenate([dense, any_size, SPECIAL])
        first, second = np.repeat(_PAIRED, len(_PAIRED)), np.tile(_PAIRED, len(_PAIRED))
        rows.append(np.concatenate([mixed, first] if name else [rng.permutation(mixed), second]))
    with np.errstate(over="ignore"):
        return np.stack(rows).astype(np.float32)


def errors(name: str, found: Array, *operands: Array) -> Array:
    """In units in the last place of the exact result; infinity where a special result is another one."""
    with np.errstate(all="ignore"):
        exact = np.asarray(REFERENCES[name](*(operand.astype(np.float64) for operand in operands)))
        rounded = exact.astype(np.float32)
        ulps = np.abs(found - exact) / np.spacing(np.abs(rounded)).astype(np.float64)
    special = ~np.isfinite(rounded) | (rounded == 0)
    same = ((found == rounded) & (np.signbit(found) == np.signbit(rounded))) | (np.isnan(found) & np.isnan(rounded))
    near_zero = (rounded == 0) & (exact != 0) & (ulps <= 1)  # below the least number: one rounding, to either side
    return np.where(special & ~near_zero, np.where(same, 0.0, np.inf), np.where(np.isfinite(found), ulps, np.inf))
