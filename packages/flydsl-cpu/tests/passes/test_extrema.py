"""Maxima and minima with a number become a comparison and a choice, and are what they were for NaN."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, load, store

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run
from flydsl_cpu.backend import CpuBackend
from flydsl_cpu.plugin import flydsl_compile_backends

Compile = Callable[..., Callable[..., None]]
Module = Callable[..., str]

THREADS, STEPS = 64, 5


def rewritten(text: str) -> str:
    module = parse_module(text, create_context(), check=False)
    run(module, "cpu-extrema", context=create_context(), extra=flydsl_compile_backends()[0].passes)
    return emit_generic(module)


def folded(first: str, step: str, element: str = "f32") -> str:
    """`%r` = `first`, then STEPS times what `step` makes of it, `%m`, and of an element of %p, `%x`."""
    return (
        INDICES
        + f"""
      %first = {first}
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %steps = arith.constant {STEPS} : i32
      %threads = arith.constant {THREADS} : i32
      %r = "scf.for"(%zero, %steps, %one, %first) ({{
      ^bb0(%i: i32, %m: f32):
        %row = arith.muli %i, %threads : i32
        %at = arith.addi %row, %t : i32
        %address = llvm.getelementptr %p[%at] : (!llvm.ptr, i32) -> !llvm.ptr, {element}
        %x = llvm.load %address : !llvm.ptr -> {element}
        {step}
        scf.yield %n : f32
      }}) : (i32, i32, i32, f32) -> f32
    """
        + store("%r", "%q", "%t", "out")
    )


def with_nan(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """A tenth of the numbers are none, and the first column has no other."""
    x = rng.standard_normal(shape, dtype=np.float32)
    x[rng.random(shape) < 0.1] = np.nan
    x[:, 0] = np.nan
    return x


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("name", "first"), [("maxnumf", "-3.0e38"), ("minnumf", "3.0e38")])
def test_what_starts_as_a_constant_is_a_choice(
    compile_kernel: Compile, kernel_module: Module, rng: np.random.Generator, name: str, first: str, swapped: bool
) -> None:
    step = f"%n = arith.{name} {'%m, %x' if swapped else '%x, %m'} : f32"
    text = rewritten(
        kernel_module(
            "%p: !llvm.ptr, %q: !llvm.ptr", folded(f"arith.constant {first} : f32", step), block=(THREADS, 1, 1)
        )
    )
    assert name not in text
    assert text.count("arith.select") == 1
    x, found = with_nan(rng, STEPS, THREADS), np.zeros(THREADS, np.float32)
    compile_kernel(text)(x, found, block=(THREADS, 1, 1))
    combine = np.fmax if name == "maxnumf" else np.fmin
    np.testing.assert_array_equal(found, combine(combine.reduce(x), np.float32(first)))


def test_reductions_of_vectors_onto_a_number_are_choices(
    compile_kernel: Compile, kernel_module: Module, rng: np.random.Generator
) -> None:
    step = '%n = "vector.reduction"(%x, %m) <{kind = #vector.kind<maxnumf>}> : (vector<4xf32>, f32) -> f32'
    body = folded("arith.constant -3.0e38 : f32", step, "vector<4xf32>")
    text = rewritten(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(THREADS, 1, 1)))
    assert "vector.reduction" not in text
    assert text.count("arith.select") == 4
    x, found = with_nan(rng, STEPS, 4 * THREADS), np.zeros(THREADS, np.float32)
    compile_kernel(text)(x, found, block=(THREADS, 1, 1))
    expected = np.fmax.reduce(x.reshape(STEPS, THREADS, 4), axis=(0, 2))
    np.testing.assert_array_equal(found, np.fmax(expected, np.float32(-3e38)))


@pytest.mark.parametrize(
    ("first", "step"),
    [
        ("arith.constant 0x7FC00000 : f32", "%n = arith.maxnumf %x, %m : f32"),
        ("llvm.load %p : !llvm.ptr -> f32", "%n = arith.maxnumf %x, %m : f32"),
        ("arith.constant 0.0 : f32", "%y = arith.maxnumf %x, %m : f32\n%n = arith.addf %y, %m : f32"),
        ("arith.constant 0.0 : f32", "%n = arith.maximumf %x, %m : f32"),
    ],
)
def test_what_may_be_nan_stays(kernel_module: Module, first: str, step: str) -> None:
    text = rewritten(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", folded(first, step), block=(THREADS, 1, 1)))
    assert "arith.select" not in text


def test_what_combines_lanes_stays(kernel_module: Module) -> None:
    exchange = """
      %c = arith.constant 1.0 : f32
      %far = arith.constant 16 : i32
      %width = arith.constant 32 : i32
      %s, %ok = gpu.shuffle xor %c, %far, %width : f32
      %r = arith.maxnumf %c, %s : f32
    """
    body = INDICES + load("x", "%p", "%t") + exchange + store("%r", "%q", "%t", "out")
    assert "arith.maxnumf" in rewritten(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(THREADS, 1, 1)))


def test_only_targets_that_choose_in_one_instruction_have_the_pass() -> None:
    backend = CpuBackend()
    assert "cpu-extrema" in backend.pipeline_fragments(arch="x86-64-v3")
    assert "cpu-extrema" not in backend.pipeline_fragments(arch="aarch64")
