"""Inline assembly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flydsl.backend.language import current
from flydsl.base.errors import FrontendError
from flydsl.expr import as_ir_value

from .chips import require
from .operands import type_of
from .operations import wrapped

__all__ = ["inline_asm"]


def inline_asm(
    result_type: Any,
    operands: Sequence[Any],
    asm_string: str,
    constraints: str,
    *,
    has_side_effects: bool = False,
) -> Any:
    """Instructions as text, in which `$0`, `$1`, ... are the results and then the operands.

    `constraints` has one for each, results first and after a `=`: `v` (vector register), `s` (scalar register), `a`
    (accumulator), `n` or `i` (constant), a number (the register of that result), or a register such as `{v3}`; then
    what is overwritten, such as `~{memory}` or `~{vcc}`. `result_type` is a type, a list of types for a tuple of
    results, or None. Instructions without a result are never left out or moved; others are unless `has_side_effects`.
    """
    require("inline_asm")
    types = [] if result_type is None else list(result_type) if isinstance(result_type, list | tuple) else [result_type]
    results = [type_of(type_) for type_ in types]
    values = [as_ir_value(operand) for operand in operands]
    _check(asm_string, constraints, len(results), len(values))
    emitter = current()
    properties = {"asm_string": emitter.attribute(asm_string), "constraints": emitter.attribute(constraints)}
    if has_side_effects or not results:
        properties["has_side_effects"] = emitter.unit()
    op = emitter.op("llvm.inline_asm", values, _result(results), properties=properties)
    if not results:
        return None
    result = wrapped(op.results[0], op.results[0].type)
    return (result,) if isinstance(result_type, list | tuple) and len(results) == 1 else result


def _result(results: list[Any]) -> list[Any]:
    """LLVM has several results as one struct."""
    from flydsl.backend.ir import StructType

    return results if len(results) < 2 else [StructType(tuple(results))]


def _check(asm_string: Any, constraints: Any, results: int, operands: int) -> None:
    if not isinstance(asm_string, str) or not isinstance(constraints, str):
        raise FrontendError(
            f"fx.rocdl.inline_asm takes instructions and constraints as text, found {asm_string!r} and {constraints!r}"
        )
    parts = [part.strip() for part in constraints.split(",") if part.strip()]
    outputs = sum(part.startswith("=") for part in parts)
    inputs = sum(not part.startswith(("=", "~")) for part in parts)
    if (outputs, inputs) != (results, operands):
        raise FrontendError(
            f"fx.rocdl.inline_asm: constraints {constraints!r} are of {outputs} results and {inputs} operands, and it "
            f"has {results} and {operands}"
        )
