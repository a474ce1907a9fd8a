"""Paged keys and values in NumPy, and attention of sequences' newest tokens in float64."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

__all__ = ["cache_of", "expected"]


def cache_of(
    rng: np.random.Generator, lengths: Any, heads: int, depth: int, page: int
) -> tuple[Any, Any, Any, list[tuple[Any, Any]]]:
    """Keys and values in random pages with NaN around them, the table of pages, and both as (token, head, channel)."""
    counts = -(-lengths // page)
    order = rng.permutation(int(counts.sum()) + 2).astype(np.int32)
    table = np.full((len(lengths), max(int(counts.max()), 1)), -1, np.int32)
    shape = len(order), page, heads, depth + 8
    keys, values = (np.full(shape, np.nan, ml_dtypes.bfloat16)[..., :depth] for _ in range(2))
    used, dense = 0, list[tuple[Any, Any]]()
    for sequence, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        table[sequence, :count] = order[used : used + count]
        used += count
        k, v = rng.standard_normal((2, length, heads, depth)).astype(ml_dtypes.bfloat16)
        for number in range(count):
            tokens = slice(number * page, min((number + 1) * page, length))
            for target, source in ((keys, k), (values, v)):
                target[table[sequence, number], : tokens.stop - tokens.start] = source[tokens]
        dense.append((k.astype(np.float64), v.astype(np.float64)))
    return keys, values, table, dense


def expected(q: Any, dense: list[tuple[Any, Any]]) -> Any:
    """What the tokens' queries, the last of each sequence, find of those before them; 0 where there are none."""
    out: list[Any] = []
    for queries, (k, v) in zip(q.astype(np.float64), dense, strict=True):
        tokens, heads, depth = queries.shape
        if not len(k):
            out.append(np.zeros_like(queries))
            continue
        k, v = (np.repeat(array, heads // array.shape[1], axis=1) for array in (k, v))
        scores = np.einsum("qhc,thc->hqt", queries, k) / math.sqrt(depth)
        scores[:, np.arange(tokens)[:, None] + len(k) - tokens < np.arange(len(k))] = -np.inf
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        out.append(np.einsum("hqt,thc->qhc", weights / weights.sum(axis=-1, keepdims=True), v))
    return np.array(out)
