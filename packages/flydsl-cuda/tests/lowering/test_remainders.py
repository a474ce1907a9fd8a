"""Remainders of floats: as fmod has them, computed by the same operations on the host; and their PTX."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.toolchain.select import default_toolchain
from flydsl_cuda.lowering.remainders import lower_remainder

Fmod = Callable[[float, float], float]
TEXT = """
  "builtin.module"() ({{ "func.func"() <{{function_type = ({type}, {type}) -> {type}, sym_name = "rem"}}> ({{
  ^bb0(%x: {type}, %y: {type}):
    %r = "arith.remf"(%x, %y) : ({type}, {type}) -> {type}
    "func.return"(%r) : ({type}) -> ()
  }}) : () -> () }}) : () -> ()
"""
LOWERING = "convert-math-to-llvm,convert-scf-to-cf,convert-vector-to-llvm,convert-arith-to-llvm,convert-cf-to-llvm"
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.1, 3.0, 1e-40, 1e38, -1e300, 5e-324, 2.0**-1022, math.inf, -math.inf, math.nan]


def lowered(type_: str) -> str:
    module = parse_module(TEXT.format(type=type_))
    for op in [op for op in module.walk() if op.name == "arith.remf"]:
        lower_remainder(op)
    return emit_generic(module)


def on_the_host(type_: str, c_type: type, folder: Path) -> Fmod:
    """The expansion as a function of this process."""
    toolchain = default_toolchain()
    pipeline = f"builtin.module({LOWERING},convert-func-to-llvm,reconcile-unrealized-casts)"
    text = toolchain.run_pipeline(lowered(type_), pipeline)
    library = folder / f"{type_}.so"
    library.write_bytes(toolchain.link([toolchain.emit_host_object(text)], shared=True))
    function = ctypes.CDLL(str(library)).rem
    function.restype, function.argtypes = c_type, (c_type, c_type)
    return function  # type: ignore[no-any-return]


def same(found: float, expected: float) -> bool:
    """Bit for bit, but for the bits of NaN."""
    if math.isnan(expected):
        return math.isnan(found)
    return found == expected and math.copysign(1, found) == math.copysign(1, expected)


def expected(x: float, y: float) -> float:
    return math.nan if math.isinf(x) or y == 0 else math.fmod(x, y)


@pytest.mark.parametrize(("type_", "dtype"), [("f32", np.float32), ("f64", np.float64)])
def test_remainders_are_those_of_fmod(type_: str, dtype: type, tmp_path: Path) -> None:
    function = on_the_host(type_, ctypes.c_float if type_ == "f32" else ctypes.c_double, tmp_path)
    rng = np.random.default_rng(7)
    width = np.dtype(dtype).itemsize
    raw = np.frombuffer(rng.bytes(4000 * width), dtype)
    with np.errstate(all="ignore"):
        special = np.array(SPECIAL).astype(dtype)
        near = [(x * dtype(1.5), x / dtype(3)) for x in raw[:500]]
    pairs = [*zip(raw[::2], raw[1::2], strict=True), *((x, y) for x in special for y in special)]
    pairs += [*near, (raw[0], raw[0])]
    for x, y in pairs:
        wanted = expected(float(x), float(y))
        assert same(function(x, y), wanted), (struct.pack("d", x).hex(), x, y, wanted)


@pytest.mark.parametrize("type_", ["f16", "bf16", "f32", "f64"])
def test_no_library_is_called(kernel: Callable[..., str], ptx: Callable[..., str], type_: str) -> None:
    body = f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<{type_}, global>) -> {type_}
      %v = "arith.remf"(%x, %x) : ({type_}, {type_}) -> {type_}
      fly.ptr.store(%v, %p) : ({type_}, !fly.ptr<{type_}, global>) -> ()
    """
    text = ptx(kernel(f"%p: !fly.ptr<{type_}, global>", body))
    assert "div.rn.f64" in text
    assert ".extern" not in text


def test_vectors_are_taken_apart() -> None:
    assert lowered("vector<2x2xf32>").count("scf.while") == 4
