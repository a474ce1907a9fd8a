"""Traces of single builders, with what they insert as text that MLIR has verified."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

MLIR_OPT = Path("/usr/lib/llvm-22/bin/mlir-opt")


@dataclass(frozen=True)
class Emitted:
    """What a function gave, and the operations that it inserted, one a line in MLIR's generic form."""

    result: Any
    lines: list[str]
    text: str

    @property
    def names(self) -> list[str]:
        """The names of the operations."""
        return [line.partition('"')[2].partition('"')[0] for line in self.lines]

    def verify(self) -> None:
        """Have MLIR read and verify the operations."""
        done = subprocess.run([MLIR_OPT], input=self.text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr + self.text


@pytest.fixture
def emitted() -> Callable[..., Emitted]:
    """`emitted(function, fx.Int32, "!llvm.ptr<1>", ...)` traces a function on values of these types."""
    from xdsl.dialects import builtin, func
    from xdsl.ir import Block, Region

    from flydsl._mlir.building.values import type_of, wrapped
    from flydsl.expr.tracing import context
    from flydsl.expr.values.emitter import Emitter, TargetInfo
    from flydsl.ir.emit import emit_generic

    def run(function: Callable[..., Any], *types: Any) -> Emitted:
        block = Block(arg_types=[type_of(one) for one in types])
        emitter = Emitter(block, TargetInfo("none", "none", 32), "kernel", None)
        with context.tracing(emitter):
            result = function(*map(wrapped, block.args))
        count = len(list(block.ops))
        block.add_op(func.ReturnOp())
        region = Region(block)
        kind = builtin.FunctionType.from_lists([arg.type for arg in block.args], [])
        function_op = func.FuncOp("f", kind, region)
        text = emit_generic(builtin.ModuleOp([function_op]))
        lines = [line.strip() for line in text.splitlines() if line.startswith("    ")]
        return Emitted(result, lines[:count], text)

    return run
