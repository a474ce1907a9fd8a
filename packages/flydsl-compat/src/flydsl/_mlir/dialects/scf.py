"""No builders of the `scf` dialect: traced functions have the control flow of Python, and this says how."""

from __future__ import annotations

from typing import NoReturn

from flydsl._mlir.building.unknown import refuse

_INSTEAD = {
    **dict.fromkeys(("IfOp", "if_"), "write `if condition: ... else: ...`, or condition.select(a, b)"),
    **dict.fromkeys(
        ("ForOp", "for_"), "write `for i in range(...)`; `for i, state in range(..., init=[x])` carries values"
    ),
    **dict.fromkeys(("WhileOp", "while_", "ConditionOp", "condition"), "write `while condition: ...`"),
    **dict.fromkeys(("YieldOp", "yield_"), "what a branch or loop assigns is carried; with init=, `yield [x]`"),
}


def __getattr__(name: str) -> NoReturn:
    """The statement of Python to write instead."""
    refuse(__name__, name, (), _INSTEAD.get(name, "write the if, for and while of Python"))
