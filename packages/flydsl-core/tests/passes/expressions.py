"""Evaluation of the expansions of elementary functions, by the interpreter, and their distance from exact results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from flydsl.ir.interpret import HANDLERS
from flydsl.ir.interpret.program import translate
from flydsl.ir.interpret.thread import Block as ThreadBlock
from flydsl.ir.interpret.thread import Thread
from flydsl.passes.math.expression import F32, I32
from flydsl.passes.to_llvm.builder import LLVMBuilder

LOWERED_HANDLERS = {**HANDLERS, "llvm.bitcast": HANDLERS["arith.bitcast"]}
"""Those of the interpreter, and the cast that stands for `arith.bitcast` in lowered code."""
LANES = {f32: F32, i32: I32}


def compiled(function: Operation) -> Callable[..., list[Any]]:
    """The function that a lowered function without memory and threads is."""
    program = translate(function, LOWERED_HANDLERS)
    thread = Thread((0, 0, 0), 0, ThreadBlock(), {})
    return lambda *arguments: list(program.call(thread, *arguments))


def evaluate(function: Callable[..., Any], *arguments: Sequence[float], types: Sequence[Any] = ()) -> np.ndarray:
    """The results of an expansion for numbers, one call for each; a mask is 0 or 1."""
    types = types or [f32] * len(arguments)
    block = Block(arg_types=types)
    build = LLVMBuilder(block)
    result = function(*(LANES[type_](build, value) for type_, value in zip(types, block.args, strict=True)))
    value = result if isinstance(result, SSAValue) else result.value
    block.add_op(ReturnOp(value))
    program = FuncOp("f", (list(types), [value.type]), Region(block))
    program.verify()
    call = compiled(program)
    return np.array([call(*numbers)[0] for numbers in zip(*arguments, strict=True)], np.float64)


def ulps(found: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance of finite results from the exact ones, in units of the last place of f32."""
    with np.errstate(over="ignore"):
        spacing = np.spacing(np.abs(exact).astype(np.float32)).astype(np.float64)
    fine = np.isfinite(exact) & np.isfinite(spacing)
    assert fine.any()
    return float(np.max(np.abs(found[fine] - exact[fine]) / spacing[fine]))


def singles(*values: float) -> list[float]:
    """The nearest f32 of each number."""
    return [float(np.float32(value)) for value in values]


def spread(low: float, high: float, count: int = 60) -> list[float]:
    """Random f32 numbers between two."""
    return singles(*np.random.default_rng(0).uniform(low, high, count))
