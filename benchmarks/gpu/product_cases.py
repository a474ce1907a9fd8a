"""What the checks of matrix instructions share: the types and errors of products, and the run over all cases."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Case = dict[str, Any]
TOLERANCE = {"float32": 2e-3, "float16": 3e-3, "int32": 0.0}
"""Relative errors, by the type of the sums."""


def sums_of(case: Case) -> str:
    """The type of the sums."""
    return str(case.get("acc", "int32" if case["dtype"] == "int8" else "float32"))


def wrong_cases(cases: Sequence[Case], error_of: Callable[[Case], float]) -> int:
    """Run every case; the number of those that are wrong."""
    wrong = 0
    for case in cases:
        try:
            error = error_of(case)
            is_right = error <= TOLERANCE[sums_of(case)]
            result = f"{error:.2e}{'' if is_right else '  WRONG'}"
        except Exception as failure:
            is_right, result = False, f"{type(failure).__name__}: {' '.join(str(failure).split())[:300]}"
        wrong += not is_right
        print(f"{case!s:<90} {result}", flush=True)
    print(f"{wrong} of {len(cases)} wrong")
    return wrong
