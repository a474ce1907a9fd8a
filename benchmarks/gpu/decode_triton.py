"""Attention of one token over pages in Triton, split over the sequence: a peer of FlyDSL's."""

from __future__ import annotations

import math
from typing import Any

import triton
import triton.language as tl

TOKENS, ROWS = 64, 16


@triton.jit
def parts_kernel(
    q, keys, values, table, lengths, parts, states, scale, pages_each, part_tokens, count, page_stride, token_stride,
    group: tl.constexpr, page: tl.constexpr, depth: tl.constexpr, step: tl.constexpr, padded: tl.constexpr,
):  # fmt: skip
    part, head, sequence = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths + sequence)
    start = part * part_tokens
    end = min(length, start + part_tokens)
    if start >= end:
        return
    row, channel, token = tl.arange(0, padded), tl.arange(0, depth), tl.arange(0, step)
    first = sequence * tl.num_programs(1) * group + head * group
    query = tl.load(q + (first + row)[:, None] * depth + channel[None, :], mask=(row < group)[:, None], other=0.0)
    top = tl.full([padded], -float("inf"), tl.float32)
    total = tl.zeros([padded], tl.float32)
    result = tl.zeros([padded, depth], tl.float32)
    for place in range(start, end, step):
        tokens = place + token
        exists = tokens < end
        number = tl.load(table + sequence * pages_each + tokens // page, mask=exists, other=0)
        where = number.to(tl.int64) * page_stride + (tokens % page) * token_stride + head * depth
        where = where[:, None] + channel[None, :]
        k = tl.load(keys + where, mask=exists[:, None], other=0.0)
        v = tl.load(values + where, mask=exists[:, None], other=0.0)
        scores = tl.where(exists[None, :], tl.dot(query, k.T) * scale, -float("inf"))
        highest = tl.maximum(top, tl.max(scores, 1))
        weights, factor = tl.exp2(scores - highest[:, None]), tl.exp2(top - highest)
        total = total * factor + tl.sum(weights, 1)
        result = result * factor[:, None] + tl.dot(weights.to(v.dtype), v)
        top = highest
    place = (first + row) * count + part
    tl.store(states + place, top + tl.log2(total), mask=row < group)
    where = place[:, None] * depth + channel[None, :]
    tl.store(parts + where, result / total[:, None], mask=(row < group)[:, None])


@triton.jit
def combine_kernel(parts, states, lengths, out, part_tokens, count, heads, depth: tl.constexpr, padded: tl.constexpr):
    row, channel, part = tl.program_id(0), tl.arange(0, depth), tl.arange(0, padded)
    exists = part < tl.cdiv(tl.load(lengths + row // heads), part_tokens)
    log = tl.load(states + row * count + part, mask=exists, other=-float("inf"))
    weight = tl.exp2(log - tl.max(log, 0))
    mean = tl.load(parts + (row * count + part)[:, None] * depth + channel[None, :], mask=exists[:, None], other=0.0)
    tl.store(out + row * depth + channel, tl.sum(mean * weight[:, None], 0) / tl.sum(weight, 0))


def triton_decode(cache: Any, out: Any) -> Any:
    """The result of a cache of `decode_cases`, of one token a sequence."""
    sequences, _, heads, depth = cache.q.shape
    _, page, of_keys, _ = cache.keys.shape
    count, group = cache.states.shape[-1], heads // of_keys
    parts_kernel[(count, of_keys, sequences)](
        cache.q, cache.keys, cache.values, cache.table, cache.lengths, cache.parts, cache.states,
        math.log2(math.e) / math.sqrt(depth), cache.table.shape[1], cache.part_tokens, count, cache.keys.stride(0),
        cache.keys.stride(1), group, page, depth, TOKENS, max(ROWS, triton.next_power_of_2(group)),
        num_warps=4, num_stages=3,
    )  # fmt: skip
    combine_kernel[(sequences * heads,)](
        cache.parts, cache.states, cache.lengths, out, cache.part_tokens, count, heads, depth,
        triton.next_power_of_2(count),
    )  # fmt: skip
    return out
