"""Attention by warp groups: its instructions, registers and loops, and no word of the assembler that it had to wait
where the program does not."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.report.sass import disassemble, functions, loops

PRODUCTS = {"m64n128k16.f32.bf16.bf16 ": 4 * 8}  # of the first keys, of keys and values in the loop, of the last values


@pytest.fixture(scope="module", params=[False, True], ids=["full", "causal"])
def code(request: pytest.FixtureRequest) -> CodeObject:
    q, k = (np.zeros((heads, 256, 128), ml_dtypes.bfloat16) for heads in (4, 2))
    function = load_example("cuda_03_attention").attention
    artifact = function.trace(q, k, k, q, request.param, backend="cuda", arch="sm_90a").lower().compile()
    return CodeObject.from_bytes(artifact.device)


def test_scores_stay_in_registers_and_nothing_is_spilled(code: CodeObject) -> None:
    assert {text: code.ptx.count(text) for text in PRODUCTS} == PRODUCTS
    assert code.ptx.count("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier") == 3 * 2  # halves of 128 bytes
    for kernel in code.kernels.values():
        assert (kernel.spill_stores, kernel.spill_loads, kernel.stack) == (0, 0, 0)
        assert kernel.registers == 168


def test_the_loop_multiplies_keys_and_values_and_touches_no_memory(code: CodeObject) -> None:
    listing = disassemble(code.cubin)
    assert listing is not None
    (body,) = functions(listing).values()
    names = max(([one.name for one in loop] for loop in loops(body)), key=len)
    assert sum(name.startswith("HGMMA") for name in names) == 2 * 8
    assert (
        sum(name.startswith("MUFU.EX2") for name in names) % 66 == 0
    )  # 64 weights and two factors, with and without a mask
    assert not [name for name in names if name.startswith(("LDG", "LDS", "LDL", "ST", "RED", "ATOM", "MEMBAR", "CCTL"))]


def test_the_assembler_serialises_nothing(code: CodeObject, lost_speed: Callable[[str], list[str]]) -> None:
    assert lost_speed(code.ptx) == []
