"""The examples' kernels for NVIDIA GPUs: what their PTX holds, and registers, of which none is spilled."""

from __future__ import annotations

import os

import numpy as np
import pytest
from support.example_arguments import EXPECTED
from support.examples import EXAMPLES, load_example

import flydsl.compiler as flyc
from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.ptxas import OFF, find_ptxas

ARCHS = ("sm_80", "sm_90a", "sm_100a")
ASSEMBLERS = [OFF, *(str(found) for found in [find_ptxas()] if found)]
SHARED = (".shared", "bar.sync|barrier.sync")
WIDE = ("ld.global.v4|ld.global.v2.b64", "st.global.v4|st.global.v2.b64")
INSTRUCTIONS: dict[str, tuple[str, ...]] = {
    "01_vector_add": ("ld.global", "add.rn.f32"),
    "02_tiled_copy": ("ld.global", "st.global"),
    "03_tiled_mma": ("fma.rn.f32",),
    "05_gather_scatter": ("ld.global", "st.global"),
    "06_shared_memory_transpose": SHARED,
    "07_block_reduction": (*SHARED, "shfl.sync.bfly.b32"),
    "08_scan": (*SHARED, "shfl.sync.up.b32"),
    "09_softmax": (*SHARED, "shfl.sync.bfly.b32"),
    "10_rmsnorm": (*SHARED, "rsqrt.approx.f32"),
    "11_layernorm": (*SHARED, "rsqrt.approx.f32"),
    "12_tiled_gemm": (*SHARED, "fma.rn.f32"),
    "13_attention": (*SHARED, "fma.rn.f32", "shfl.sync.bfly.b32"),
    "14_streaming": WIDE,
    "15_rows_in_registers": (*SHARED, *WIDE, "ex2.approx"),
    "16_wide_transpose": (*SHARED, *WIDE, "st.shared.v4", "ld.shared.v4"),
    "17_running_sum": (*SHARED, *WIDE, "shfl.sync.up.b32", "ld.relaxed", "st.relaxed"),
    "18_histogram": (*SHARED, WIDE[0], "atom.shared.add.u32|atom.relaxed.cta.shared.add.u32|red.shared.add.u32"),
}
"""What the PTX holds; `|` separates spellings."""
REGISTERS = {
    "01_vector_add": 26,
    "02_tiled_copy": 32,
    "03_tiled_mma": 56,
    "05_gather_scatter": 40,
    "06_shared_memory_transpose": 40,
    "07_block_reduction": 32,
    "08_scan": 32,
    "09_softmax": 40,
    "10_rmsnorm": 40,
    "11_layernorm": 40,
    "12_tiled_gemm": 80,
    "13_attention": 240,
    "14_streaming": 24,
    "15_rows_in_registers": 64,
    "16_wide_transpose": 64,
    "17_running_sum": 64,
    "18_histogram": 40,
}
"""Registers of a thread that the code may have, on any of the chips."""


@pytest.mark.parametrize("assembler", ASSEMBLERS, ids=os.path.basename)
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_compiles(name: str, arch: str, assembler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_CUDA_PTXAS", assembler)
    function, arguments, _ = EXPECTED[name]
    artifact = getattr(load_example(name), function).trace(*arguments(), arch=arch).lower().compile()
    code = CodeObject.from_bytes(artifact.device)
    for spellings in INSTRUCTIONS[name]:
        assert any(spelling in code.ptx for spelling in spellings.split("|")), spellings
    assert [word for word in (".extern .func", ".local", "ld.param.b8") if word in code.ptx] == []
    assert set(code.kernels) == (set(artifact.kernels) if assembler != OFF else set())
    for found in code.kernels.values():
        assert (found.spill_stores, found.spill_loads, found.stack) == (0, 0, 0)
        assert 4 <= found.registers <= REGISTERS[name]


@pytest.mark.parametrize(("align", "wide"), [(16, 2), (4, 0)])
def test_accesses_are_as_wide_as_the_alignment_that_is_known(align: int, wide: int) -> None:
    array = np.zeros((64, 128), np.float32)
    tensor = flyc.from_dlpack(array, assumed_align=align).mark_layout_dynamic(leading_dim=1, divisibility=4)
    artifact = load_example("01_vector_add").vector_add.trace(tensor, tensor, tensor, arch="sm_90a").lower().compile()
    assert artifact.disassemble().count("ld.global.v4") == wide


@pytest.mark.parametrize("columns", [8192, 16384, 32768])
@pytest.mark.parametrize(("name", "weights"), [("rmsnorm", 1), ("layernorm", 2)])
def test_norms_of_wide_rows_tell_the_second_cache_and_leave_registers(name: str, weights: int, columns: int) -> None:
    example = load_example("15_rows_in_registers")
    x, vector = np.zeros((4, columns), np.float16), np.zeros(columns, np.float16)
    plan = example.plan_for_norm(columns, 2, 227 << 10, weights=weights)
    arguments = [example.marked(array, 2) for array in (x, *[vector] * weights, x)]
    function = getattr(example, name)
    artifact = function.trace(*arguments, 1e-5, plan, arch="sm_90a").lower().compile()
    code = CodeObject.from_bytes(artifact.device)
    loads = [line for line in code.ptx.splitlines() if "ld.global" in line]
    assert loads
    assert all("L2::evict_last" in line or "L2::evict_first" in line for line in loads)
    (first, *_) = loads
    assert "L2::evict_last" in first
    blocks = 2048 // plan.threads if weights == 1 or columns == 32768 else 1024 // plan.threads
    for found in code.kernels.values():  # rows of several blocks are in flight
        assert (found.spill_stores, found.registers * plan.threads * blocks) <= (0, 65536)


def test_every_example_is_compiled() -> None:
    assert sorted(INSTRUCTIONS) == sorted(REGISTERS) == EXAMPLES
