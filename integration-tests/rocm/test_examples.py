"""The examples' kernels compiled for AMD GPUs: shared memory is LDS, shuffles stay in the wave, copies are wide."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.examples import EXAMPLES, load_example

LDS, MEETS = ("ds_", "s_barrier"), ("ds_", "s_barrier", "v_max")


def arrays(*shapes: tuple[int, ...], dtype: str = "float32") -> list[Any]:
    return [np.zeros(shape, dtype) for shape in shapes]


EXPECTED: dict[str, tuple[str, Callable[[], list[Any]], tuple[str, ...]]] = {
    "01_vector_add": ("vector_add", lambda: arrays((40, 41), (40, 41), (40, 41)), ("_load_dwordx4|_load_b128",)),
    "02_tiled_copy": ("transpose", lambda: arrays((40, 41), (41, 40)), ("_load_dword|_load_b32",)),
    "03_tiled_mma": ("matmul", lambda: arrays((40, 41), (44, 41), (40, 44)), ("v_pk_fma_f32|v_fma|v_dual_fma",)),
    "05_gather_scatter": (
        "move_rows",
        lambda: [*arrays((40, 7)), np.zeros(9, np.int32), *arrays((9, 7)), 7, True],
        ("_load_dword|_load_b32",),
    ),
    "06_shared_memory_transpose": ("transpose", lambda: arrays((40, 41), (41, 40)), LDS),
    "07_block_reduction": ("reduce_rows", lambda: arrays((40, 41), (40,), (40,)), MEETS),
    "08_scan": ("scan_rows", lambda: arrays((40, 41), (40, 41), dtype="int32"), (*LDS, "ds_bpermute_b32")),
    "09_softmax": ("softmax", lambda: arrays((40, 41), (40, 41)), (*MEETS, "v_exp_f32", "_load_dwordx4|_load_b128")),
    "10_rmsnorm": (
        "rmsnorm",
        lambda: [*arrays((40, 41), (41,), (40, 41)), 1e-5],
        (*LDS, "v_rsq_f32", "_load_dwordx4|_load_b128"),
    ),
    "11_layernorm": (
        "layernorm",
        lambda: [*arrays((40, 41), (41,), (41,), (40, 41)), 1e-5],
        (*LDS, "v_rsq_f32", "_load_dwordx4|_load_b128"),
    ),
    "12_tiled_gemm": ("gemm", lambda: arrays((40, 41), (41, 44), (40, 44)), (*LDS, "v_pk_fma_f32|v_fma|v_dual_fma")),
    "13_attention": (
        "attention",
        lambda: [*arrays(*[(40, 9, 2)] * 4), 0.5, 9, True],
        ("ds_", "v_exp_f32", "v_pk_fma_f32|v_fma|v_dual_fma"),
    ),
}
"""Function, arguments, and what the instructions hold; `|` separates the spellings of architectures."""


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_an_example_compiles(name: str, arch: str) -> None:
    function, arguments, instructions = EXPECTED[name]
    traced = getattr(load_example(name), function).trace(*arguments(), arch=arch)
    isa = traced.lower().compile().disassemble()
    for spellings in instructions:
        assert any(spelling in isa for spelling in spellings.split("|")), spellings
    assert "flat_" not in isa


def test_the_staged_product_uses_matrix_instructions_where_asked() -> None:
    gemm = load_example("12_tiled_gemm").gemm
    isa = gemm.trace(*arrays((40, 41), (41, 44), (40, 44)), "mfma", arch="gfx942").lower().compile().disassemble()
    assert isa.count("v_mfma_f32_16x16x4") == 2 * 2 * 4  # tiles of 32 x 32 a wave, 16 along K
    assert "s_barrier" in isa


def test_attention_uses_matrix_instructions_where_asked() -> None:
    attention, operands = load_example("13_attention").attention, arrays(*[(40, 16, 2)] * 4)
    isa = attention.trace(*operands, 0.25, 16, False, "mfma", arch="gfx942").lower().compile().disassemble()
    assert isa.count("v_mfma_f32_16x16x4") == 2 * 4  # one product for the scores and one for the result, 16 along K


def test_every_example_is_compiled() -> None:
    assert sorted(EXPECTED) == EXAMPLES
