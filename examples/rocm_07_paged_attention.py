"""Attention of one query for each sequence over a paged cache, as text is generated: out = softmax(scale q K^T) V.

The keys and values of a sequence lie in pages of 32 tokens, which its row of a table names. Several query heads share
a head of keys and values, so that their queries fill a matrix instruction. A sequence is cut into parts, one for each
wave; a part ends as a sum of values, its largest score and its sum of weights, and a second kernel combines the parts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rocm_attention import PAGE, WAVE, PageWave
from rocm_rows import LOG2_E, LOWEST, largest
from rocm_workbench import MFMA_CHIPS, choose_chip
from workbench import assert_close, odd

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def parts_kernel(
    q: fx.Tensor,
    keys: fx.Tensor,
    values: fx.Tensor,
    table: fx.Tensor,
    lengths: fx.Tensor,
    parts: fx.Tensor,
    states: fx.Tensor,
    scale: fx.Float32,
    heads: int,
    channels: int,
    count: int,
    chip: str,
) -> None:
    """One wave a part of a sequence and a head of keys and values, which `heads` heads of queries share."""
    part, kv_head, sequence = fx.block_idx.x, fx.block_idx.y, fx.block_idx.z
    length, wave, scale = lengths[sequence], PageWave(chip, channels), scale * LOG2_E
    whole = fx.Int32(fx.Uint32(length) // PAGE)
    pages = fx.Int32(fx.Uint32(length + PAGE - 1) // PAGE)
    of_part = fx.Int32(fx.Uint32(pages + count - 1) // count)
    start, end = part * of_part, fx.min(pages, (part + 1) * of_part)
    wave.load_query(q[sequence, kv_head * heads, None], heads)

    peak, total = fx.Float32(LOWEST), fx.Float32(0)
    for number in range(start, fx.min(whole, end)):
        page = table[sequence, number]
        wave.load_page(keys[page, kv_head, None, None], values[page, kv_head, None, None])
        peak, total = wave.step(scale, peak, total)
    if (start <= whole) & (whole < end):  # a page that the sequence does not fill
        page = table[sequence, whole]
        wave.load_page(keys[page, kv_head, None, None], values[page, kv_head, None, None])
        peak, total = wave.step(scale, peak, total, length - whole * PAGE)

    first = kv_head * heads
    out, state = (tensor[sequence, part, first, None] for tensor in (parts, states))
    wave.finish(out, state, heads, peak, total)


@flyc.kernel
def combine_kernel(parts: fx.Tensor, states: fx.Tensor, out: fx.Tensor, count: int) -> None:
    """One block a head, one thread a channel."""
    head, sequence, channel = fx.block_idx.x, fx.block_idx.y, fx.thread_idx.x
    peaks = [states[sequence, part, head, 0] for part in range(count)]
    peak = peaks[0]
    for part in fx.range_constexpr(1, count):
        peak = largest(peak, peaks[part])
    total, value = fx.Float32(0), fx.Float32(0)
    for part in fx.range_constexpr(count):
        weight = fx.rocdl.exp2(peaks[part] - peak)
        total = total + weight * states[sequence, part, head, 1]
        value = value + weight * parts[sequence, part, head, channel]
    out[sequence, head, channel] = fx.Float16(value / total)


@flyc.jit
def paged_attention(
    q: fx.Tensor,
    keys: fx.Tensor,
    values: fx.Tensor,
    table: fx.Tensor,
    lengths: fx.Tensor,
    parts: fx.Tensor,
    states: fx.Tensor,
    out: fx.Tensor,
    scale: fx.Float32,
    shape: fx.Constexpr[tuple[int, int, int, int]],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """`shape`: query heads, heads of keys and values, channels, parts of a sequence.

    q and out are (sequence, head, channel), keys (page, head, token, channel), values (page, head, channel, token),
    parts (sequence, part, head, channel) and states (sequence, part, head, 2).
    """
    heads, kv_heads, channels, count = shape
    sequences = q.shape[0]
    kernel = parts_kernel(
        q, keys, values, table, lengths, parts, states, scale, heads // kv_heads, channels, count, chip
    )
    kernel.launch(grid=(count, kv_heads, sequences), block=WAVE, stream=stream)
    combine_kernel(parts, states, out, count).launch(grid=(heads, sequences), block=channels, stream=stream)


def cache_of(rng: np.random.Generator, lengths: Any, kv_heads: int, channels: int) -> tuple[Any, ...]:
    """Keys and values in random pages with NaN around them, the table of pages, and both as (token, head, channel)."""
    counts = -(-lengths // PAGE)
    order = rng.permutation(int(counts.sum()) + 2).astype(np.int32)
    table = np.full((len(lengths), int(counts.max())), -1, np.int32)
    keys = np.full((len(order), kv_heads, PAGE, channels), np.nan, np.float16)
    values = np.full((len(order), kv_heads, channels, PAGE), np.nan, np.float16)
    used, dense = 0, list[tuple[Any, Any]]()
    for sequence, (length, count) in enumerate(zip(lengths, counts, strict=True)):
        table[sequence, :count] = order[used : used + count]
        used += count
        k, v = rng.standard_normal((2, length, kv_heads, channels)).astype(np.float16)
        for token in range(length):
            page, slot = table[sequence, token // PAGE], token % PAGE
            keys[page, :, slot], values[page, :, :, slot] = k[token], v[token]
        dense.append((k.astype(np.float64), v.astype(np.float64)))
    return keys, values, table, dense


def expected(q: Any, dense: Any, scale: float) -> Any:
    """The same in NumPy and float64."""
    out: list[Any] = []
    for queries, (k, v) in zip(q.astype(np.float64), dense, strict=True):
        shared_by = queries.shape[0] // k.shape[1]
        k, v = (np.repeat(array, shared_by, axis=1) for array in (k, v))
        scores = scale * np.einsum("hc,thc->ht", queries, k)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        out.append(np.einsum("ht,thc->hc", weights / weights.sum(axis=1, keepdims=True), v))
    return np.array(out)


def check(rng: np.random.Generator, lengths: tuple[int, ...], shape: tuple[int, int, int, int]) -> None:
    """Random sequences against NumPy in float64."""
    chip, (heads, kv_heads, channels, count) = choose_chip(*MFMA_CHIPS), shape
    all_lengths = np.array(lengths, np.int32)
    keys, values, table, dense = cache_of(rng, all_lengths, kv_heads, channels)
    q = rng.standard_normal((len(lengths), heads, channels)).astype(np.float16)
    out = np.full_like(q, np.nan)
    parts = np.full((len(lengths), count, heads, channels), np.nan, np.float32)
    states = np.full((len(lengths), count, heads, 2), np.nan, np.float32)
    paged_attention(q, keys, values, table, all_lengths, parts, states, out, channels**-0.5, shape, chip)
    assert_close(out.astype(np.float64), expected(q, dense, channels**-0.5), 2e-3)


def main() -> None:
    choose_chip(*MFMA_CHIPS)
    rng = np.random.default_rng()
    for shape in ((8, 2, 64, 3), (5, 1, 128, 4), (16, 1, 64, 1)):
        lengths = tuple(odd(rng, 400) for _ in range(3))
        check(rng, lengths, shape)
        heads, kv_heads, channels, count = shape
        print(
            f"{heads} heads on {kv_heads}, {channels} channels, {lengths} tokens in {count} parts: "
            "equal to NumPy in float64, within 2e-3"
        )


if __name__ == "__main__":
    main()
