"""Elementary functions and narrow floats on the CPU, against NumPy in float64."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects import builtin

Compile = Callable[..., Callable[..., None]]
Module = Callable[..., str]

FUNCTIONS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], tuple[float, float], float]] = {
    "exp": (np.exp, (-100, 88), 1.5),
    "exp2": (np.exp2, (-140, 127), 1.5),
    "expm1": (np.expm1, (-20, 80), 3),
    "log": (np.log, (1e-30, 1e30), 1.5),
    "log2": (np.log2, (1e-30, 1e30), 1.5),
    "log10": (np.log10, (1e-30, 1e30), 4),
    "log1p": (np.log1p, (-0.9, 100), 3),
    "tanh": (np.tanh, (-9, 9), 1.5),
    "erf": (np.vectorize(math.erf, otypes=[float]), (-4, 4), 1.5),
    "erfc": (np.vectorize(math.erfc, otypes=[float]), (-4, 10), 5),
    "acos": (np.arccos, (-1, 1), 1.5),
    "acosh": (np.arccosh, (1, 1e9), 3),
    "asin": (np.arcsin, (-1, 1), 2.5),
    "asinh": (np.arcsinh, (-1e9, 1e9), 3),
    "atan": (np.arctan, (-20, 20), 1.5),
    "atanh": (np.arctanh, (-1, 1), 3.5),
    "cbrt": (np.cbrt, (-1e30, 1e30), 1),
    "cosh": (np.cosh, (-89, 89), 1.5),
    "sinh": (np.sinh, (-89, 89), 2),
    "sqrt": (np.sqrt, (0, 1e20), 0.5),
    "rsqrt": (lambda x: 1 / np.sqrt(x), (1e-3, 1e10), 2),
    "sin": (np.sin, (-100, 100), 2),
}
SPECIAL = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e-40, 3.4e38], np.float32)


def unary(kernel_module: Module, operation: str, threads: int) -> str:
    body = f"""
      %tx = gpu.thread_id x
      %t = arith.index_cast %tx : index to i32
      %a = llvm.getelementptr %p[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %b = llvm.getelementptr %q[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %a : !llvm.ptr -> f32
      {operation}
      llvm.store %y, %b : f32, !llvm.ptr
    """
    return kernel_module("%p: !llvm.ptr, %q: !llvm.ptr", body, block=(threads, 1, 1))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_accurate_and_right_at_the_edges(name: str, compile_kernel: Compile, kernel_module: Module) -> None:
    reference, (low, high), tolerance = FUNCTIONS[name]
    rng = np.random.default_rng(len(name))
    x = np.concatenate([rng.uniform(low, high, 5000).astype(np.float32), SPECIAL])
    y = np.zeros_like(x)
    kernel = compile_kernel(unary(kernel_module, f'%y = "math.{name}"(%x) : (f32) -> f32', x.size))
    kernel(x, y, block=(x.size, 1, 1))
    with np.errstate(all="ignore"):
        expected = np.asarray(reference(x.astype(np.float64)))
        rounded = expected.astype(np.float32)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(y[~finite], rounded[~finite])
    error = np.abs(y[finite].astype(np.float64) - expected[finite]) / np.spacing(np.abs(rounded[finite]))
    assert error.max() <= tolerance


@pytest.mark.parametrize("name", ["exp", "tanh"])
def test_function_works_on_vectors_of_half_precision(name: str, compile_kernel: Compile, kernel_module: Module) -> None:
    operation = f"""
      %v = "vector.broadcast"(%x) : (f32) -> vector<4xf32>
      %h = arith.truncf %v : vector<4xf32> to vector<4xf16>
      %e = "math.{name}"(%h) : (vector<4xf16>) -> vector<4xf16>
      %w = arith.extf %e : vector<4xf16> to vector<4xf32>
      %y = "vector.extract"(%w) <{{static_position = array<i64: 3>}}> : (vector<4xf32>) -> f32
    """
    x = np.linspace(-4, 4, 33, dtype=np.float32)
    y = np.zeros_like(x)
    compile_kernel(unary(kernel_module, operation, x.size))(x, y, block=(x.size, 1, 1))
    expected = getattr(np, name)(x.astype(np.float16).astype(np.float64))
    np.testing.assert_allclose(y, expected, rtol=1e-3)


NARROW = {
    "f8E5M2": builtin.Float8E5M2Type(),
    "f8E4M3": builtin.Float8E4M3Type(),
    "f8E3M4": builtin.Float8E3M4Type(),
    "f8E4M3FN": builtin.Float8E4M3FNType(),
    "f8E4M3FNUZ": builtin.Float8E4M3FNUZType(),
    "f8E5M2FNUZ": builtin.Float8E5M2FNUZType(),
}


def narrow_module(element: str, threads: int) -> str:
    """q = narrow(p) and r = wide(q), through Fly pointers."""
    pointer, narrow = "!fly.ptr<f32, global>", f"!fly.ptr<{element}, global>"
    offsets = "".join(
        f"%{n}t = fly.add_offset(%{n}, %o) : ({t}, !fly.int_tuple<?>) -> {t}\n"
        for n, t in (("p", pointer), ("q", narrow), ("r", pointer))
    )
    return f"""
    "builtin.module"() ({{ "gpu.module"() <{{sym_name = "kernels"}}> ({{
      "gpu.func"() <{{function_type = ({pointer}, {narrow}, {pointer}) -> ()}}> ({{
      ^bb0(%p: {pointer}, %q: {narrow}, %r: {pointer}):
        %tx = "gpu.thread_id"() <{{dimension = #gpu<dim x>}}> : () -> index
        %t = arith.index_cast %tx : index to i32
        %o = fly.make_int_tuple(%t) : (i32) -> !fly.int_tuple<?>
        {offsets}
        %x = fly.ptr.load(%pt) : ({pointer}) -> f32
        %y = arith.truncf %x : f32 to {element}
        fly.ptr.store(%y, %qt) : ({element}, {narrow}) -> ()
        %z = arith.extf %y : {element} to f32
        fly.ptr.store(%z, %rt) : (f32, {pointer}) -> ()
        "gpu.return"() : () -> ()
      }}) {{gpu.kernel, sym_name = "k", known_block_size = array<i32: {threads}, 1, 1>}} : () -> ()
    }}) : () -> () }}) {{gpu.container_module}} : () -> ()
    """


@pytest.mark.parametrize("element", NARROW)
def test_narrow_floats_round_like_soft_floats(element: str, compile_kernel: Compile) -> None:
    rng = np.random.default_rng(5)
    x = (rng.standard_normal(4000) * 10.0 ** rng.uniform(-9, 6, 4000)).astype(np.float32)
    x = np.concatenate([x, SPECIAL, np.float32(2.0) ** np.arange(-20, 20, dtype=np.float32)])
    q, z = np.zeros(x.size, np.uint8), np.zeros_like(x)
    compile_kernel(narrow_module(element, x.size))(x, q, z, block=(x.size, 1, 1))
    codes = np.array([NARROW[element].encode_bits(float(v)) for v in x], np.uint8)
    np.testing.assert_array_equal(q, codes)
    values = np.array([NARROW[element].decode_bits(int(c)) for c in codes])
    np.testing.assert_array_equal(z, values.astype(np.float32))


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
@pytest.mark.parametrize("extent", [10.0, 3e4, 1e14, 3e38])
def test_trigonometric_expansion_reduces_large_arguments(
    name: str, extent: float, compile_kernel: Compile, kernel_module: Module
) -> None:
    """The expansion that GPU backends use; on the CPU these are libm's unless asked for."""
    x = np.random.default_rng(7).uniform(-extent, extent, 4000).astype(np.float32)
    x[:5] = [0.0, -0.0, np.inf, np.nan, 1e-30]
    y = np.zeros_like(x)
    kernel = compile_kernel(unary(kernel_module, f'%y = "math.{name}"(%x) : (f32) -> f32', x.size), functions=name)
    kernel(x, y, block=(x.size, 1, 1))
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(x.astype(np.longdouble))
    finite = np.isfinite(expected)
    assert np.isnan(y[~finite]).all()
    error = np.abs(y[finite] - expected[finite]) / np.spacing(np.abs(expected[finite]).astype(np.float32))
    assert error.max() <= (3.5 if name == "tan" else 1.6)


def test_powers_of_integers_work_on_vectors(compile_kernel: Compile, kernel_module: Module) -> None:
    operation = """
      %i = arith.fptosi %x : f32 to i16
      %v = "vector.broadcast"(%i) : (i16) -> vector<2xi16>
      %w = math.ipowi %v, %v : vector<2xi16>
      %e = "vector.extract"(%w) <{static_position = array<i64: 1>}> : (vector<2xi16>) -> i16
      %y = arith.sitofp %e : i16 to f32
    """
    x = np.arange(-3, 30, dtype=np.float32)
    y = np.zeros_like(x)
    compile_kernel(unary(kernel_module, operation, x.size), functions="ipowi")(x, y, block=(x.size, 1, 1))
    expected = [0, 0, -1, *(((n**n + 2**15) % 2**16) - 2**15 for n in range(30))]
    np.testing.assert_array_equal(y, expected)
