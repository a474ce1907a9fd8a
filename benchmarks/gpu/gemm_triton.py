"""Products C = A B^T in Triton, as its tutorials write them for Hopper: blocks that stay, and tensor descriptors."""

# ruff: noqa: N803
# Constants of Triton's kernels have capital letters.
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

_CONFIGS = [
    triton.Config({"ROWS": rows, "COLUMNS": columns, "DEPTH": depth}, num_warps=warps, num_stages=stages)
    for rows, columns, depth, warps, stages in (
        (128, 256, 64, 8, 3),
        (128, 256, 64, 8, 4),
        (128, 128, 64, 8, 4),
        (128, 256, 128, 8, 3),
        (128, 128, 128, 8, 4),
    )
]


def _set_boxes(given: dict[str, Any]) -> None:
    """The descriptors are of the tiles of a configuration."""
    rows, columns, depth = (given[name] for name in ("ROWS", "COLUMNS", "DEPTH"))
    for name, box in (("a", [rows, depth]), ("b", [columns, depth]), ("c", [rows, columns])):
        given[name].block_shape = box


def _fitting(configs: list[Any], given: dict[str, Any], **_: Any) -> list[Any]:
    """Wide steps are for types of one byte."""
    deepest = 128 // given["a"].base.element_size()
    return [config for config in configs if config.kwargs["DEPTH"] == deepest]


for _config in _CONFIGS:
    _config.pre_hook = _set_boxes


@triton.autotune(_CONFIGS, key=["m", "n", "k", "KIND"], prune_configs_by={"early_config_prune": _fitting})
@triton.jit
def kernel(
    a, b, c, m, n, k, KIND: tl.constexpr, BLOCKS: tl.constexpr,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    down, across = tl.cdiv(m, ROWS), tl.cdiv(n, COLUMNS)
    for tile in tl.range(tl.program_id(0), down * across, BLOCKS, flatten=True):
        first = tile // (8 * across) * 8  # eight tiles of rows at a time, so that the cache holds what they share
        height = min(down - first, 8)
        row = (first + tile % (8 * across) % height) * ROWS
        column = tile % (8 * across) // height * COLUMNS
        sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
        for step in range(tl.cdiv(k, DEPTH)):
            sums = tl.dot(a.load([row, step * DEPTH]), b.load([column, step * DEPTH]).T, sums)
        c.store([row, column], sums.to(tl.bfloat16))


def triton_gemm(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, processors: int) -> Callable[[], Any]:
    """The product of contiguous matrices as a call."""
    (m, k), n = a.shape, b.shape[0]
    descriptors = [TensorDescriptor.from_tensor(matrix, [128, 64]) for matrix in (a, b, c)]
    return lambda: kernel[(processors,)](*descriptors, m, n, k, str(a.dtype), processors)
