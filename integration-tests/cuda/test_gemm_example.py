"""The product of matrices by warp groups: its instructions, registers and shared memory, and no word of the assembler
that it had to wait where the program does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject

INSTRUCTIONS = {
    "wgmma.fence": 1,
    "wgmma.commit_group": 1,
    "wgmma.wait_group": 2,
    "mbarrier.try_wait.parity": 2,
    "setmaxnreg.dec.sync.aligned.u32 40": 1,
    "setmaxnreg.inc.sync.aligned.u32 232": 1,
    "elect.sync": 1,
}
"""What the PTX holds, and how many of each."""
LOAD, STORE = "cp.async.bulk.tensor.2d.shared::cluster.global", "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group"
CASES: dict[str, tuple[Any, str, int, str, int, int]] = {
    "half": (np.float16, "", 256, "m64n256k16.f32.f16.f16", 2, 196608),
    "brain": (ml_dtypes.bfloat16, "", 256, "m64n256k16.f32.bf16.bf16", 2, 196608),
    "eight": (ml_dtypes.float8_e4m3fn, "", 256, "m64n256k32.f32.e4m3.e4m3", 2, 196608),
    "transposed": (np.float16, "ab", 256, "m64n256k16.f32.f16.f16", 6, 196608),
    "narrow": (np.float16, "b", 128, "m64n128k16.f32.f16.f16", 3, 196608),
    "narrowest": (np.float16, "", 64, "m64n64k16.f32.f16.f16", 2, 196608),
}
"""Type, transposed operands, columns of a tile; then the instruction, boxes of a stage, and the bytes of all stages."""


@pytest.fixture(scope="module", params=CASES)
def code(request: pytest.FixtureRequest) -> tuple[str, CodeObject]:
    """The name of a case, and what it becomes."""
    dtype, transposed, columns, *_ = CASES[request.param]
    plain = np.zeros((256, 272), dtype)
    a, b = (plain.T if name in transposed else plain for name in "ab")
    c = np.zeros((a.shape[0], b.shape[0]), np.float16)
    example = load_example("cuda_02_gemm")
    artifact = example.gemm.trace(a, b, c, 132, columns, backend="cuda", arch="sm_90a").lower().compile()
    return request.param, CodeObject.from_bytes(artifact.device)


def test_the_loop_is_four_products_and_tiles_come_and_go_by_the_copy_engine(code: tuple[str, CodeObject]) -> None:
    name, found = code
    _, _, columns, product, boxes, stages = CASES[name]
    assert {text: found.ptx.count(text) for text in INSTRUCTIONS} == INSTRUCTIONS
    assert found.ptx.count(f"wgmma.mma_async.sync.aligned.{product} ") == 4
    assert (found.ptx.count(LOAD), found.ptx.count(STORE)) == (boxes, columns // 64)
    results, barriers = 4 * 64 * 64 * 2, 2 * 8 * stages // ((128 + columns) * 128)
    assert sum(found.shared_blocks.values()) == stages + results + barriers


def test_nothing_is_spilled_and_three_groups_fit(code: tuple[str, CodeObject]) -> None:
    for kernel in code[1].kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
        assert kernel.registers == 168


def test_tiles_are_as_wide_as_keeps_every_multiprocessor_at_work() -> None:
    columns_for = load_example("cuda_02_gemm").columns_for
    shapes = {(8192, 8192): 256, (2048, 2048): 256, (1024, 1024): 64, (128, 128): 64}
    assert {shape: columns_for(*shape, 132) for shape in shapes} == shapes


def test_the_assembler_neither_serialises_products_nor_ignores_budgets(
    code: tuple[str, CodeObject], lost_speed: Callable[[str], list[str]]
) -> None:
    assert lost_speed(code[1].ptx) == []


@pytest.mark.parametrize("columns", [0, 32, 96])
def test_tiles_are_stored_whole(columns: int) -> None:
    a = np.zeros((256, 256), np.float16)
    with pytest.raises(ValueError, match=f"stored 64 columns at once.* found {columns} columns, parts: 1"):
        load_example("cuda_02_gemm").gemm.trace(a, a, a, 132, columns, backend="cuda", arch="sm_90a")


@pytest.mark.parametrize(("columns", "pending"), [(256, 1), (192, 0), (128, 1), (64, 0)])
def test_a_buffer_is_written_again_when_it_has_been_read(columns: int, pending: int) -> None:
    a, c = np.zeros((256, 256), np.float16), np.zeros((256, 384), np.float16)
    function = load_example("cuda_02_gemm").gemm
    traced = function.trace(a, np.zeros((384, 256), np.float16), c, 132, columns, backend="cuda", arch="sm_90a")
    ptx = CodeObject.from_bytes(traced.lower().compile().device).ptx
    *waits, last = re.findall(r"cp\.async\.bulk\.wait_group\.read (\d)", ptx)
    assert (set(waits), last) == ({str(pending)}, "0")
