"""What kernels build of the `scf` dialect by hand; traced functions have the control flow of Python besides."""

from __future__ import annotations

from typing import Any

from flydsl._mlir.building.dialect import star_names
from flydsl._mlir.building.regions import ConditionOp as ConditionOp
from flydsl._mlir.building.regions import ForOp as ForOp
from flydsl._mlir.building.regions import IfOp as IfOp
from flydsl._mlir.building.regions import WhileOp as WhileOp
from flydsl._mlir.building.regions import YieldOp as YieldOp
from flydsl._mlir.building.regions import condition as condition
from flydsl._mlir.building.regions import yield_ as yield_
from flydsl._mlir.building.unknown import refuse

_NAMES = ("ConditionOp", "ForOp", "IfOp", "WhileOp", "YieldOp", "condition", "yield_")
_INSTEAD = {
    **dict.fromkeys(("if_",), "write `if condition: ... else: ...`, or condition.select(a, b)"),
    **dict.fromkeys(("for_",), "write `for i in range(...)`; `for i, state in range(..., init=[x])` carries values"),
    **dict.fromkeys(("while_",), "write `while condition: ...`"),
}


def __getattr__(name: str) -> Any:
    """The statement of Python to write instead."""
    if name == "__all__":  # of a star import
        return star_names(_NAMES)
    return refuse(__name__, name, _NAMES, _INSTEAD.get(name, "write the if, for and while of Python"))


def __dir__() -> list[str]:
    return sorted(_NAMES)
