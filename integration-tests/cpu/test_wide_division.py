"""Quotients of 128-bit integers beside Python's; the nightly run of exact numbers has more of them."""

from __future__ import annotations

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

PAIRS = [(a * sign, b) for a in (1, 7, 1 << 62, (1 << 63) - 1) for sign in (1, -1) for b in (1, 3, -2, -(1 << 40))]
SHIFT = 50
"""Dividends are this many bits wider than the words that they are made from."""


@flyc.kernel
def divide_kernel(a: fx.Tensor, b: fx.Tensor, words: fx.Tensor):
    i = fx.thread_idx.x
    dividend, divisor = fx.Int128(a[i]) * fx.Int128(1 << SHIFT) + 1, fx.Int128(b[i])
    for row, quotient in enumerate((dividend // divisor, -(-dividend // divisor))):
        words[2 * row, i] = quotient.to(fx.Uint64)
        words[2 * row + 1, i] = (quotient >> 64).to(fx.Uint64)


@flyc.jit
def divide(a: fx.Tensor, b: fx.Tensor, words: fx.Tensor):
    divide_kernel(a, b, words).launch(grid=1, block=a.shape[0])


def test_quotients_are_rounded_down_and_up() -> None:
    a, b = (np.array(column, np.int64) for column in zip(*PAIRS, strict=True))
    words = np.zeros((4, len(PAIRS)), np.uint64)
    divide(a, b, words)
    for index, (top, divisor) in enumerate(PAIRS):
        dividend = (top << SHIFT) + 1
        for row, expected in enumerate((dividend // divisor, -(-dividend // divisor))):
            low, high = (int(words[2 * row + half, index]) for half in (0, 1))
            assert (high << 64) | low == expected % (1 << 128), (dividend, divisor, row)
