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


WAYS = load_example("cuda_04_split_gemm").WAYS


def compiled(way: tuple[int, ...], transposed: str = "") -> CodeObject:
    a, b = (np.zeros((256, 512), ml_dtypes.bfloat16) for _ in "ab")
    a, b = (matrix.T if name in transposed else matrix for name, matrix in (("a", a), ("b", b)))
    c = np.zeros((a.shape[0], b.shape[0]), ml_dtypes.bfloat16)
    example = load_example("cuda_04_split_gemm")
    traced = example.split_gemm.trace(a, b, c, example.Way(*way), backend="cuda", arch="sm_90a")
    return CodeObject.from_bytes(traced.lower().compile().device)


@pytest.mark.parametrize("way", [way for way in WAYS if way.split > 1], ids=lambda way: "-".join(map(str, way)))
def test_sums_go_from_block_to_block_and_nothing_is_spilled(
    way: tuple[int, ...], lost_speed: Callable[[str], list[str]]
) -> None:
    columns, _, split, _ = way
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


@pytest.mark.parametrize("transposed", ["", "ab"])
@pytest.mark.parametrize("share", [1, 2])
def test_blocks_that_share_rows_bring_them_to_one_another(
    share: int, transposed: str, lost_speed: Callable[[str], list[str]]
) -> None:
    code = compiled((64, 128, 1, share), transposed)
    is_shared = share > 1
    loads = 3 if transposed and not is_shared else 2  # boxes have 64 columns at most where neighbours are along M
    assert code.ptx.count("cp.async.bulk.tensor.2d.shared::cluster.global") == loads
    assert code.ptx.count(".multicast::cluster") == is_shared
    assert code.ptx.count("mbarrier.arrive.shared::cluster.b64") == 2 * is_shared
    assert code.ptx.count("barrier.cluster.arrive.relaxed.aligned") == code.ptx.count("barrier.cluster.arrive")
    assert code.ptx.count("barrier.cluster.arrive") == 2 * is_shared
    assert code.ptx.count("barrier.cluster.wait") == 2 * is_shared
    assert code.ptx.count(f".reqnctapercluster {share}, 1, 1") == is_shared
    assert code.ptx.count("m64n64k16.f32.bf16.bf16 ") == 4
    assert sum(code.shared_blocks.values()) <= MOST_SHARED
    assert lost_speed(code.ptx) == []
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
        assert kernel.registers <= 64


def test_blocks_share_tiles_or_rows_and_bring_whole_boxes() -> None:
    with pytest.raises(ValueError, match=r"blocks share tiles, or tiles of A; Way\(.*\) has both"):
        compiled((128, 128, 2, 2))
    with pytest.raises(ValueError, match=r"bring multiples of 64 rows each; Way\(.*share=4\) has 32"):
        compiled((64, 128, 1, 4))


def test_rows_that_a_tile_has_not_are_not_brought() -> None:
    example = load_example("cuda_04_split_gemm")
    plan = example.Plan(example.fx.BFloat16, example.fx.BFloat16, ("k", "k"), 64, 1, 1, 16)
    assert (plan.m, plan.rows, plan.stages) == (64, 16, 8)
    assert example.Way(64, 16, 2).groups == 1
    assert example.Way(64, 128, 2).groups == 2


def test_transposed_operands_are_read_as_they_are() -> None:
    assert compiled((128, 16, 2), "ab").ptx.count(", add, 1, 1, 1, 1; }") == 4


def test_products_are_cut_as_was_fastest_on_a_gpu() -> None:
    way_for = load_example("cuda_04_split_gemm").way_for
    ways = {
        (16, 4096, 4096): (64, 16, 2, 1),
        (64, 4096, 4096): (64, 64, 2, 1),
        (256, 4096, 4096): (128, 128, 2, 1),
        (128, 8192, 8192): (128, 128, 2, 1),
        (1000, 776, 520): (64, 128, 1, 2),  # rows of 1040 bytes
        (1024, 1024, 1024): (64, 128, 1, 1),
        (2048, 2048, 2048): None,
        (512, 4096, 14336): None,
        (4096, 4096, 4096): None,
    }
    assert {shape: way_for(*shape, 132) for shape in ways} == ways


def test_results_of_32_bits_need_tiles_of_64_rows_where_a_block_has_64_columns() -> None:
    example = load_example("cuda_04_split_gemm")
    a, c = np.zeros((256, 512), ml_dtypes.bfloat16), np.zeros((256, 256), np.float32)
    with pytest.raises(ValueError, match="64 columns of Float32 are too wide for tiles of 16 rows"):
        example.split_gemm.trace(a, a, c, example.Way(128, 16, 2), backend="cuda", arch="sm_90a")
