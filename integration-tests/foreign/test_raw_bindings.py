"""Kernels that use raw bindings beside the language: the numbers of NumPy on every target."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from support.sparse import sparse

Corpus = Callable[[str], ModuleType]


@pytest.fixture
def vectors(corpus: Corpus) -> ModuleType:
    return corpus("vectors")


@pytest.fixture
def atomics(corpus: Corpus) -> ModuleType:
    return corpus("atomics")


@pytest.fixture
def shared(corpus: Corpus) -> ModuleType:
    return corpus("shared")


def test_vectors_by_address(vectors: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(3 * 256).astype(np.float32)
    y = np.zeros_like(x)
    vectors.reversed_vectors(x, y)
    np.testing.assert_array_equal(y.reshape(-1, 4), 2 * x.reshape(-1, 4)[:, ::-1])


def test_numbers_that_are_said_not_to_wrap_around(vectors: ModuleType) -> None:
    threads, step = 96, (1 << 24) + 8
    x, y = sparse(4 * threads * step).view(np.float32), np.zeros((threads, 2), np.float32)
    x[5::step] = np.arange(threads) + 1
    vectors.far(x, y, step)
    np.testing.assert_array_equal(y, np.stack([x[5::step]] * 2, axis=1))


def test_bits_of_floats(vectors: ModuleType, rng: np.random.Generator) -> None:
    import ml_dtypes

    x = (rng.standard_normal(211) * 10.0 ** rng.integers(-20, 20, 211)).astype(np.float32)
    bits = np.zeros(211, np.int16)
    vectors.to_bf16(x, bits)
    np.testing.assert_array_equal(bits.view(ml_dtypes.bfloat16), x.astype(ml_dtypes.bfloat16))


def test_widened_vectors(vectors: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(512).astype(np.float16)
    y = np.zeros_like(x)
    vectors.widened(x, y)
    np.testing.assert_allclose(y, np.sqrt(x.astype(np.float64) ** 2 + 1), rtol=1e-3)


def test_bytes_of_words(vectors: ModuleType, rng: np.random.Generator) -> None:
    x = rng.integers(-(2**31), 2**31, 37).astype(np.int32)
    y = np.zeros_like(x)
    vectors.packed_bytes(x, y)
    np.testing.assert_array_equal(y, x.byteswap())


def test_reductions_of_vectors(vectors: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(8 * 13).astype(np.float32)
    y = np.zeros((13, 2), np.float32)
    vectors.fast_sum(x, y)
    rows = x.reshape(13, 8).astype(np.float64)
    np.testing.assert_allclose(y[:, 0], rows.sum(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(y[:, 1], rows.max(1).astype(np.float32))


def test_counts_by_atomic_addition(atomics: ModuleType, rng: np.random.Generator) -> None:
    x = rng.integers(0, 17, 1003).astype(np.int32)
    counts = np.zeros(17, np.int32)
    atomics.histogram(x, counts)
    np.testing.assert_array_equal(counts, np.bincount(x, minlength=17))


def test_sums_of_floats_by_atomic_addition(atomics: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal((9, 61)).astype(np.float32)
    sums = np.zeros(61, np.float32)
    atomics.column_sums(x, sums)
    np.testing.assert_allclose(sums, x.astype(np.float64).sum(0), rtol=1e-5, atol=1e-5)


def test_every_value_that_is_exchanged_is_seen_once(atomics: ModuleType) -> None:
    places, seen = np.zeros(1, np.int32), np.zeros(256, np.int32)
    atomics.exchanged(places, seen)
    np.testing.assert_array_equal(np.sort([*seen, places[0]]), np.arange(257))


def test_the_last_block_adds_up(atomics: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal((13, 29)).astype(np.float32)
    parts, ticket, total = np.zeros(13, np.float32), np.zeros(1, np.int32), np.zeros(1, np.float32)
    atomics.last_block(x, parts, ticket, total)
    np.testing.assert_allclose(total, x.astype(np.float64).sum(), rtol=1e-5, atol=1e-5)
    assert ticket == 13


def test_tiles_turn_in_shared_memory(shared: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal((48, 32)).astype(np.float32)
    y = np.zeros((32, 48), np.float32)
    shared.transposed(x, y)
    np.testing.assert_array_equal(y, x.T)


def test_addresses_of_shared_memory(shared: ModuleType, rng: np.random.Generator) -> None:
    x = rng.integers(-(2**31), 2**31, 192).astype(np.int32)
    y = np.zeros_like(x)
    shared.turned(x, y)
    np.testing.assert_array_equal(y.reshape(-1, 64), x.reshape(-1, 64)[:, ::-1])


def test_sums_in_shared_memory(shared: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal((5, 64)).astype(np.float32)
    sums = np.zeros(5, np.float32)
    shared.block_sums(x, sums)
    np.testing.assert_allclose(sums, x.astype(np.float64).sum(1), rtol=1e-5, atol=1e-5)


def test_a_product_through_shared_memory(shared: ModuleType, rng: np.random.Generator) -> None:
    a, b = rng.standard_normal((32, 48)).astype(np.float32), rng.standard_normal((48, 16)).astype(np.float32)
    c = np.zeros((32, 16), np.float32)
    shared.product(a, b, c, 48)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-4)
