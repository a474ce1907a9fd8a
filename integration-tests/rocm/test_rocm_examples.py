"""The instructions of the examples for AMD GPUs: matrix units, 16-byte accesses, exchanges between lanes, no spills."""

from __future__ import annotations

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

DTYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "i8": np.int8}


def isa_of(function: Any, arch: str, *arguments: Any) -> str:
    isa: str = function.trace(*arguments, arch=arch).lower().compile().disassemble()
    assert "scratch_" not in isa
    assert "flat_" not in isa
    return isa


def count(pattern: str, isa: str) -> int:
    return len(re.findall(rf"^\s+{pattern}", isa, re.MULTILINE))


def floats(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


PRODUCTS = [
    ("f16", "gfx942", "v_mfma_f32_16x16x16_f16", 64),
    ("bf16", "gfx942", "v_mfma_f32_16x16x16_bf16", 64),
    ("fp8", "gfx942", "v_mfma_f32_16x16x32_fp8_fp8", 64),
    ("i8", "gfx942", "v_mfma_i32_16x16x32_i8", 64),
    ("f16", "gfx950", "v_mfma_f32_16x16x32_f16", 32),
    ("bf16", "gfx950", "v_mfma_f32_16x16x32_bf16", 32),
    ("fp8", "gfx950", "v_mfma_f32_16x16x32_fp8_fp8", 64),
    ("i8", "gfx950", "v_mfma_i32_16x16x64_i8", 32),
]


@pytest.mark.parametrize(("kind", "arch", "instruction", "products"), PRODUCTS)
def test_a_preshuffled_product(kind: str, arch: str, instruction: str, products: int) -> None:
    """Two steps along K in the loop: 18 loads of 16 bytes with the first step's, 6 writes and 16 reads of LDS."""
    example = load_example("rocm_01_preshuffled_gemm")
    dtype = example.fp8_of(arch) if kind == "fp8" else DTYPES[kind]
    m, n, k = 64, 256, 4096
    a, b, c = np.zeros((m, k), dtype), example.preshuffle(np.zeros((n, k), dtype)), np.zeros((m, n), np.float16)
    if kind in ("fp8", "i8"):
        isa = isa_of(example.scaled_gemm, arch, a, floats(m), b, floats(n), c, n, k, arch)
    else:
        isa = isa_of(example.gemm, arch, a, b, c, n, k, arch)
    assert count(instruction, isa) == products
    scales = 2 if kind in ("fp8", "i8") else 0
    assert count("buffer_load_dwordx4", isa) == 18 + scales
    assert count("buffer_store_dwordx2", isa) == 8
    assert (count("ds_write_b128", isa), count("ds_read_b128", isa)) == (6, 16)


@pytest.mark.parametrize("arch", ["gfx1100", "gfx1201", "gfx1250"])
def test_a_product_staged_in_lds(arch: str) -> None:
    gemm = load_example("rocm_02_wmma_gemm").gemm
    a, b, c = (np.zeros(shape, np.float16) for shape in ((128, 1024), (256, 1024), (128, 256)))
    isa = isa_of(gemm, arch, a, b, c, 256, 1024, arch)
    assert count("v_wmma_f32_16x16x", isa) >= 2 * 8
    assert count("buffer_load_b128", isa) >= 2 * 4
    assert count("buffer_load", isa) == count("buffer_load_b128", isa)
    assert count("buffer_store_b128", isa) == count("buffer_store", isa) == 8
    assert count("ds_load_b128", isa) == count("ds_load", isa)


def row_of(dtype: Any = np.float16) -> Any:
    return np.zeros((3, 4096), dtype)


ON_ROWS = {
    "softmax": ("rocm_03_softmax", "softmax", lambda: (row_of(), row_of()), 2, 2, 2),
    "rmsnorm": ("rocm_04_norms", "rmsnorm", lambda: (row_of(), row_of()[0], row_of(), 1e-5), 1, 4, 2),
    "layernorm": ("rocm_04_norms", "layernorm", lambda: (row_of(), *row_of()[:2], row_of(), 1e-5), 2, 6, 2),
    "quantised": (
        "rocm_05_quantised_rmsnorm",
        "rmsnorm",
        lambda: (row_of(), row_of()[0], row_of(np.int8), floats(3), 1e-5),
        2,
        4,
        0,
    ),
}
"""Example, function, arguments; reductions, loads and stores of 16 bytes of a row of 4096 f16, 16 for each thread."""


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100", "gfx1201", "gfx1250"])
@pytest.mark.parametrize("kernel", ON_ROWS)
def test_a_row_is_read_once_and_reduced_by_dpp(kernel: str, arch: str) -> None:
    name, function, arguments, reductions, loads, stores = ON_ROWS[kernel]
    isa = isa_of(getattr(load_example(name), function), arch, *arguments(), 4096, arch)
    assert count("buffer_load_(dwordx4|b128)", isa) == count("buffer_load", isa) == loads
    assert count("buffer_store_(dwordx4|b128)", isa) == stores
    assert count(r"v_(dual_)?\w+_dpp", isa) == reductions * (6 if arch == "gfx942" else 4)
    assert "permute" not in isa
    assert count("v_exp_f32", isa) == (16 if kernel == "softmax" else 0)


def test_the_expert_of_a_tile_is_found_by_scalar_instructions() -> None:
    grouped_gemm = load_example("rocm_06_grouped_gemm").grouped_gemm
    a, b, c = (np.zeros(shape, np.float16) for shape in ((256, 4096), (8, 256 * 4096), (256, 256)))
    isa = isa_of(grouped_gemm, "gfx942", a, b, np.zeros(9, np.int32), c, 8, 256, 4096, "gfx942")
    assert count("v_mfma_f32_16x16x16_f16", isa) == 64
    assert count("global_load", isa) == 0
    assert count("buffer_load_dwordx4", isa) == count("buffer_load", isa) == 18


@pytest.mark.parametrize("arch", ["gfx942", "gfx950"])
def test_paged_attention_keeps_everything_in_registers(arch: str) -> None:
    """16 loads of 16 bytes a page of 128 channels, once in the loop and once behind it, and four of the query."""
    paged_attention = load_example("rocm_07_paged_attention").paged_attention
    q, keys, values = (np.zeros(shape, np.float16) for shape in ((2, 16, 128), (9, 2, 32, 128), (9, 2, 128, 32)))
    table, lengths = np.zeros((2, 9), np.int32), np.zeros(2, np.int32)
    states = floats(2, 4, 16, 128), floats(2, 4, 16, 2)
    isa = isa_of(paged_attention, arch, q, keys, values, table, lengths, *states, q, 0.1, (16, 2, 128, 4), arch)
    parts = isa.partition("combine_kernel")[0]
    assert count("v_mfma_f32_16x16x(16|32)_f16", parts) == (64 if arch == "gfx942" else 32)
    assert count("buffer_load_dwordx4", parts) == count("buffer_load", parts) == 2 * 16 + 4
    assert count("global_load", parts) == 0
    assert "s_barrier" not in parts
    assert count("v_permlane(16|32)_swap", parts) == (0 if arch == "gfx942" else 6)


def test_the_rows_of_a_token_are_found_by_scalar_loads() -> None:
    reduce_experts = load_example("rocm_08_moe_reduction").reduce_experts
    y, out, rows = row_of(), row_of(), np.zeros((3, 4), np.int32)
    isa = isa_of(reduce_experts, "gfx942", y, rows, rows.astype(np.float32), out, 4, 4096)
    assert count("buffer_load_dwordx4", isa) == count("buffer_load", isa) == 2 * 4
    assert count("global_load", isa) == 0
    assert count("v_pk_fma_f32", isa) == 2 * 4 * 4
