"""Products of groups in one launch: instructions and registers, and no word of the assembler of what it made wait."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_cuda.code_object import CodeObject

TYPE = ml_dtypes.bfloat16
EXAMPLE = load_example("cuda_09_grouped_gemm")


@pytest.mark.parametrize("columns", [256, 128, 64])
def test_whole_pieces_go_by_the_copy_engine_and_others_row_by_row(
    columns: int, lost_speed: Callable[[str], list[str]]
) -> None:
    a, b, c = np.zeros((300, 272), TYPE), np.zeros((5, 512, 272), TYPE), np.zeros((300, 512), TYPE)
    function = EXAMPLE.grouped_gemm
    traced = function.trace(a, b, np.zeros(5, np.int32), c, 132, columns, backend="cuda", arch="sm_90a")
    code = CodeObject.from_bytes(traced.lower().compile().device)
    pieces = columns // 64
    assert code.ptx.count(f"m64n{columns}k16.f32.bf16.bf16 ") == 4
    assert code.ptx.count("cp.async.bulk.tensor.3d.shared::cluster.global") == 1  # a matrix of a group
    assert code.ptx.count("cp.async.bulk.tensor.2d.global.shared::cta") == pieces
    assert code.ptx.count("st.global.v4") == code.ptx.count("ld.shared.v4") == 4 * pieces
    assert lost_speed(code.ptx) == []
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack, kernel.registers) == (0, 0, 0, 168)


@pytest.mark.parametrize("cut", [2, 4])
def test_the_last_tiles_are_cut_behind_the_others(cut: int, lost_speed: Callable[[str], list[str]]) -> None:
    a, b, c = np.zeros((300, 272), TYPE), np.zeros((5, 512, 272), TYPE), np.zeros((300, 512), TYPE)
    given = a, b, np.zeros(5, np.int32), c, 132, 256, EXAMPLE.plain, cut
    code = CodeObject.from_bytes(
        EXAMPLE.grouped_gemm.trace(*given, backend="cuda", arch="sm_90a").lower().compile().device
    )
    products = re.findall(r"m64n(\d+)k16.f32.bf16.bf16 ", code.ptx)
    assert products == ["256"] * 4 + [str(256 // cut)] * 4
    assert code.ptx.count("cp.async.bulk.tensor.2d.global.shared::cta") == 4 + 4 // cut
    assert lost_speed(code.ptx) == []
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack, kernel.registers) == (0, 0, 0, 168)


@pytest.mark.parametrize(("columns", "cut"), [(64, 2), (256, 3), (256, 8), (192, 2), (96, 1), (256, 0), (256, -1)])
def test_parts_of_a_tile_are_stored_whole(columns: int, cut: int) -> None:
    a, b, c = np.zeros((300, 272), TYPE), np.zeros((5, 512, 272), TYPE), np.zeros((300, 512), TYPE)
    given = a, b, np.zeros(5, np.int32), c, 132, columns, EXAMPLE.plain, cut
    with pytest.raises(ValueError, match=rf"stored 64 columns at once.* found {columns} columns, parts: {cut}"):
        EXAMPLE.grouped_gemm.trace(*given, backend="cuda", arch="sm_90a")


@flyc.kernel
def count_kernel(ends: fx.Tensor, counts: fx.Tensor, plan: fx.Constexpr[Any]) -> None:
    counts[fx.thread_idx.x] = EXAMPLE.GroupedTiles(ends, plan, fx.Int32(3)).count()


@flyc.jit
def count(ends: fx.Tensor, counts: fx.Tensor, plan: fx.Constexpr[Any]) -> None:
    count_kernel(ends, counts, plan).launch(grid=1, block=64)


@pytest.mark.parametrize("groups", [1, 7, 32, 33, 100])
def test_warps_count_the_tiles_of_all_groups(
    groups: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    flyc.use_pair("cpu")  # whose warps have 32 threads, too
    ends = np.sort(rng.integers(0, 3000, groups)).astype(np.int32)
    counts, plan = np.full(64, -1, np.int32), EXAMPLE.Plan(fx.BFloat16, fx.BFloat16, ("k", "k"), 256)
    count(ends, counts, plan)
    rows = np.diff(ends, prepend=0)
    np.testing.assert_array_equal(counts, 3 * (-(-rows // plan.m)).sum())


def test_rows_of_32_bit_results_are_stored_16_bytes_at_a_time() -> None:
    a, b, c = np.zeros((300, 272), TYPE), np.zeros((5, 512, 272), TYPE), np.zeros((300, 512), np.float32)
    function = EXAMPLE.grouped_gemm
    traced = function.trace(a, b, np.zeros(5, np.int32), c, 132, 64, backend="cuda", arch="sm_90a")
    code = CodeObject.from_bytes(traced.lower().compile().device)
    assert code.ptx.count("st.global.v4") == code.ptx.count("ld.shared.v4") == 8
    assert not re.search(r"st\.global\.v4\S*\s+\[%rd\d+\+16\]", code.ptx)  # in shared memory, others are behind it


def test_tiles_are_wide_where_groups_have_many() -> None:
    way_for = EXAMPLE.way_for
    assert way_for(8) == (256, 2)
    assert way_for(128) == (256, 1)
