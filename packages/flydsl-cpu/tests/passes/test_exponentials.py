"""Exponentials of the CPU: errors on dense ranges, subnormal results and edges, with and without the instruction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run
from flydsl_cpu.plugin import flydsl_compile_backends

Compile = Callable[..., Callable[..., None]]
Module = Callable[..., str]

BLOCK = 256
RANGES = {"exp": (np.exp, -105, 90, 88.73), "exp2": (np.exp2, -152, 130, 128)}
EDGES = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 3e38, -3e38, 1e-40, 88.8, 128.0, -104.0, -103.9, -150.0, -149.0]


def kernel_text(kernel_module: Module, name: str) -> str:
    body = f"""
      %tx = gpu.thread_id x
      %bx = gpu.block_id x
      %size = arith.constant {BLOCK} : index
      %first = arith.muli %bx, %size : index
      %at = arith.addi %first, %tx : index
      %i = arith.index_cast %at : index to i64
      %a = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %b = llvm.getelementptr %q[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %a : !llvm.ptr -> f32
      %y = math.{name} %x : f32
      llvm.store %y, %b : f32, !llvm.ptr
    """
    return kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(BLOCK, 1, 1))


def expanded(text: str, options: str) -> str:
    context = create_context()
    module = parse_module(text, context, check=False)
    run(module, f"cpu-exponentials{options}", context=context, extra=flydsl_compile_backends()[0].passes)
    return emit_generic(module)


@pytest.mark.parametrize("options", ["", "{scale=true}"])
@pytest.mark.parametrize("name", RANGES)
def test_exponentials_are_within_a_unit_in_the_last_place(
    compile_kernel: Compile, kernel_module: Module, name: str, options: str
) -> None:
    reference, low, high, largest = RANGES[name]
    kernel = compile_kernel(expanded(kernel_text(kernel_module, name), options))
    x = np.concatenate([np.linspace(low, high, (1 << 20) - len(EDGES)), EDGES]).astype(np.float32)
    y = np.zeros_like(x)
    kernel(x, y, grid=(len(x) // BLOCK, 1, 1), block=(BLOCK, 1, 1))
    with np.errstate(over="ignore"):
        exact = reference(x.astype(np.float64))
        rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded) & (x < largest)
    errors = np.abs(y[finite] - exact[finite]) / np.spacing(rounded[finite]).astype(np.float64)
    assert errors.max() <= 1
    np.testing.assert_array_equal(y[~np.isfinite(rounded)], rounded[~np.isfinite(rounded)])
    assert np.all(y[x < low + 0.5] == rounded[x < low + 0.5])


def test_with_the_instruction_nothing_is_shifted_into_an_exponent(kernel_module: Module) -> None:
    text = kernel_text(kernel_module, "exp")
    assert "llvm.intr.ldexp" in expanded(text, "{scale=true}")
    assert "arith.shli" not in expanded(text, "{scale=true}")
    assert "llvm.intr.ldexp" not in expanded(text, "")


@pytest.mark.parametrize("name", RANGES)
def test_the_instruction_takes_small_arguments_as_they_are(kernel_module: Module, name: str) -> None:
    text = kernel_text(kernel_module, name)
    comparisons = [expanded(text, options).count("arith.cmpf") for options in ("{scale=true}", "")]
    assert comparisons == [2, 3]  # too large, and the result is 0; without the instruction also too small
