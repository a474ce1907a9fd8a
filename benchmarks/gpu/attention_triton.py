"""Attention forward in Triton, as its tutorials write it: a peer of FlyDSL's."""

from __future__ import annotations

import math
from typing import Any

import triton
import triton.language as tl

_CONFIGS = [
    triton.Config({"rows": rows, "columns": columns}, num_warps=8, num_stages=stages)
    for rows, columns, stages in ((128, 128, 2), (128, 64, 3), (128, 64, 4))
]


@triton.autotune(_CONFIGS, key=["length", "causal"])
@triton.jit
def kernel(
    q, k, v, o, scale, length, depth: tl.constexpr, causal: tl.constexpr, rows: tl.constexpr, columns: tl.constexpr
):
    block, head = tl.program_id(0), tl.program_id(1)
    if causal:
        block = tl.num_programs(0) - 1 - block
    base = head.to(tl.int64) * length * depth
    row, column, channel = block * rows + tl.arange(0, rows), tl.arange(0, columns), tl.arange(0, depth)
    query = tl.load(q + base + row[:, None] * depth + channel[None, :])
    top = tl.full([rows], -float("inf"), tl.float32)
    total = tl.zeros([rows], tl.float32)
    result = tl.zeros([rows, depth], tl.float32)
    end = (block + 1) * rows if causal else length
    for start in range(0, end, columns):
        where = base + (start + column)[:, None] * depth + channel[None, :]
        scores = tl.dot(query, tl.load(k + where).T) * scale
        if causal:
            scores = tl.where(row[:, None] >= (start + column)[None, :], scores, -float("inf"))
        highest = tl.maximum(top, tl.max(scores, 1))
        weights, factor = tl.exp2(scores - highest[:, None]), tl.exp2(top - highest)
        total = total * factor + tl.sum(weights, 1)
        result = tl.dot(weights.to(tl.bfloat16), tl.load(v + where), result * factor[:, None])
        top = highest
    tl.store(o + base + row[:, None] * depth + channel[None, :], (result / total[:, None]).to(tl.bfloat16))


def triton_attention(q: Any, k: Any, v: Any, o: Any, causal: bool) -> Any:
    """Of contiguous tensors (head, length, depth) of whole blocks, into `o`."""
    heads, length, depth = q.shape
    scale = math.log2(math.e) / math.sqrt(depth)
    kernel[lambda config: (length // config["rows"], heads)](q, k, v, o, scale, length, depth, causal)
    return o
