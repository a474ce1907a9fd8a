"""Maxima and minima become LLVM's intrinsics, with their flags, in every shape, and keep what they mean."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from kernel_text import INDICES, load, store

from flydsl_cpu.pipeline import LOWERING

Compile = Callable[[str], Callable[..., None]]
Module = Callable[..., str]


@pytest.mark.parametrize(("operation", "reference"), [("maxnumf", np.fmax), ("minnumf", np.fmin)])
def test_extremes_take_the_number_where_the_other_is_none(
    compile_kernel: Compile, kernel_module: Module, operation: str, reference: Callable[..., np.ndarray]
) -> None:
    body = (
        INDICES
        + load("x", "%p", "%t")
        + load("y", "%q", "%t")
        + f"%z = arith.{operation} %x, %y : f32\n"
        + store("%z", "%r", "%t", "out")
    )
    kernel = compile_kernel(kernel_module("%p: !llvm.ptr, %q: !llvm.ptr, %r: !llvm.ptr", body, block=(49, 1, 1)))
    numbers = np.array([1.5, -2, np.inf, -np.inf, np.nan, 1e-40, 0], np.float32)
    x, y = (np.ascontiguousarray(a.ravel()) for a in np.meshgrid(numbers, numbers))
    z = np.zeros_like(x)
    kernel(x, y, z, block=(49, 1, 1))
    np.testing.assert_array_equal(z, reference(x, y))


def test_the_intrinsic_is_called(thread_loops: Callable[[str], str], kernel_module: Module) -> None:
    body = INDICES + load("x", "%p", "%t") + "%z = arith.maxnumf %x, %x : f32\n" + store("%z", "%p", "%t", "out")
    assert 'intrin = "llvm.maxnum"' in thread_loops(kernel_module("%p: !llvm.ptr", body, block=(32, 1, 1)))


@pytest.mark.parametrize("name", ["maximum", "minimum", "maxnum", "minnum"])
@pytest.mark.parametrize("type_", ["f32", "bf16", "vector<4xf64>", "vector<2x3xf16>"])
def test_the_intrinsic_takes_the_place_of_the_operation(after: Callable[..., str], name: str, type_: str) -> None:
    text = f"""
    func.func @f(%a: {type_}, %b: {type_}) -> {type_} {{
      %c = arith.{name}f %a, %b fastmath<nsz> : {type_}
      func.return %c : {type_}
    }}"""
    found = after(f"builtin.module {{ {text} }}", "cpu-lower-intrinsics")
    assert f'"llvm.{name}"' in found
    assert f"arith.{name}f" not in found
    assert "nsz" in found
    assert ("vector.shape_cast" in found) == ("2x3" in type_)


def test_it_is_the_last_of_our_passes() -> None:
    assert LOWERING[-1] == "cpu-lower-intrinsics"
