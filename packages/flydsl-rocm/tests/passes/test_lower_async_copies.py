"""Asynchronous copies to LDS become assembly; a wait leaves the copies behind a mark outstanding."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from xdsl.ir import Dialect

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.ir.upstream import upstream_op
from flydsl_rocm.passes.lower_async_copies import FROM_BUFFER, FROM_GLOBAL, WAIT, lower_async_copies
from flydsl_rocm.passes.lower_async_copies import MARK as MARK_NAME

Kernel = Callable[..., str]
NAMES = (FROM_BUFFER, FROM_GLOBAL, MARK_NAME, WAIT, "rocdl.make.buffer.rsrc")
OPERATIONS = Dialect("rocdl", [upstream_op(name) for name in NAMES])

COPY = '"rocdl.global.load.async.lds"(%p, %l) {size = 16 : i32} : (!llvm.ptr<1>, !llvm.ptr<3>) -> ()\n'
MARK = '"rocdl.asyncmark"() : () -> ()\n'


def lower(text: str) -> str:
    module = parse_module(text, create_context([OPERATIONS]))
    (kernel,) = [op for op in module.walk() if op.name == "gpu.func"]
    lower_async_copies(kernel)
    return emit_generic(module)


ARGUMENTS = "%p: !llvm.ptr<1>, %l: !llvm.ptr<3>, %b: i1, %n: index, %v: i32"


def wait(count: int = 0) -> str:
    return f'"rocdl.wait.asyncmark"() {{count = {count} : i32}} : () -> ()\n'


def either(first: str, second: str = "") -> str:
    return f"scf.if %b {{\n{first}}}" + (f" else {{\n{second}}}\n" if second else "\n")


def loop(body: str) -> str:
    return f"%one = arith.constant 1 : index\nscf.for %i = %one to %n step %one {{\n{body}}}\n"


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (COPY + MARK + wait(), [0]),
        (COPY + MARK + COPY + COPY + wait(), [2]),
        (COPY + MARK + COPY + MARK + COPY + wait(1) + wait(), [2, 1]),
        (COPY + wait(), [0]),
        (COPY + MARK + COPY + wait(1), []),
        (COPY + MARK + either(COPY + COPY, COPY) + wait(), [1]),
        (COPY + MARK + either(COPY + COPY) + wait(), [0]),
        (COPY + MARK + either(COPY + MARK, COPY + MARK + COPY) + wait(), [0]),
        (COPY + MARK + COPY + loop(COPY) + wait(), [1]),
        (COPY + MARK + loop(COPY + MARK + wait(1)), [1]),
        (loop(COPY + COPY + MARK + wait(1)), [2]),
        (COPY + MARK + 70 * COPY + wait(), [63]),
    ],
)
def test_the_way_with_the_fewest_copies_counts(kernel: Kernel, body: str, left: list[int]) -> None:
    text = lower(kernel(ARGUMENTS, body))
    assert [int(n) for n in re.findall(r"s_waitcnt vmcnt\((\d+)\)", text)] == left
    assert "asyncmark" not in text
    assert text.count("global_load_lds_dwordx4 $1, off") == body.count("rocdl.global")


def buffer_copy(scalar: str, immediate: int = 0) -> str:
    return f"""
      %stride = arith.constant 0 : i16
      %size = arith.constant 4096 : i64
      %flags = arith.constant 159744 : i32
      %zero = arith.constant 0 : i32
      %bytes = arith.constant 4 : i32
      %imm = arith.constant {immediate} : i32
      %tx = "gpu.thread_id"() <{{dimension = #gpu<dim x>}}> : () -> index
      %t = arith.index_cast %tx : index to i32
      %r = "rocdl.make.buffer.rsrc"(%p, %stride, %size, %flags) : (!llvm.ptr<1>, i16, i64, i32) -> !llvm.ptr<8>
      "rocdl.raw.ptr.buffer.load.async.lds"(%r, %l, %bytes, %t, {scalar}, %imm, %zero)
        : (!llvm.ptr<8>, !llvm.ptr<3>, i32, i32, i32, i32, i32) -> ()
    """


def test_a_buffer_copy_takes_its_scalars(kernel: Kernel) -> None:
    text = lower(kernel(ARGUMENTS, buffer_copy("%v", 48) + MARK + wait()))
    assert "buffer_load_dword $1, $2, $3 offen offset:48 lds" in text
    assert "{m0},v,s,s,~{memory}" in text


@pytest.mark.parametrize(("scalar", "immediate"), [("%t", 0), ("%v", 4096), ("%v", -4)])
def test_other_operands_are_left_to_llvm(kernel: Kernel, scalar: str, immediate: int) -> None:
    text = lower(kernel(ARGUMENTS, buffer_copy(scalar, immediate) + MARK + COPY + wait()))
    assert "rocdl.raw.ptr.buffer.load.lds" in text
    assert "rocdl.global.load.lds" in text
    assert "buffer_load" not in text
    assert "s_waitcnt vmcnt(0)" in text
