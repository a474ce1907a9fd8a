"""Products that blocks of a cluster share: instructions, shared memory, launches, and how a product is cut."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject

MOST_SHARED = 227 << 10
PEER = "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"


def compiled(way: tuple[int, int, int], transposed: str = "") -> CodeObject:
    a, b = (np.zeros((256, 512), ml_dtypes.bfloat16) for _ in "ab")
    a, b = (matrix.T if name in transposed else matrix for name, matrix in (("a", a), ("b", b)))
    c = np.zeros((a.shape[0], b.shape[0]), ml_dtypes.bfloat16)
    example = load_example("cuda_04_split_gemm")
    traced = example.split_gemm.trace(a, b, c, example.Way(*way), backend="cuda", arch="sm_90a")
    return CodeObject.from_bytes(traced.lower().compile().device)


@pytest.mark.parametrize("way", load_example("cuda_04_split_gemm").WAYS, ids=lambda way: "-".join(map(str, way)))
def test_sums_go_from_block_to_block_and_nothing_is_spilled(
    way: tuple[int, int, int], lost_speed: Callable[[str], list[str]]
) -> None:
    columns, _, split = way
    code = compiled(way)
    assert code.ptx.count(f"m64n{columns}k16.f32.bf16.bf16 ") == 4
    assert code.ptx.count(PEER) == split
    assert code.ptx.count("barrier.cluster.arrive.relaxed.aligned") == code.ptx.count("barrier.cluster.arrive") == 4
    assert code.ptx.count("st.shared.v4") == columns // 8
    assert code.ptx.count("ld.shared.v4") == columns // 8
    assert f".reqnctapercluster {split}, 1, 1" in code.ptx
    assert code.ptx.count("griddepcontrol") == 2
    assert sum(code.shared_blocks.values()) <= MOST_SHARED
    assert lost_speed(code.ptx) == []
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
        assert kernel.registers <= 112


def test_rows_that_a_tile_has_not_are_not_brought() -> None:
    example = load_example("cuda_04_split_gemm")
    plan = example.Plan(example.fx.BFloat16, example.fx.BFloat16, ("k", "k"), 64, 1, 1, 16)
    assert (plan.m, plan.rows, plan.stages) == (64, 16, 8)
    assert example.Way(64, 16, 2).groups == 1
    assert example.Way(64, 128, 2).groups == 2


def test_transposed_operands_are_read_as_they_are() -> None:
    assert compiled((128, 16, 2), "ab").ptx.count(", add, 1, 1, 1, 1; }") == 4


def test_products_are_split_where_multiprocessors_would_have_nothing_to_do() -> None:
    way_for = load_example("cuda_04_split_gemm").way_for
    ways = {
        (16, 4096, 4096): (64, 16, 2),
        (64, 4096, 4096): (64, 64, 2),
        (128, 8192, 8192): (128, 128, 2),
        (256, 4096, 4096): None,
        (1024, 1024, 1024): None,
        (128, 256, 64): None,
        (4096, 4096, 4096): None,
    }
    assert {shape: way_for(*shape, 132) for shape in ways} == ways


def test_results_of_32_bits_need_tiles_of_64_rows_where_a_block_has_64_columns() -> None:
    example = load_example("cuda_04_split_gemm")
    a, c = np.zeros((256, 512), ml_dtypes.bfloat16), np.zeros((256, 256), np.float32)
    with pytest.raises(ValueError, match="64 columns of Float32 are too wide for tiles of 16 rows"):
        example.split_gemm.trace(a, a, c, example.Way(128, 16, 2), backend="cuda", arch="sm_90a")
