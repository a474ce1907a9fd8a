"""The interpreter does what the operations are defined to do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16, f16, f32, i1, i8, i32
from xdsl.ir import Operation

from flydsl.base.errors import IRError, OutOfBoundsError
from flydsl.ir.interpret import POISON, Address, Memory, Poison, rounder, run
from flydsl.ir.parse import parse_module
from flydsl.layout import Swizzle


def function(text: str) -> Operation:
    return next(op for op in parse_module(text).walk() if op.name in ("func.func", "gpu.func"))


@pytest.mark.parametrize(
    ("value", "type_", "rounded"),
    [
        (1 << 31, i32, -(1 << 31)),
        (-1, i1, 1),
        (200, i8, -56),
        (0.1, f32, float(np.float32(0.1))),
        (0.1, f16, float(np.float16(0.1))),
        (1e9, f16, float("inf")),
        (1 + 2**-8, bf16, 1.0),
        (1 + 3 * 2**-8, bf16, 1 + 2**-6),
    ],
)
def test_numbers_are_rounded_to_their_type(value: Any, type_: Any, rounded: Any) -> None:
    assert rounder(type_)(value) == rounded


@pytest.mark.parametrize(
    ("predicate", "expected"),  # of 1 < 2, 2 = 2, 3 > 2, and of a NaN
    [
        ("false", [0, 0, 0, 0]), ("oeq", [0, 1, 0, 0]), ("ogt", [0, 0, 1, 0]), ("oge", [0, 1, 1, 0]),
        ("olt", [1, 0, 0, 0]), ("ole", [1, 1, 0, 0]), ("one", [1, 0, 1, 0]), ("ord", [1, 1, 1, 0]),
        ("ueq", [0, 1, 0, 1]), ("ugt", [0, 0, 1, 1]), ("uge", [0, 1, 1, 1]), ("ult", [1, 0, 0, 1]),
        ("ule", [1, 1, 0, 1]), ("une", [1, 0, 1, 1]), ("uno", [0, 0, 0, 1]), ("true", [1, 1, 1, 1]),
    ],
)  # fmt: skip
def test_floats_are_compared_and_nan_is_of_no_order(predicate: str, expected: list[int]) -> None:
    f = function(f"""
        func.func @f(%a: f32, %b: f32) -> i1 {{
          %r = arith.cmpf {predicate}, %a, %b : f32
          func.return %r : i1
        }}
    """)
    assert [run(f, [a, 2.0])[0] for a in (1.0, 2.0, 3.0, float("nan"))] == expected


def test_loops_and_branches() -> None:
    f = function(
        """
        func.func @f(%n: index) -> i32 {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %zero = arith.constant 0 : i32
          %three = arith.constant 3 : i32
          %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
            %x = arith.index_cast %i : index to i32
            %big = arith.cmpi sgt, %x, %three : i32
            %t = scf.if %big -> (i32) {
              %a = arith.addi %s, %x : i32
              scf.yield %a : i32
            } else {
              scf.yield %s : i32
            }
            scf.yield %t : i32
          }
          func.return %r : i32
        }
        """
    )
    assert run(f, [7]) == [4 + 5 + 6]


def test_undefined_values_spread_but_do_not_trap() -> None:
    f = function(
        """
        func.func @f(%x: i32) -> (i32, i32) {
          %p = ub.poison : i32
          %a = arith.addi %p, %x : i32
          %b = arith.addi %x, %x : i32
          func.return %a, %b : i32, i32
        }
        """
    )
    assert run(f, [4]) == [POISON, 8]


def test_memory_is_undefined_until_written() -> None:
    address = Address(Memory(bytearray(8), fresh=True), 0, f32)
    address.moved(1).store(2.5, f32)
    assert isinstance(address.load(f32), Poison)
    assert address.moved(1).load(f32) == 2.5


def test_accesses_outside_of_a_memory_are_errors() -> None:
    with pytest.raises(OutOfBoundsError, match="reads 4 bytes at byte 8 of memory, which has 8 bytes"):
        Address(Memory(bytearray(8)), 8, f32).load(f32)


def test_swizzles_of_pointers_change_byte_addresses() -> None:
    memory = Memory(bytearray(range(64)))
    address = Address(memory, 0, i8, Swizzle(1, 2, 3))
    assert [address.moved(i).load(i8) for i in (0, 32, 36)] == [0, 36, 32]


def test_what_it_does_not_know_it_says() -> None:
    f = function('func.func @f(%x: i32) -> i32 { %y = "llvm.intr.bswap"(%x) : (i32) -> i32 func.return %y : i32 }')
    with pytest.raises(IRError, match=r"llvm\.intr\.bswap is not known to the interpreter"):
        run(f, [1])


def test_half_precision_sums_are_rounded() -> None:
    f = function("func.func @f(%x: f16, %y: f16) -> f16 { %z = arith.addf %x, %y : f16 func.return %z : f16 }")
    expected = float(np.float16(2048) + np.float16(1))
    assert run(f, [2048.0, 1.0]) == [expected]
