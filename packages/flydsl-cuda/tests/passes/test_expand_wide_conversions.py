"""Conversions of 128 bits, computed by the same operations on the host: against exact integers of Python."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.toolchain.half_conversions import half_conversions
from flydsl.toolchain.select import default_toolchain
from flydsl_cuda.passes.expand_wide_conversions import expand_wide_conversions

# The halves of the integer, and the float, in memory.
TO_FLOAT = """
    %x = "llvm.load"(%wide) <{{ordering = 0 : i64}}> : (!llvm.ptr) -> i128
    %y = "arith.{op}"(%x) : (i128) -> {type}
    "llvm.store"(%y, %float) <{{ordering = 0 : i64}}> : ({type}, !llvm.ptr) -> ()
"""
TO_INTEGER = """
    %x = "llvm.load"(%float) <{{ordering = 0 : i64}}> : (!llvm.ptr) -> {type}
    %y = "arith.{op}"(%x) : ({type}) -> i128
    "llvm.store"(%y, %wide) <{{ordering = 0 : i64}}> : (i128, !llvm.ptr) -> ()
"""
TEXT = """
  "builtin.module"() ({{ "func.func"() <{{function_type = (!llvm.ptr, !llvm.ptr) -> (), sym_name = "convert"}}> ({{
  ^bb0(%wide: !llvm.ptr, %float: !llvm.ptr):
    {body}
    "func.return"() : () -> ()
  }}) : () -> () }}) : () -> ()
"""
LOWERING = "convert-math-to-llvm,convert-arith-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts"
TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
Convert = Callable[[ctypes.Array[ctypes.c_uint64], ctypes.c_void_p], None]


def on_the_host(body: str, op: str, type_: str, folder: Path) -> Convert:
    module = parse_module(TEXT.format(body=body.format(op=op, type=type_)))
    expand_wide_conversions(module)
    text = emit_generic(module)
    assert "i128) -> " + type_ not in text, "the conversion is still there"
    toolchain = default_toolchain()
    made = toolchain.emit_host_object(toolchain.run_pipeline(text, f"builtin.module({LOWERING})"))
    library = folder / f"{op}_{type_}.so"
    library.write_bytes(toolchain.link([made, *half_conversions(made, toolchain)], shared=True))
    return ctypes.CDLL(str(library)).convert  # type: ignore[no-any-return]


def rounded(value: int, dtype: type) -> float:
    """To the nearest number of the type, of two the even one, by exact arithmetic."""
    info = ml_dtypes.finfo(dtype)
    if not value:
        return 0.0
    exponent = abs(value).bit_length() - 1 - info.nmant
    unit = Fraction(2) ** max(exponent, 0)
    found = round(Fraction(value) / unit) * unit
    limit = Fraction(2) ** int(info.maxexp)
    return float(found) if abs(found) < limit else float("inf") if value > 0 else float("-inf")


def integers(signed: bool) -> Iterator[int]:
    """Of all lengths: near powers of two, half way between neighbours, and random ones."""
    rng = random.Random(1)
    for length in sorted({*range(0, 126, 7), 10, 11, 12, 24, 25, 52, 53, 54, 64, 65, 126, *[127] * (not signed)}):
        for value in (
            1 << length,
            (1 << length + 1) - 1,
            (1 << length) + (1 << max(0, length - 12)),
            3 << max(0, length - 9),
        ):
            for near in (value - 1, value, value + 1, value + rng.getrandbits(max(1, length - 30))):
                if 0 <= near < 1 << (127 if signed else 128):
                    yield near
                    if signed:
                        yield -near
    if signed:
        yield -(1 << 127)


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("op", ["sitofp", "uitofp"])
def test_integers_are_rounded_once(type_: str, op: str, tmp_path: Path) -> None:
    convert, dtype = on_the_host(TO_FLOAT, op, type_, tmp_path), TYPES[type_]
    found = np.zeros(1, dtype)
    for value in integers(op == "sitofp"):
        halves = (ctypes.c_uint64 * 2)(value & (1 << 64) - 1, value >> 64 & (1 << 64) - 1)
        convert(halves, ctypes.c_void_p(found.ctypes.data))
        assert float(found[0]) == rounded(value, dtype), value


@pytest.mark.parametrize("type_", TYPES)
@pytest.mark.parametrize("op", ["fptosi", "fptoui"])
def test_floats_lose_their_fraction(type_: str, op: str, tmp_path: Path) -> None:
    convert, dtype = on_the_host(TO_INTEGER, op, type_, tmp_path), TYPES[type_]
    numbers = [rounded(value, dtype) for value in integers(op == "fptosi")]
    numbers += [0.0, 0.5, 1.5, 2.75, 0.999] + [-0.5, -0.999, -7.75] * (op == "fptosi")
    for number in numbers:
        if not -(2.0**127) <= number < 2.0 ** (127 if op == "fptosi" else 128):
            continue
        given, halves = np.array([number], dtype), (ctypes.c_uint64 * 2)()
        convert(halves, ctypes.c_void_p(given.ctypes.data))
        assert (halves[1] << 64 | halves[0]) == int(float(given[0])) % (1 << 128), number


@flyc.kernel
def wide_kernel(x: fx.Tensor, y: fx.Tensor) -> None:
    i = fx.thread_idx.x
    y[i] = (x[i].to(fx.Int128) << 40).to(fx.Float64)


@flyc.jit
def wide(x: fx.Tensor, y: fx.Tensor) -> None:
    wide_kernel(x, y).launch(grid=1, block=32)


def test_kernels_convert_without_a_library() -> None:
    ptx = wide.trace(np.zeros(4, np.int64), np.zeros(4), backend="cuda", arch="sm_90a").lower().compile().disassemble()
    assert "cvt.rn.f64.u64" in ptx
    assert "call" not in ptx
