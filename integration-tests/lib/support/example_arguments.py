"""The function of each example, arrays to compile it for, and what its instructions on AMD GPUs hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from support.examples import load_example

import flydsl.compiler as flyc

LDS, MEETS = ("ds_", "s_barrier"), ("ds_", "s_barrier", "v_max")
WIDE = ("_load_dwordx4|_load_b128", "_store_dwordx4|_store_b128")


def arrays(*shapes: tuple[int, ...], dtype: str = "float32") -> list[Any]:
    return [np.zeros(shape, dtype) for shape in shapes]


def wide(*shapes: tuple[int, ...]) -> list[Any]:
    """Arrays that are known to begin, as their rows do, at multiples of 16 bytes."""
    return [flyc.from_dlpack(array, assumed_align=16) for array in arrays(*shapes)]


def row_arguments() -> list[Any]:
    """Of a softmax of rows whose length is known."""
    return [*wide((40, 2048), (40, 2048)), load_example("15_rows_in_registers").RowPlan(2048, 256)]


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
    "14_streaming": ("add", lambda: wide((4096,), (4096,), (4096,)), WIDE),
    "15_rows_in_registers": ("softmax", row_arguments, (*MEETS, "v_exp_f32", *WIDE)),
    "16_wide_transpose": ("transpose", lambda: wide((64, 128), (128, 64)), (*LDS, *WIDE)),
    "17_running_sum": (
        "running_sum",
        lambda: [*wide((4096,), (4096,)), np.zeros(3, np.int64)],
        (*LDS, *WIDE, "_atomic_add"),
    ),
    "18_histogram": (
        "histogram",
        lambda: [*wide((4096,)), np.zeros(256, np.int32), 0.0, 1.0, 4],
        (WIDE[0], "ds_add_u32", "_atomic_add"),
    ),
}
"""Function, arguments, and what the instructions hold; `|` separates the spellings of architectures."""
