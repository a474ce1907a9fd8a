"""Tracing without a backend: `emitted(function, Int32, ...)` gives the IR that a function on dynamic scalars emits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Region

from flydsl.expr import context
from flydsl.expr.emission import Emitter, TargetInfo, scalar_type
from flydsl.ir.emit import emit_generic


class Emitted:
    """The result of a traced function and the operations that it emitted, as text."""

    def __init__(self, result: Any, ops: list[str]) -> None:
        self.result, self.ops = result, ops

    @property
    def names(self) -> list[str]:
        """The operations by name, without constants."""
        names = [op.split("(")[0].split('"')[1] for op in self.ops]
        return [name for name in names if name != "arith.constant"]


@pytest.fixture
def emitted() -> Callable[..., Emitted]:
    def run(function: Callable[..., Any], *dtypes: Any) -> Emitted:
        block = Block(arg_types=[scalar_type(dtype.mlir_name) for dtype in dtypes])
        emitter = Emitter(block, TargetInfo("none", "none", 32), "kernel", None)
        with context.tracing(emitter):
            arguments = [dtype.wrap(value) for dtype, value in zip(dtypes, block.args, strict=True)]
            result = function(*arguments)
        count = len(list(block.ops))
        text = emit_generic(ModuleOp(Region(block)))
        lines = [line.strip() for line in text.splitlines() if '"' in line and "builtin.module" not in line]
        assert len(lines) >= count
        return Emitted(result, lines)

    return run
