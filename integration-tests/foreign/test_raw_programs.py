"""Kernels written as elsewhere, with helpers, hints and raw values: the numbers of NumPy on every target."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import ml_dtypes
import numpy as np
import pytest

Corpus = Callable[[str], ModuleType]


@pytest.fixture
def rows(corpus: Corpus) -> ModuleType:
    return corpus("rows")


@pytest.fixture
def program(corpus: Corpus) -> ModuleType:
    return corpus("program")


@pytest.fixture
def atoms(corpus: Corpus) -> ModuleType:
    return corpus("atoms")


def test_softmax_with_carried_values(rows: ModuleType, rng: np.random.Generator) -> None:
    x = (5 * rng.standard_normal((7, 101))).astype(np.float32)
    y = np.zeros_like(x)
    rows.softmax(x, y, 101)
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, exact / exact.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("has_weight", [False, True])
def test_norms_of_shapes_that_are_part_of_a_type(rows: ModuleType, rng: np.random.Generator, has_weight: bool) -> None:
    x, weight = rng.standard_normal((5, 77)).astype(np.float16), rng.standard_normal(77).astype(np.float32)
    y = np.zeros_like(x)
    rows.rms_norm(x, weight, y, rows.Shape(77, has_weight, 1e-5))
    wide = x.astype(np.float64)
    exact = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * (weight if has_weight else 1)
    np.testing.assert_allclose(y, exact, rtol=2e-3, atol=1e-4)


def test_rows_as_bytes_with_scales(rows: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal((6, 45)).astype(np.float32)
    x[2] = 0
    q, scales = np.zeros((6, 45), np.int8), np.zeros(6, np.float32)
    rows.quantised(x, q, scales)
    np.testing.assert_allclose(scales, np.where(x.any(1), np.abs(x).max(1) / 127, 1), rtol=1e-6)
    assert (np.abs(q * scales[:, None].astype(np.float64) - x) <= 0.501 * scales[:, None]).all()


@pytest.mark.parametrize("is_causal", [False, True])
def test_attention_with_a_corrected_softmax(rows: ModuleType, rng: np.random.Generator, is_causal: bool) -> None:
    q, k, v = (rng.standard_normal((19, 32)).astype(np.float32) for _ in range(3))
    out = np.zeros_like(q)
    rows.attention(q, k, v, out, is_causal=is_causal)
    scores = q.astype(np.float64) @ k.T / np.sqrt(32)
    scores[np.triu(np.full((19, 19), is_causal), 1)] = -np.inf
    weights = np.exp(scores - scores.max(1, keepdims=True))
    np.testing.assert_allclose(out, weights / weights.sum(1, keepdims=True) @ v, rtol=1e-4, atol=1e-5)


def test_the_best_column_as_a_key(rows: ModuleType, rng: np.random.Generator) -> None:
    x = rng.integers(-20, 20, (9, 53)).astype(np.float32)
    x[4] = -(x[4] ** 2) - 1
    found = np.zeros(9, np.int32)
    rows.best_column(x, found)
    np.testing.assert_array_equal(found, x.argmax(1))


@pytest.mark.parametrize("name", ["f16", "bf16", "f32"])
def test_launchers_from_a_factory(program: ModuleType, rng: np.random.Generator, name: str) -> None:
    dtype = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32}[name]
    x = rng.standard_normal(1004).astype(dtype)
    y = np.zeros_like(x)
    program.run_hinted(program.build_scale(name), x, y, 1.5)
    np.testing.assert_array_equal(y, (x.astype(np.float64) * 1.5).astype(np.float32).astype(dtype))


def test_classes_of_the_host_and_of_the_kernel(program: ModuleType, rng: np.random.Generator) -> None:
    x = rng.uniform(-1, 1, 75).astype(np.float32)
    y = np.zeros_like(x)
    program.Pipeline(2).launcher((0.5, -0.25, 0.125))(x, y)

    def polynomial(value: np.ndarray) -> np.ndarray:
        return 0.5 - 0.25 * value + 0.125 * value**2

    np.testing.assert_allclose(y, polynomial(polynomial(x.astype(np.float64))), rtol=1e-6)


def test_poison_that_nobody_uses(program: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(75).astype(np.float32)
    y = np.full(75, 7, np.float32)
    program.guarded(x, y)
    np.testing.assert_array_equal(y, np.maximum(x, 0))


def test_integers_of_several_widths(program: ModuleType, rng: np.random.Generator) -> None:
    x = rng.integers(-(2**31), 2**31, 41).astype(np.int32)
    y = np.zeros_like(x)
    program.integers(x, y)
    high = (x.view(np.uint32).astype(np.uint64) * np.uint64(2654435761) >> np.uint64(32)).astype(np.uint32)
    np.testing.assert_array_equal(y.view(np.uint32), high + x.view(np.uint32) * np.uint32(3) + np.uint32(1))


def test_casts_of_tensors_and_indices(program: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(43).astype(np.float32)
    y = np.zeros_like(x)
    program.cast(x, y)
    np.testing.assert_array_equal(y, x)
    program.nothing(x)


def test_single_calls_of_copies(atoms: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(512).astype(np.float32)
    y = np.zeros_like(x)
    atoms.copied(x, y)
    np.testing.assert_array_equal(y, x * np.float32(3))


def test_copies_of_other_bits(atoms: ModuleType, rng: np.random.Generator) -> None:
    x = rng.standard_normal(8 * 21).astype(np.float16)
    y = np.zeros((21, 4), np.int32)
    atoms.bits(x, y)
    np.testing.assert_array_equal(y, x.view(np.int32).reshape(21, 4))


def test_single_calls_of_products(atoms: ModuleType, rng: np.random.Generator) -> None:
    a, b, c = (rng.standard_normal(29).astype(np.float32) for _ in range(3))
    exact = a.astype(np.float64) * b + c
    atoms.multiplied(a, b, c)
    np.testing.assert_allclose(c, exact, rtol=1e-5, atol=1e-6)


def test_products_of_fragments_in_stages(atoms: ModuleType, rng: np.random.Generator) -> None:
    a, b = rng.standard_normal((32, 20)).astype(np.float32), rng.standard_normal((32, 20)).astype(np.float32)
    c = np.zeros((32, 32), np.float32)
    atoms.staged(a, b, c, 5)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.T, rtol=1e-4, atol=1e-5)


def test_raw_values_are_kept_in_globals_partials_and_classes(corpus: Corpus) -> None:
    styles = corpus("styles")
    x, count = np.arange(4, dtype=np.float32), np.full(1, 5, np.int32)
    styles.kept(x, count)
    assert (x.tolist(), count.tolist()) == ([12, 1, 2, 3], [15])


def test_scopes_of_aliases(corpus: Corpus, rng: np.random.Generator) -> None:
    x = rng.standard_normal(41).astype(np.float32)
    y = np.zeros_like(x)
    corpus("styles").scoped(x, y)
    np.testing.assert_array_equal(y, 2 * x)
