"""Products of warp groups as kernels write them: instructions, descriptors and order in PTX, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError, FrontendError, IRError, UnsupportedTargetError

ORDER = re.compile(r"wgmma\.(\w+)")
CONSTANT = re.compile(r"or\.b64\s+\S+, \S+, (\d+);")


def product(
    *,
    n: int = 64,
    k: int = 16,
    dtype: Any = fx.BFloat16,
    acc: Any = fx.Float32,
    tile_k: int = 64,
    layout: Callable[..., Any] = fx.nvvm.smem_layout,
    arch: str = "sm_90a",
    **atom: Any,
) -> str:
    """The PTX of a loop of products of 64 x `n` x `tile_k`, and a store of the sums."""
    a_from, majors = atom.get("a", "smem"), [atom.get(f"major_{x}", "k") for x in "ab"]

    @flyc.kernel
    def kernel(c: fx.Tensor, steps: fx.Int32) -> None:
        memory = fx.SharedAllocator()
        shared_a = memory.allocate(fx.Array[dtype, 64 * tile_k, 1024]).view(layout(majors[0], dtype, (64, tile_k)))
        shared_b = memory.allocate(fx.Array[dtype, n * tile_k, 1024]).view(layout(majors[1], dtype, (n, tile_k)))
        mma = fx.make_tiled_mma(
            fx.make_mma_atom(fx.nvvm.sm90.WGMMA(n, k, dtype, acc, **atom)), fx.make_layout((1, 1, 1))
        )
        thread = mma.get_slice(fx.thread_idx.x)
        part_a, part_b = thread.partition_A(shared_a), thread.partition_B(shared_b)
        part_c = thread.partition_C(fx.flat_divide(c, (64, n))[None, None, 0, 0])
        total = mma.make_fragment_C(part_c)
        total.fill(0)
        if fx.const_expr(a_from == "reg"):
            registers = mma.make_fragment_A(part_a)
            registers.store(part_a.load())
            part_a = registers
        for _ in range(steps):
            fx.gemm(mma, total, part_a, part_b, total)
            fx.nvvm.sm90.wgmma_commit()
            fx.nvvm.sm90.wgmma_wait(1)
        fx.nvvm.sm90.wgmma_wait(0)
        part_c.store(total.load())

    @flyc.jit
    def launch(c: fx.Tensor, steps: fx.Int32) -> None:
        kernel(c, steps).launch(grid=1, block=128)

    c = np.zeros((64, n), {fx.Float32: np.float32, fx.Float16: np.float16, fx.Int32: np.int32}[acc])
    return launch.trace(c, 4, backend="cuda", arch=arch).lower().compile().disassemble()


CASES = [
    ({}, "m64n64k16.f32.bf16.bf16", ", 1, 1, 0, 0"),
    ({"major_a": "mn", "major_b": "mn"}, "m64n64k16.f32.bf16.bf16", ", 1, 1, 1, 1"),
    ({"dtype": fx.Float16, "acc": fx.Float16, "major_b": "mn"}, "m64n64k16.f16.f16.f16", ", 1, 1, 0, 1"),
    ({"a": "reg", "major_b": "mn"}, "m64n64k16.f32.bf16.bf16", ", 1, 1, 1"),
    ({"dtype": fx.Float32, "k": 8, "tile_k": 32}, "m64n64k8.f32.tf32.tf32", ", 1, 1"),
    ({"dtype": fx.Float8E4M3FN, "k": 32, "tile_k": 128}, "m64n64k32.f32.e4m3.e4m3", ", 1, 1"),
    ({"dtype": fx.Int8, "acc": fx.Int32, "k": 32, "tile_k": 128, "a": "reg"}, "m64n64k32.s32.s8.s8", ""),
]


@pytest.mark.parametrize(("case", "name", "immediates"), CASES)
def test_a_product_is_its_instructions_between_a_fence_and_a_commit(
    case: dict[str, Any], name: str, immediates: str
) -> None:
    text = product(**case)
    assert ORDER.findall(text) == ["fence", *["mma_async"] * 4, "commit_group", "wait_group", "wait_group"]
    assert text.count(f"wgmma.mma_async.sync.aligned.{name} ") == 4
    assert text.count(f", add{immediates}; }}") == 4


def test_descriptors_are_a_constant_and_the_address_and_steps_are_sums() -> None:
    text = product()
    assert {int(bits) for bits in CONSTANT.findall(text)} == {1 << 62 | 64 << 32 | 1 << 16}
    assert len(CONSTANT.findall(text)) == 2
    assert sorted(map(int, re.findall(r"add\.s64\s+%rd\d+, %rd\d+, ([246]);", text))) == [2, 2, 4, 4, 6, 6]


def test_steps_along_k_of_an_operand_that_is_mn_major_are_rows() -> None:
    text = product(n=256, major_b="mn")
    assert {int(bits) for bits in CONSTANT.findall(text)} >= {1 << 62 | 64 << 32 | 8192 >> 4 << 16}
    assert sorted(map(int, re.findall(r"add\.s64\s+%rd\d+, %rd\d+, (128|256|384);", text))) == [128, 256, 384]


def test_nothing_reads_accumulators_before_the_wait_for_all() -> None:
    text = product()
    last = text[text.rindex("wait_group") :]
    assert "wait_group.sync.aligned 0" in last
    stored = set(re.findall(r"st\.global\S*\s+\[[^]]+\], \{?([^;}]+)", last))
    names = {name.strip() for group in stored for name in group.split(",")}
    before = text[: text.rindex("wait_group")]
    made = re.findall(r"mov\.b32\s+(%r\d+), %r\d+;", before.rpartition("// begin inline asm")[0])
    assert len(names) == 32
    assert names <= set(re.findall(r"%r\d+", last)) | set(made)


def test_accumulators_of_a_group_that_has_ended_are_read_while_another_is_under_way() -> None:
    @flyc.kernel
    def kernel(c: fx.Tensor) -> None:
        memory = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, 64 * 16, 1024])
        shared = memory.view(fx.nvvm.smem_layout("k", fx.BFloat16, (64, 16)))
        mma = fx.make_tiled_mma(fx.make_mma_atom(fx.nvvm.sm90.WGMMA(64, 16, fx.BFloat16)), fx.make_layout((1, 1, 1)))
        thread = mma.get_slice(fx.thread_idx.x)
        parts = [thread.partition_C(fx.flat_divide(c, (64, 64))[None, None, row, 0]) for row in (0, 1)]
        totals = [mma.make_fragment_C(part) for part in parts]
        for total in totals:
            total.fill(0)
        for total in totals:
            fx.gemm(mma, total, thread.partition_A(shared), thread.partition_B(shared), total)
            fx.nvvm.sm90.wgmma_commit()
        fx.nvvm.sm90.wgmma_wait(1, totals[0])
        parts[0].store(totals[0].load())
        fx.nvvm.sm90.wgmma_wait(0)
        parts[1].store(totals[1].load())

    @flyc.jit
    def launch(c: fx.Tensor) -> None:
        kernel(c).launch(grid=1, block=128)

    artifact = launch.trace(np.zeros((128, 64), np.float32), backend="cuda", arch="sm_90a").lower().compile()
    found = re.findall(r"wgmma\.wait_group\.sync\.aligned \d|st\.global", artifact.disassemble())
    ordered = [word for number, word in enumerate(found) if number == 0 or found[number - 1] != word]
    assert ordered == ["wgmma.wait_group.sync.aligned 1", "st.global", "wgmma.wait_group.sync.aligned 0", "st.global"]


def test_a_product_may_overwrite_the_accumulators() -> None:
    @flyc.kernel
    def kernel(c: fx.Tensor, x: fx.Int32) -> None:
        memory = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, 64 * 16, 1024])
        shared = memory.view(fx.nvvm.smem_layout("k", fx.BFloat16, (64, 16)))
        mma = fx.make_tiled_mma(fx.make_mma_atom(fx.nvvm.sm90.WGMMA(64, 16, fx.BFloat16)), fx.make_layout((1, 1, 1)))
        thread = mma.get_slice(fx.thread_idx.x)
        part_c = thread.partition_C(fx.flat_divide(c, (64, 64))[None, None, 0, 0])
        total = mma.make_fragment_C(part_c)
        fx.gemm(mma, total, thread.partition_A(shared), thread.partition_B(shared), total, accumulate=x)
        fx.nvvm.sm90.wgmma_commit()
        fx.nvvm.sm90.wgmma_wait()
        part_c.store(total.load())

    @flyc.jit
    def launch(c: fx.Tensor, x: fx.Int32) -> None:
        kernel(c, x).launch(grid=1, block=128)

    artifact = launch.trace(np.zeros((64, 64), np.float32), 0, backend="cuda", arch="sm_90a").lower().compile()
    text = artifact.disassemble()
    predicate = re.search(r"setp\.ne\.b32 add, (%r\d+), 0;", text)
    assert predicate is not None
    assert re.search(rf"ld\.param\S+\s+{predicate[1]},|mov\S+\s+{predicate[1]}, %", text)


def every_other(major: str, dtype: Any, tile: tuple[int, int]) -> Any:
    return fx.make_layout((tile[0], tile[1] // 2), (tile[1], 2))


def test_a_layout_that_no_descriptor_says_is_an_error_at_the_product() -> None:
    with pytest.raises(IRError, match=r"operand b of .*no descriptor is \(64,16\):\(64,2\)") as caught:
        product(layout=every_other)
    assert "fx.gemm(mma, total" in str(caught.value)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"n": 12}, "fx.nvvm.sm90.WGMMA: n of wgmma is a multiple of 8 from 8 to 256, found 12"),
        ({"k": 32}, "wgmma of bf16 is 64 x n x 16, found 64 x 64 x 32"),
        ({"a": "registers"}, "takes A from 'smem' or 'reg'"),
        ({"dtype": fx.Float64}, "wgmma multiplies two of bf16, f16"),
        ({"dtype": fx.Uint8, "k": 32}, "fx.nvvm.sm90.WGMMA multiplies signed integers of 8 bits, fx.Int8; found Uint8"),
        ({"dtype": "bf16"}, "fx.nvvm.sm90.WGMMA takes one element type or a pair of them, found 'bf16'"),
        ({"elem_ty_acc": "f32"}, "the accumulator of fx.nvvm.sm90.WGMMA has an element type, found 'f32'"),
        ({"n": 64.0}, "n of fx.nvvm.sm90.WGMMA is an integer known while tracing, found 64.0"),
    ],
)
def test_products_that_there_are_not(case: dict[str, Any], message: str) -> None:
    atom = {"n": 64, "k": 16, "dtype": fx.BFloat16, **case}

    @flyc.kernel
    def kernel(c: fx.Tensor) -> None:
        fx.make_mma_atom(fx.nvvm.sm90.WGMMA(atom.pop("n"), atom.pop("k"), atom.pop("dtype"), **atom))

    @flyc.jit
    def launch(c: fx.Tensor) -> None:
        kernel(c).launch(grid=1, block=128)

    with pytest.raises(FrontendError, match=message):
        launch.trace(np.zeros(4, np.float32), backend="cuda", arch="sm_90a")


@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100a"])
def test_chips_without_products_of_warp_groups(arch: str) -> None:
    with pytest.raises(UnsupportedTargetError, match=rf"{arch} has no fx\.nvvm\.sm90\.WGMMA; chips .*: sm_90a"):
        product(arch=arch)


def test_an_operand_in_shared_memory_has_no_fragment() -> None:
    def fragment(mma: fx.TiledMma, part: fx.Tensor) -> None:
        mma.make_fragment_B(part)

    @flyc.kernel
    def kernel(c: fx.Tensor) -> None:
        shared = fx.SharedAllocator().allocate(fx.Array[fx.BFloat16, 64 * 16]).view(fx.make_layout((64, 16), (16, 1)))
        mma = fx.make_tiled_mma(fx.make_mma_atom(fx.nvvm.sm90.WGMMA(64, 16, fx.BFloat16)), fx.make_layout((1, 1, 1)))
        fragment(mma, shared)

    @flyc.jit
    def launch(c: fx.Tensor) -> None:
        kernel(c).launch(grid=1, block=128)

    with pytest.raises(FlyDSLError, match=r"operand b of .* stays in memory: pass what partition_B of its tile gives"):
        launch.trace(np.zeros(4, np.float32), backend="cuda", arch="sm_90a")
