"""Copies of neighbouring bytes: instructions, what counts as written, and what cannot be one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def memory() -> tuple[Any, fx.Pointer]:
    shared = fx.SharedAllocator()
    row = shared.allocate(fx.Array[fx.Float32, 128], 128)
    return row, shared.allocate(fx.Array[fx.Int64, 1]).ptr


def traced(body: Callable[[fx.Tensor, Any, fx.Pointer], None], rows: int = 3) -> Any:
    """A kernel that calls `body(row, shared, barrier)` with a row of 128 numbers."""

    @flyc.kernel
    def kernel(x: fx.Tensor) -> None:
        body(x, *memory())

    @flyc.jit
    def host(x: fx.Tensor) -> None:
        kernel(x).launch(grid=rows, block=128)

    return host.trace(np.zeros((rows, 128), np.float32), backend="cuda", arch="sm_90a")


def row_of(x: fx.Tensor) -> fx.Tensor:
    return fx.zipped_divide(x, (1, 128))[None, (fx.block_idx.x, 0)]


def test_a_load_tells_a_barrier_and_a_store_is_of_a_group() -> None:
    def body(x: fx.Tensor, shared: Any, full: fx.Pointer) -> None:
        fx.copy(fx.nvvm.BulkCopy(), row_of(x), shared, mbar=full)
        fx.nvvm.mbarrier_wait(full, 0)
        fx.copy(fx.nvvm.BulkCopy(), shared, row_of(x), elements=fx.block_idx.x * 4)
        fx.nvvm.bulk_commit_group()

    text = traced(body).lower().compile().disassemble()
    lines = [line.strip() for line in text.splitlines() if re.search("cp.async.bulk|try_wait", line)]
    load = re.fullmatch(
        r"cp\.async\.bulk\.shared::cluster\.global\.mbarrier::complete_tx::bytes "
        r"\[%r\d+\], \[%rd\d+\], (%r\d+), \[%r\d+\];",
        lines[0],
    )
    assert load, lines
    assert re.search(rf"mov\.b32\s+{load[1]}, 512;", text)
    assert "try_wait" in lines[1]
    store = re.fullmatch(r"cp\.async\.bulk\.global\.shared::cta\.bulk_group \[%rd\d+\], \[%r\d+\], (%r\d+);", lines[2])
    assert store, lines
    assert re.search(rf"shl\.b32\s+{store[1]}, %r\d+, 4;", text)


def test_what_is_loaded_is_not_written_and_what_is_stored_is() -> None:
    def load(x: fx.Tensor, shared: Any, full: fx.Pointer) -> None:
        fx.copy(fx.nvvm.BulkCopy(), row_of(x), shared, mbar=full)

    def store(x: fx.Tensor, shared: Any, full: fx.Pointer) -> None:
        fx.copy(fx.nvvm.BulkCopy(), shared, row_of(x))

    assert traced(load).written == ()
    assert traced(store).written == (0,)


def test_equal_copies_stay_two_and_reads_behind_a_wait_stay_there() -> None:
    def body(x: fx.Tensor, shared: Any, full: fx.Pointer) -> None:
        first = shared.ptr.load()
        for _ in fx.range_constexpr(2):
            fx.copy(fx.nvvm.BulkCopy(), row_of(x), shared, mbar=full)
        fx.nvvm.mbarrier_wait(full, 0)
        x[0, 0] = shared.ptr.load() - first

    lines = traced(body).lower().compile().disassemble().splitlines()
    order = [re.search(r"cp\.async\.bulk|try_wait|ld\.shared", line) for line in lines]
    assert [found[0] for found in order if found] == [
        "ld.shared",
        "cp.async.bulk",
        "cp.async.bulk",
        "try_wait",
        "ld.shared",
    ]


def test_a_copy_in_a_loop_stays_there() -> None:
    def body(x: fx.Tensor, shared: Any, full: fx.Pointer) -> None:
        for _ in range(fx.block_idx.x):
            fx.copy(fx.nvvm.BulkCopy(), row_of(x), shared, mbar=full)
            fx.nvvm.mbarrier_wait(full, 0)

    text = traced(body).lower().compile().disassemble()
    assert text.index("$L__BB") < text.index("cp.async.bulk") < text.rindex("bra ")
    assert text.count("cp.async.bulk") == 1


def test_a_copy_to_another_block_of_the_cluster_tells_the_barrier_there() -> None:
    def body(x: fx.Tensor, shared: Any, full: fx.Pointer) -> None:
        fx.copy(fx.nvvm.BulkCopy(), shared, shared.ptr + 64, mbar=full, rank=fx.block_idx.x, elements=64)
        fx.nvvm.mbarrier_wait(full, 0)

    text = traced(body).lower().compile().disassemble()
    found = re.search(
        r"mapa\.shared::cluster\.u32 there, (%r\d+), (%r\d+); mapa\.shared::cluster\.u32 told, (%r\d+), (%r\d+); "
        r"cp\.async\.bulk\.shared::cluster\.shared::cta\.mbarrier::complete_tx::bytes "
        r"\[there\], \[(%r\d+)\], (%r\d+), \[told\];",
        text,
    )
    assert found, text
    there, rank, told, rank_too, source, size = found.groups()
    assert rank == rank_too
    assert len({there, told, source, rank}) == 4
    assert re.search(rf"mov\.b32\s+{size}, 256;", text)
    assert re.search(rf"mov\.u32\s+{rank}, %ctaid\.x;", text)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row, row, rank=1), "to another block needs mbar="),
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row, row_of(x), rank=1), "is for shared memory, found"),
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row_of(x), row), "to shared memory needs mbar="),
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row, row_of(x), mbar=full), "tells no barrier"),
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row, row), "moves between global and shared memory"),
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), x, row, mbar=full), "needs elements="),
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), 3, row, mbar=full), "what pointers point to, found 3"),
        (
            lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row_of(x), row, mbar=full, elements=3),
            "multiples of 16 bytes, and 3 elements of Float32 are 12",
        ),
        (
            lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), fx.zipped_divide(x, (2, 4))[None, 0], row, mbar=full),
            "moves neighbours, and",
        ),
        (lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row_of(x), row, mbar=full, pred=x), "takes no pred"),
        (
            lambda x, row, full: fx.copy(fx.nvvm.BulkCopy(), row_of(x), row, mbar=full, elements=1.5),
            "is an integer, found 1.5",
        ),
    ],
)
def test_a_wrong_copy_is_an_error(body: Callable[[fx.Tensor, Any, fx.Pointer], None], text: str) -> None:
    with pytest.raises(FrontendError, match=text):
        traced(body)
