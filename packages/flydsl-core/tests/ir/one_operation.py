"""One operation interpreted."""

from __future__ import annotations

from flydsl.ir.interpret import run
from flydsl.ir.parse import parse_module


def call(operation: str, type_: str, *values: object, result: str = "") -> object:
    """The result of an operation for operands of one type."""
    result = result or type_
    names = [f"%a{i}" for i in range(len(values))]
    arguments = ", ".join(f"{name}: {type_}" for name in names)
    signature = f"({', '.join([type_] * len(values))}) -> {result}"
    module = parse_module(
        f'func.func @f({arguments}) -> {result} {{\n  %r = "{operation}"({", ".join(names)}) : {signature}\n'
        f"  func.return %r : {result}\n}}"
    )
    return run(module.body.block.first_op, values)[0]  # type: ignore[arg-type]
