"""The product of matrices by single warps: its instructions, stages and registers on every chip."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject

STAGE_BYTES, STAGES = (128 + 128) * 64 * 2, 3
STEPS = 4  # of the instruction, along the columns of a stage
KINDS = {np.float16: "f32.f16.f16.f32", ml_dtypes.bfloat16: "f32.bf16.bf16.f32"}


@pytest.fixture(scope="module", params=[(arch, kind) for arch in ("sm_80", "sm_90a", "sm_100a") for kind in KINDS])
def code(request: pytest.FixtureRequest) -> tuple[Any, CodeObject]:
    """The type of the elements, and what the example becomes."""
    arch, kind = request.param
    example = load_example("cuda_07_gemm_sm80")
    matrices = [example.marked(np.zeros((256, 256), kind)) for _ in range(3)]
    return kind, CodeObject.from_bytes(
        example.gemm.trace(*matrices, backend="cuda", arch=arch).lower().compile().device
    )


def test_stages_are_filled_past_the_registers_and_read_as_matrices(code: tuple[Any, CodeObject]) -> None:
    kind, found = code
    assert found.ptx.count(f"mma.sync.aligned.m16n8k16.row.col.{KINDS[kind]} ") == STEPS * 4 * 8
    assert found.ptx.count("ldmatrix.sync.aligned.m8n8.x4.shared.b16") == STEPS * (4 + 4)
    assert found.ptx.count("cp.async.cg.shared.global") == STAGES * (8 + 8)  # before the loop, and once in it
    assert re.findall(r"cp\.async\.wait_group (\d+)", found.ptx) == [str(STAGES - 2), "0"]
    assert sum(found.shared_blocks.values()) == STAGES * STAGE_BYTES


def test_nothing_is_spilled_and_two_blocks_fit(code: tuple[Any, CodeObject]) -> None:
    for kernel in code[1].kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
        assert kernel.registers <= 255
