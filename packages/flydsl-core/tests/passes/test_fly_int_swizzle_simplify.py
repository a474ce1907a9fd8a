"""Addends that are multiples of a swizzle's period leave the swizzle, and results stay the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.ir import Operation

from flydsl.ir.interpret import run as interpret
from flydsl.ir.parse import parse_module, verify
from flydsl.passes.registry import run as run_passes

SWIZZLE = """
  %mask = arith.constant {bits} : i32
  %shift = arith.constant {shift} : i32
  %picked = arith.andi %v, %mask : i32
  %moved = arith.shrui %picked, %shift : i32
  %r = arith.xori %v, %moved : i32
"""


def function_text(body: str, mask: int, base: int, shift: int) -> str:
    swizzle = SWIZZLE.format(bits=((1 << mask) - 1) << (base + shift), shift=shift)
    return f"gpu.module @m {{ gpu.func @k(%x: i32, %y: i32) -> (i32) {{ {body} {swizzle} gpu.return %r : i32 }} }}"


def kernel(body: str, mask: int, base: int, shift: int) -> Operation:
    module = parse_module(function_text(body, mask, base, shift))
    run_passes(module, "fly-int-swizzle-simplify,canonicalize")
    verify(module)
    (function,) = [op for op in module.walk() if op.name == "gpu.func"]
    return function


def swizzled(value: int, mask: int, base: int, shift: int) -> int:
    return value ^ ((value & (((1 << mask) - 1) << (base + shift))) >> shift)


@given(
    mask=st.integers(1, 3),
    base=st.integers(0, 4),
    extra=st.integers(0, 2),
    scale=st.sampled_from([1, 64, 1024, 4096]),
    constant=st.integers(0, 5000),
    x=st.integers(0, 4095),
    y=st.integers(0, 15),
)
@settings(max_examples=60, deadline=None)
def test_values_stay_the_same(mask: int, base: int, extra: int, scale: int, constant: int, x: int, y: int) -> None:
    shift = mask + extra
    body = f"""
      %scale = arith.constant {scale} : i32
      %c = arith.constant {constant} : i32
      %far = arith.muli %y, %scale : i32
      %near = arith.addi %x, %c : i32
      %v = arith.addi %far, %near : i32
    """
    function = kernel(body, mask, base, shift)
    assert interpret(function, [x, y]) == [swizzled(y * scale + x + constant, mask, base, shift)]


def test_periodic_addends_leave_the_swizzle() -> None:
    function = kernel(
        """
        %scale = arith.constant 128 : i32
        %far = arith.muli %y, %scale : i32
        %v = arith.addi %far, %x : i32
        """,
        *(2, 3, 2),
    )
    (xor,) = [op for op in function.walk() if op.name == "arith.xori"]
    assert xor.operands[0] is function.regions[0].block.args[0]


def test_promised_divisibility_counts() -> None:
    function = kernel(
        """
        %promise = fly.make_int_tuple(%y) : (i32) -> !fly.int_tuple<?{div=128}>
        %v = arith.addi %y, %x : i32
        """,
        *(2, 3, 2),
    )
    (xor,) = [op for op in function.walk() if op.name == "arith.xori"]
    assert xor.operands[0] is function.regions[0].block.args[0]


def test_nothing_left_inside_is_no_swizzle() -> None:
    body = "%s = arith.constant 4096 : i32 %v = arith.muli %y, %s : i32"
    function = kernel(body, 3, 4, 3)
    assert "arith.xori" not in {op.name for op in function.walk()}
    module = parse_module(function_text(body, 3, 4, 3))
    run_passes(module, "fly-int-swizzle-simplify")
    (last,) = [op for op in module.walk() if op.name == "arith.addi"]
    assert isinstance(zero := last.operands[0].owner, arith.ConstantOp)
    assert str(zero.value) == "0 : i32"  # the swizzle of nothing


def test_other_xors_are_left_alone() -> None:
    text = """
    gpu.module @m { gpu.func @k(%x: i32, %y: i32) -> (i32) {
      %mask = arith.constant 40 : i32
      %shift = arith.constant 3 : i32
      %picked = arith.andi %x, %mask : i32
      %moved = arith.shrui %picked, %shift : i32
      %r = arith.xori %x, %moved : i32
      gpu.return %r : i32
    } }
    """
    module = parse_module(text)
    before = str(module)
    run_passes(module, "fly-int-swizzle-simplify")
    assert str(module) == before
