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
    columns, _, split, *_ = way
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


ALONE = [way for way in WAYS if way.split == 1]


@pytest.mark.parametrize("transposed", ["", "ab"])
@pytest.mark.parametrize("way", ALONE, ids=lambda way: "-".join(map(str, way)))
def test_blocks_that_share_an_operand_bring_it_to_one_another(
    way: tuple[int, ...], transposed: str, lost_speed: Callable[[str], list[str]]
) -> None:
    columns, rows, _, share, shared = way
    if transposed and shared == "b" and columns // share < 64:
        share = 1  # a box would be less than what is swizzled together
    code = compiled(way, transposed)
    is_shared = share > 1
    boxes = {"a": rows // (share if shared == "a" else 1), "b": columns // (share if shared == "b" else 1)}
    loads = sum(extent // 64 if transposed else 1 for extent in boxes.values())  # boxes of 64 columns at most
    assert code.ptx.count("cp.async.bulk.tensor.2d.shared::cluster.global") == loads
    assert code.ptx.count(".multicast::cluster") == is_shared
    assert code.ptx.count("mbarrier.arrive.shared::cluster.b64") == 2 * is_shared
    assert code.ptx.count("barrier.cluster.arrive.relaxed.aligned") == code.ptx.count("barrier.cluster.arrive")
    assert code.ptx.count("barrier.cluster.arrive") == 2 * is_shared
    assert code.ptx.count("barrier.cluster.wait") == 2 * is_shared
    assert code.ptx.count(f".reqnctapercluster {share}, 1, 1") == is_shared
    assert code.ptx.count(f"m64n{columns}k16.f32.bf16.bf16 ") == 4
    assert code.ptx.count("cp.async.bulk.tensor.2d.global.shared::cta") == columns // 64
    assert f".reqntid {(rows // 64) * 128 + 32}, 1, 1" in code.ptx
    assert sum(code.shared_blocks.values()) <= MOST_SHARED
    assert lost_speed(code.ptx) == []
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
        assert kernel.registers <= columns // 2 + 32


def test_blocks_share_tiles_or_an_operand_and_bring_whole_boxes() -> None:
    with pytest.raises(ValueError, match=r"blocks share tiles, or an operand of theirs; Way\(.*\) has both"):
        compiled((128, 128, 2, 2))
    with pytest.raises(ValueError, match=r"bring multiples of 64 each; Way\(.*share=4, shared='a'\) has 32"):
        compiled((64, 128, 1, 4), "a")
    with pytest.raises(ValueError, match=r"bring multiples of 8 each; Way\(.*share=32, shared='a'\) has 4"):
        compiled((64, 128, 1, 32))
    with pytest.raises(ValueError, match=r"tiles that no other block has have multiples of 64 rows; Way\(.* has 16"):
        compiled((64, 16, 1))


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ((96, 128, 1), "found 96 columns, parts: 1"),
        ((32, 128, 1), "found 32 columns, parts: 1"),
        ((128, 128, 1, 2, "c"), "what blocks share is 'a' or 'b'; found Way"),
        ((128, 128, 0), "a tile has columns, rows and blocks"),
        ((64, 96, 2), r"multiples of that; Way\(.* has 96"),
        ((64, 64, 3), "each of 3 blocks stores a multiple of 8 columns, 64 at most"),
        ((256, 448, 1), "no room for two of Plan"),
        ((256, 64, 2), "each of 2 blocks stores a multiple of 8 columns, 64 at most"),
    ],
)
def test_no_rows_or_columns_of_a_tile_are_left_out(way: tuple[int, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        compiled(way)


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
        (16, 4096, 4096): (64, 16, 2, 1, "a"),
        (64, 4096, 4096): (64, 64, 2, 1, "a"),
        (256, 4096, 4096): (64, 128, 1, 2, "b"),
        (128, 8192, 8192): (128, 64, 1, 2, "b"),
        (128, 7168, 16384): (128, 64, 1, 2, "b"),
        (1000, 776, 520): (64, 128, 1, 2, "a"),  # rows of 1040 bytes
        (1024, 1024, 1024): (64, 128, 1, 1, "a"),
        (2048, 2048, 2048): (256, 128, 1, 1, "a"),
        (512, 4096, 4096): (128, 128, 1, 1, "a"),
        (512, 4096, 14336): (128, 128, 1, 1, "a"),
        (4096, 4096, 512): None,  # more tiles than multiprocessors
        (4096, 4096, 4096): None,
    }
    assert {shape: way_for(*shape, 132) for shape in ways} == ways


def test_a_gpu_of_few_multiprocessors_runs_no_cluster_of_more() -> None:
    way_for = load_example("cuda_04_split_gemm").way_for
    for blocks in range(1, 20):
        for shape in ((16, 64, 4096), (64, 4096, 4096), (256, 256, 256), (64, 64, 520)):
            way = way_for(*shape, blocks)
            assert way is None or way.split * way.share <= blocks


def test_blocks_share_b_where_it_is_large_and_almost_all_are_at_work() -> None:
    way_for = load_example("cuda_04_split_gemm").way_for
    shapes = {(128, 8192, 4096): True, (65, 8192, 4096): True, (129, 4096, 4096): True, (256, 4096, 8192): True}
    shapes |= {(64, 8192, 4096): False, (257, 4096, 4096): False}  # another number of tiles than two above one another
    shapes |= {(128, 8192, 1024): False, (256, 4096, 2048): False}  # B is small
    shapes |= {(128, 5120, 8192): False, (128, 8576, 8192): False}  # 80 blocks, and 134
    assert {shape: way_for(*shape, 132)[3:] == (2, "b") for shape in shapes} == shapes


def test_results_of_32_bits_need_tiles_of_64_rows_where_a_block_has_64_columns() -> None:
    example = load_example("cuda_04_split_gemm")
    a, c = np.zeros((256, 512), ml_dtypes.bfloat16), np.zeros((256, 256), np.float32)
    with pytest.raises(ValueError, match="64 columns of Float32 are too wide for tiles of 16 rows"):
        example.split_gemm.trace(a, a, c, example.Way(128, 16, 2), backend="cuda", arch="sm_90a")
