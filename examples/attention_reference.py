"""Attention in NumPy and float64, of (heads, length, depth): what the examples' kernels are compared with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = ["attention", "attention_gradients"]


def attention(q: Any, k: Any, v: Any, causal: bool) -> tuple[Any, Any]:
    """softmax(q k^T / sqrt(depth)) v, and the logarithm of each query's sum of exponentials.

    k and v may have fewer heads, each for several of q's; with `causal` a query sees the keys up to its own number.
    """
    q, k, v = _wide(q, k, v)
    scores = _scores(q, k, causal)
    top = scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores - top)
    total = weights.sum(axis=-1, keepdims=True)
    return weights @ v / total, (top + np.log(total))[..., 0]


def attention_gradients(q: Any, k: Any, v: Any, do: Any, causal: bool) -> tuple[Any, Any, Any]:
    """The gradients of q, k and v, from `do`, that of the result."""
    o, lse = attention(q, k, v, causal)
    shape = k.shape
    q, k, v = _wide(q, k, v)
    do = do.astype(np.float64)
    p = np.exp(_scores(q, k, causal) - lse[..., None])
    ds = p * (do @ v.swapaxes(1, 2) - (do * o).sum(axis=-1, keepdims=True)) / math.sqrt(q.shape[-1])
    dk, dv = (x.reshape(shape[0], -1, *shape[1:]).sum(axis=1) for x in (ds.swapaxes(1, 2) @ q, p.swapaxes(1, 2) @ do))
    return ds @ k, dk, dv


def _wide(q: Any, k: Any, v: Any) -> tuple[Any, ...]:
    """In float64, and with as many heads of keys and values as of queries."""
    times = q.shape[0] // k.shape[0]
    return q.astype(np.float64), *(np.repeat(x.astype(np.float64), times, axis=0) for x in (k, v))


def _scores(q: Any, k: Any, causal: bool) -> Any:
    scores = q @ k.swapaxes(1, 2) / math.sqrt(q.shape[-1])
    if causal:
        scores[:, np.arange(q.shape[1])[:, None] < np.arange(k.shape[1])] = -np.inf
    return scores
