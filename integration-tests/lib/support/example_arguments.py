"""The function of each example, arrays to compile it for, and what its instructions on AMD GPUs hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
