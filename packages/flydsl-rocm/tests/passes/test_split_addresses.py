"""Addresses of a thread as a scalar base and an offset of 32 bits, or 31 where offsets are signed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
After = Callable[..., str]

BODY = """
  %t = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
  %i = "arith.index_cast"(%t) : (index) -> i64
  %j = "arith.addi"(%i, %n) : (i64, i64) -> i64
  %a = "llvm.getelementptr"(%p, %j)
    <{elem_type = f32, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -2147483648>}>
    : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>
  %x = "llvm.load"(%a) <{alignment = 4 : i64}> : (!llvm.ptr<1>) -> f32
  "llvm.store"(%x, %a) <{alignment = 4 : i64}> : (f32, !llvm.ptr<1>) -> ()
"""


@pytest.mark.parametrize("options", ["", "{offset_bits=31}"])
def test_the_part_that_is_the_same_for_all_goes_first(options: str, kernel: Kernel, after: After) -> None:
    text = kernel("%p: !llvm.ptr<1>, %n: i64", BODY)
    assert after(text).count("llvm.getelementptr") == 1
    assert after(text, f"rocdl-split-addresses{options}").count("llvm.getelementptr") == 2
