"""Random numbers of `fx.random`: recorded words, known while tracing and not, and what distributions they have."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.random import universal

WORDS = [
    (fx.Uint32, 0, fx.Uint32, 0, "6627E8D5 E169C58D BC57AC4C 9B00DBD8"),
    (fx.Uint32, 1, fx.Uint32, 0, "E3E80670 E50A0EBC 95F222C0 B615AA27"),
    (fx.Int32, 7, fx.Int32, 12345, "4B63B8A5 229F7BF8 FBD39742 746334E0"),
    (fx.Uint32, 0x9E3779B9, fx.Uint32, 0xFFFFFFF0, "769B715F 2C901952 38A93D38 7D8EC4AC"),
    (fx.Int32, -5, fx.Uint32, 11, "C3C8B2BD 1A03A6D2 B9B7300B EF386975"),
    (fx.Uint32, 0xFFFFFFFB, fx.Uint32, 11, "CF31EA29 28E69150 1108185B 299EFCE2"),
    (fx.Uint64, 0x0123456789ABCDEF, fx.Uint32, 3, "AC3078F0 7FBE88A2 0848E918 FE13862D"),
    (fx.Int32, 7, fx.Uint64, (1 << 32) + 3, "27ECE1AE AFD1D392 C37D2005 9CD3C6FF"),
    (fx.Uint64, (1 << 40) + 9, fx.Uint64, (1 << 33) + 1, "D8D261FD C5AE4204 AD5A998D 41081D5A"),
]
UNIFORM = {(0, 0): "3F4C4FD1 3E74B1D3 3F0750A6 3F49FE47", (7, 12345): "3F16C770 3E8A7DEF 3D058D17 3F68C669"}
NORMAL = {(0, 0): (0.0465515, 0.669995, 0.274198, -1.09543), (7, 12345): (-0.132116, 1.02043, 2.20288, -1.41206)}
WIDE = [
    (0, (0, 0, 0, 0), "16554D9ECA36314C DB20FE9D672D0FDC D7E772CEE186176B 7E68B68AEC7BA23B"),
    (
        0x89ABCDEF01234567,
        (2**64 - 1, 0x123456789ABCDEF0, 0x0FEDCBA987654321, 7),
        "FE5E77F6A0CCBEF0 7EB11B8C336CCF3A D56937042EC0DB4C 8C28768812B2DEFF",
    ),
]


def bits(text: str, kind: Any = np.uint32) -> np.ndarray:
    return np.array([int(word, 16) for word in text.split()], kind)


@flyc.kernel
def words(seed: fx.Int64, offset: fx.Int64, types: fx.Constexpr, out: fx.Tensor, rounds: fx.Constexpr[int]):
    four = fx.random.randint4x(types[0](seed), types[1](offset), rounds)
    for k in fx.range_constexpr(4):
        out[k] = fx.Uint32(four[k])
    out[4] = fx.random.randint(types[0](seed), types[1](offset), rounds)


@flyc.jit
def run_words(seed: fx.Int64, offset: fx.Int64, types: fx.Constexpr, out: fx.Tensor, rounds: fx.Constexpr[int] = 10):
    words(seed, offset, types, out, rounds).launch(grid=1, block=1)


def signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


@pytest.mark.parametrize(("seed_type", "seed", "offset_type", "offset", "expected"), WORDS)
def test_words_are_the_recorded_ones(seed_type: Any, seed: int, offset_type: Any, offset: int, expected: str) -> None:
    known = fx.random.randint4x(seed_type(seed), offset_type(offset))
    assert [word.value for word in known] == bits(expected).tolist()
    out = np.zeros(5, np.uint32)
    run_words(signed(seed), signed(offset), (seed_type, offset_type), out)
    np.testing.assert_array_equal(out, [*bits(expected), bits(expected)[0]])


def test_fewer_rounds_are_other_words() -> None:
    out = np.zeros(5, np.uint32)
    run_words(7, 12345, (fx.Int32, fx.Int32), out, 6)
    np.testing.assert_array_equal(out[:4], bits("DB53F2D7 E98B4AF5 DD6EA619 84AF86E6"))


@flyc.kernel
def wide_words(seed: fx.Uint64, counter: fx.Tensor, out: fx.Tensor):
    four = universal.philox(seed, counter[0], counter[1], counter[2], counter[3])
    for k in fx.range_constexpr(4):
        out[k] = fx.Uint64(four[k])


@flyc.jit
def run_wide_words(seed: fx.Uint64, counter: fx.Tensor, out: fx.Tensor):
    wide_words(seed, counter, out).launch(grid=1, block=1)


@pytest.mark.parametrize(("seed", "counter", "expected"), WIDE)
def test_words_of_64_bits(seed: int, counter: tuple[int, ...], expected: str) -> None:
    known = universal.philox(fx.Uint64(seed), *map(fx.Uint64, counter))
    assert [word.value for word in known] == bits(expected, np.uint64).tolist()
    out = np.zeros(4, np.uint64)
    run_wide_words(seed, np.array(counter, np.uint64), out)
    np.testing.assert_array_equal(out, bits(expected, np.uint64))


@flyc.kernel
def fill(seed: fx.Int32, first: fx.Int32, uniform: fx.Tensor, normal: fx.Tensor):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    a, b = fx.random.rand4x(seed, first + i), fx.random.randn4x(seed, first + i)
    for k in fx.range_constexpr(4):
        uniform[i, k], normal[i, k] = a[k], b[k]
    uniform[i, 4], normal[i, 4] = fx.random.rand(seed, first + i), fx.random.randn(seed, first + i)


@flyc.jit
def run_fill(seed: fx.Int32, first: fx.Int32, uniform: fx.Tensor, normal: fx.Tensor, blocks: fx.Int32):
    fill(seed, first, uniform, normal).launch(grid=blocks, block=64)


@pytest.mark.parametrize("place", UNIFORM)
def test_floats_are_the_recorded_ones(place: tuple[int, int]) -> None:
    uniform, normal = np.zeros((64, 5), np.float32), np.zeros((64, 5), np.float32)
    run_fill(*place, uniform, normal, 1)
    expected = bits(UNIFORM[place]).view(np.float32)
    np.testing.assert_array_equal(uniform[0], [*expected, expected[0]])
    np.testing.assert_allclose(normal[0], [*NORMAL[place], NORMAL[place][0]], rtol=1e-3)
    known = [x.value for x in fx.random.rand4x(*place)]
    np.testing.assert_allclose(known, expected, rtol=1e-6)


def test_numbers_have_their_distributions() -> None:
    uniform, normal = np.zeros((4096, 5), np.float32), np.zeros((4096, 5), np.float32)
    run_fill(11, 3, uniform, normal, 64)
    numbers = np.sort(uniform[:, :4].ravel())
    assert 0 <= numbers[0] < numbers[-1] < 1
    count = len(numbers)
    assert np.abs(numbers - (np.arange(count) + 0.5) / count).max() < 1.63 / np.sqrt(count)  # Kolmogorov, 1 %
    values = normal[:, :4].ravel().astype(np.float64)
    assert abs(values.mean()) < 4 / np.sqrt(count)
    assert abs(values.var() - 1) < 4 * np.sqrt(2 / count)
    assert len(np.unique(uniform[:, 0])) > 4090


def test_extreme_words_are_inside_of_the_interval() -> None:
    ends = [universal.uint_to_uniform_float(fx.Uint32(word)).value for word in (0, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)]
    assert ends == [0.0, np.uint32(0x3F7FFFFF).view(np.float32), np.uint32(0x3F7FFFFF).view(np.float32), 0.0]


def test_what_is_no_seed_or_counter_is_refused() -> None:
    assert re.fullmatch(r"rand(int|n)?(4x)?( rand(int|n)?(4x)?){5}", " ".join(fx.random.__all__))
    assert not hasattr(fx.random, "philox")
    with pytest.raises(FrontendError, match="randint4x needs integers, found Float32"):
        fx.random.rand(1, 2.5)
    with pytest.raises(FrontendError, match="n_rounds is a number of rounds known while tracing, from 1, found 0"):
        fx.random.rand(1, 2, 0)
    with pytest.raises(NotImplementedError, match="words of 32 and 64 bits, found Int8"):
        universal.philox(1, fx.Int8(1), 0, 0, 0)
