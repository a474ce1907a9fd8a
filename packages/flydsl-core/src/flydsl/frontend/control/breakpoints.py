"""`breakpoint()` in traced code: an operation that carries the user's variables to the interpreter."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import FrameType, FunctionType, ModuleType, SimpleNamespace
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numeric import Numeric
from flydsl.expr.tracing.context import current, is_interpreted
from flydsl.frontend.control.undefined import Undefined

_PREFIX = "__flydsl"


def stop_here(*args: Any, **kwargs: Any) -> None:
    """The replacement of `breakpoint()` in traced code; raises FrontendError where the code is compiled."""
    if not is_interpreted():
        raise FrontendError(
            "breakpoint() stops a thread of the interpreter, and this is compiled; "
            "run with FLYDSL_INTERPRET=1, or call flyc.interpret(function)(...)"
        )
    operands: list[Any] = []
    variables = {
        name: _expression(value, operands)
        for name, value in _variables(sys._getframe(1)).items()
        if not isinstance(value, Undefined | ModuleType | FunctionType | type)
    }
    emitter = current()
    attributes = {"variables": emitter.texts(variables)}
    emitter.op("fly.breakpoint", operands, attributes=attributes)


def _variables(frame: FrameType | None) -> Mapping[str, Any]:
    """The variables of the user's function that `frame` is part of: branches and loops are functions of their own."""
    parts = []
    while frame is not None:
        name = frame.f_code.co_name
        if name.startswith(_PREFIX) or frame.f_globals.get("__name__", "").partition(".")[0] != "flydsl":
            parts.append(frame.f_locals)
            if not name.startswith((_PREFIX, "<")):
                break
        frame = frame.f_back
    variables: dict[str, Any] = {}
    for part in reversed(parts):
        variables |= {name: value for name, value in part.items() if not name.startswith(_PREFIX)}
    return variables


def _expression(value: Any, operands: list[Any]) -> str:
    """A value as an expression of `v`, the operands of the operation."""
    if isinstance(value, bool | int | str | type(None)):
        return repr(value)
    if isinstance(value, float):
        return f"float({str(value)!r})"
    if type(value) in (tuple, list):
        parts = "".join(f"{_expression(part, operands)}, " for part in value)
        return f"({parts})" if isinstance(value, tuple) else f"[{parts}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_expression(part, operands)}' for key, part in value.items())}}}"
    if isinstance(value, SimpleNamespace):
        return f"SimpleNamespace(**{_expression(vars(value), operands)})"
    return _leaf(value, operands)


def _leaf(value: Any, operands: list[Any]) -> str:
    if isinstance(value, Numeric) and value.is_static:
        return _expression(value.value, operands)
    extract = getattr(value, "__extract_to_ir_values__", None)
    values = extract() if extract is not None and not isinstance(value, type) else []
    if not values:
        return f"Shown({repr(value)!r})"
    items = [f"v[{len(operands) + index}]" for index in range(len(values))]
    operands += values
    if len(items) > 1:
        return f"[{', '.join(items)}]"
    dtype = getattr(value, "dtype", None) if isinstance(value, Numeric) else None
    if dtype is None or dtype.is_float or dtype.is_signed:
        return items[0]
    return f"bool({items[0]})" if dtype.width == 1 else f"{items[0]} & {(1 << dtype.width) - 1}"
