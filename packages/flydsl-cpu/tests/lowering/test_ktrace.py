"""Annotated kernels, run: the trace buffer tells which thread passed where, in order, and never overflows."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.convert_fly_ktrace import KINDS, LABELS
from flydsl.passes.registry import run

KERNEL = """
gpu.module @kernels {
  gpu.func @k(%buffer: !fly.ptr<i64, global>, %x: i32) kernel attributes {fly_ktrace.buffer = 0 : i64} {
    fly_ktrace.range_push(%x) {label = "outer"} : (i32) -> ()
    %thread = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
    %one = arith.constant 1 : index
    %odd = arith.andi %thread, %one : index
    %on = arith.cmpi eq, %odd, %one : index
    %token = scf.if %on -> (!fly_ktrace.token) {
      %started = fly_ktrace.range_start() {label = "odd"} : () -> !fly_ktrace.token
      scf.yield %started : !fly_ktrace.token
    } else {
      %none = fly_ktrace.inactive_token() : () -> !fly_ktrace.token
      scf.yield %none : !fly_ktrace.token
    }
    fly_ktrace.mark() {label = "here"} : () -> ()
    fly_ktrace.range_stop(%token) : (!fly_ktrace.token) -> ()
    fly_ktrace.range_pop() : () -> ()
    gpu.return
  }
}
"""
GRID, BLOCK = (3, 2, 1), (5, 1, 2)
THREADS, BLOCKS = 10, 6


def traced() -> ModuleOp:
    module = parse_module(KERNEL, create_context())
    run(module, "convert-fly-ktrace")
    return module


def record(compile_kernel, capacity: int) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[no-untyped-def]
    """The whole buffer, poisoned behind its end, and its records."""
    launch = compile_kernel(emit_generic(traced()))
    buffer = np.full(2 + 4 * capacity + 8, -77, np.int64)
    buffer[:2] = 0, capacity
    launch(buffer, np.ctypeslib.ctypes.c_int32(-5), grid=GRID, block=BLOCK)
    return buffer, buffer[2 : 2 + 4 * capacity].reshape(-1, 4)


def of_thread(records: np.ndarray, block: int, thread: int) -> list[tuple[int, int, int]]:
    mine = records[records[:, 2] == (block << 32 | thread)]
    assert (np.diff(mine[:, 0]) >= 0).all()
    return [(int(word) & 255, int(word) >> 8, int(payload)) for word, payload in mine[:, [1, 3]]]


@pytest.mark.parametrize("thread", range(THREADS))
def test_each_thread_records_its_ranges_in_order(compile_kernel, thread: int) -> None:  # type: ignore[no-untyped-def]
    buffer, records = record(compile_kernel, 5 * THREADS * BLOCKS)
    odd = thread % BLOCK[0] % 2 == 1
    for block in range(BLOCKS):
        found = of_thread(records, block, thread)
        push, mark, pop = (KINDS["range_push"], 0, -5), (KINDS["mark"], 2, 0), (KINDS["range_pop"], 0, 0)
        if not odd:
            assert found == [push, mark, pop]
            continue
        start = found[3][2]
        assert found == [push, (KINDS["range_start"], 1, 0), mark, (KINDS["range_stop"], 0, start), pop]
        assert records[start, 1] == 1 << 8 | KINDS["range_start"]
        assert records[start, 2] == block << 32 | thread
    assert buffer[0] == BLOCKS * (3 * THREADS + 2 * 4)
    assert [label.data for label in traced().attributes[LABELS]] == ["outer", "odd", "here"]


def test_a_full_buffer_counts_what_it_loses_and_is_not_overrun(compile_kernel) -> None:  # type: ignore[no-untyped-def]
    buffer, records = record(compile_kernel, 7)
    assert buffer[0] == BLOCKS * (3 * THREADS + 2 * 4)
    assert (records[:, 0] > 0).all()
    assert (buffer[2 + 4 * 7 :] == -77).all()
