"""Kernels as functions of LLVM's dialect: arguments in memory, attributes, types that LLVM's functions do not take."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Kernel = Callable[..., str]
Ptx = Callable[..., str]
OUT = "!fly.ptr<i32, global>"


def test_a_parameter_passed_by_value_is_the_kernels_memory(kernel: Kernel, ptx: Ptx) -> None:
    by_value = ", arg_attrs = [{llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant}, {}, {}]"
    body = f"""
      %at = "llvm.getelementptr"(%m) <{{elem_type = i32, rawConstantIndices = array<i32: 3>}}>
        : (!llvm.ptr) -> !llvm.ptr
      %x = "llvm.load"(%at) <{{ordering = 0 : i64}}> : (!llvm.ptr) -> i32
      %v = arith.addi %x, %n : i32
      fly.ptr.store(%v, %p) : (i32, {OUT}) -> ()
    """
    text = ptx(kernel(f"%m: !llvm.ptr, %p: {OUT}, %n: i32", body, attributes=by_value))
    assert ".param .align 64 .b8 k_param_0[128]" in text
    assert re.search(r"ld\.param\.b32\s+%r\d+, \[k_param_0\+12\]", text), text


def test_launch_bounds_and_given_attributes_stay(kernel: Kernel, ptx: Ptx) -> None:
    text = ptx(kernel("", "", attributes=", nvvm.minctasm = 2 : i32, nvvm.cluster_max_blocks = 4 : i32"))
    assert [word in text for word in (".entry k(", ".reqntid 64", ".minnctapersm 2", ".maxclusterrank 4")] == [True] * 4


@pytest.mark.parametrize(
    ("type_", "read", "parameter"),
    [
        ("index", "%v = arith.index_cast %a : index to i32", ".param .u64 k_param_0"),
        ("vector<2x2xi32>", "%v = vector.extract %a[1, 0] : i32 from vector<2x2xi32>", ".align 16 .b8 k_param_0[16]"),
        ("i1", "%v = arith.extui %a : i1 to i32", ".param .u8 k_param_0"),
    ],
)
def test_arguments_of_any_type_are_passed(kernel: Kernel, ptx: Ptx, type_: str, read: str, parameter: str) -> None:
    text = ptx(kernel(f"%a: {type_}, %p: {OUT}", f"{read}\nfly.ptr.store(%v, %p) : (i32, {OUT}) -> ()"))
    assert parameter in text, text


def test_branches_of_a_kernel_end_in_one_return(kernel: Kernel, ptx: Ptx) -> None:
    body = f"""
      %c = fly.ptr.load(%p) : ({OUT}) -> i32
      %zero = arith.constant 0 : i32
      %negative = arith.cmpi slt, %c, %zero : i32
      scf.if %negative {{
        fly.ptr.store(%zero, %p) : (i32, {OUT}) -> ()
      }}
    """
    text = ptx(kernel(f"%p: {OUT}", body))
    assert text.count("ret;") == 1
