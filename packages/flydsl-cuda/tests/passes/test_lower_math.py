"""What math functions become: instructions, approximations, arithmetic; no library but for f64."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
After = Callable[..., str]
Stored = Callable[..., tuple[str, str]]
OUT = "!fly.ptr<i32, global>"


@pytest.mark.parametrize(
    ("name", "instruction"),
    [
        ("sqrt", "sqrt.rn.f32"),
        ("rsqrt", "rsqrt.approx.f32"),
        ("floor", "cvt.rmi.f32.f32"),
        ("absf", "abs.f32"),
        ("roundeven", "cvt.rni"),
    ],
)
def test_math_is_an_instruction(kernel: Kernel, ptx: Ptx, name: str, instruction: str, stored: Stored) -> None:
    body = f"%x = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32\n%v = math.{name} %x : f32"
    assert instruction in ptx(kernel(*stored(body, type_="f32")))


@pytest.mark.parametrize(
    ("name", "instruction"),
    [
        ("exp", "ex2.approx"),
        ("exp2", "ex2.approx"),
        ("log", "lg2.approx"),
        ("sin", "sin.approx"),
        ("sqrt", "sqrt.approx"),
    ],
)
def test_math_that_may_be_approximated_is_one_of_the_special_ones(
    kernel: Kernel, ptx: Ptx, name: str, instruction: str, stored: Stored
) -> None:
    body = f"%x = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32\n%v = math.{name} %x{{}} : f32"
    fast, precise = (ptx(kernel(*stored(body.format(f), type_="f32"))) for f in (" fastmath<afn>", ""))
    assert instruction in fast
    assert instruction not in precise
    assert fast.count("\n") < precise.count("\n") or name == "sqrt"


@pytest.mark.parametrize(
    "name",
    ["acos", "asinh", "atan", "cbrt", "cos", "cosh", "erf", "exp", "sin", "expm1", "log10", "log1p", "tan", "tanh"],
)
@pytest.mark.parametrize("type_", ["f32", "f16", "bf16"])
def test_no_function_calls_a_library(kernel: Kernel, ptx: Ptx, name: str, type_: str, stored: Stored) -> None:
    body = f"%x = fly.ptr.load(%p) : (!fly.ptr<{type_}, global>) -> {type_}\n%v = math.{name} %x : {type_}"
    text = ptx(kernel(*stored(body, type_=type_)))
    assert (".extern" in text, "call" in text) == (False, False)


@pytest.mark.parametrize(("name", "instruction"), [("maxnumf", "max.f32"), ("minimumf", "min.NaN.f32")])
def test_extremes_are_instructions(kernel: Kernel, ptx: Ptx, name: str, instruction: str, stored: Stored) -> None:
    body = f"""
      %x = fly.ptr.load(%p) : (!fly.ptr<f32, global>) -> f32
      %zero = arith.constant 0.0 : f32
      %v = arith.{name} %x, %zero : f32
    """
    assert instruction in ptx(kernel(*stored(body, type_="f32")))


@pytest.mark.parametrize(("op", "instruction"), [("ctpop", "popc.b32"), ("ctlz", "clz.b32"), ("absi", "abs.s32")])
def test_integer_math_is_an_instruction(kernel: Kernel, ptx: Ptx, op: str, instruction: str, stored: Stored) -> None:
    body = f"%x = fly.ptr.load(%p) : ({OUT}) -> i32\n%v = math.{op} %x : i32"
    assert instruction in ptx(kernel(*stored(body)))


@pytest.mark.parametrize(
    ("operation", "type_", "found"),
    [
        ("math.floor", "f32", "llvm.floor"),
        ("math.exp2", "f32 afn", "llvm.nvvm.ex2.approx.ftz"),
        ("math.rsqrt", "f32", "llvm.nvvm.rsqrt.approx.f"),
        ("math.tanh", "f32", "arith.divf"),
        ("math.tanh", "f64", "math.tanh"),
    ],
)
def test_what_the_pass_makes_of_a_function(
    kernel: Kernel, after: After, operation: str, type_: str, found: str
) -> None:
    element, _, flags = type_.partition(" ")
    properties = f" <{{fastmath = #arith.fastmath<{flags}>}}>" if flags else ""
    body = f'%y = "{operation}"(%x){properties} : ({element}) -> {element}'
    text = after(kernel(f"%x: {element}", body), "nvvm-lower-math")
    assert found in text
    assert (operation in text) == (operation == found)
