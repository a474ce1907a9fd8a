"""Every example runs on simulated AMD GPUs, the waves of a workgroup in either order, and equals NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support.examples import EXAMPLES, SIZES, load_example

from flydsl_hipsim.bench import HipsimBench

CHIPS = ("gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250", "gfx1100:wavefrontsize64+")
WITH_MFMA, WITH_WMMA = CHIPS[:2], CHIPS[2:4]


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("chip", CHIPS)
def test_an_example_equals_numpy_whatever_the_order_of_waves(name: str, chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    example = load_example(name)
    for order in ("forward", "backward"):
        hipsim.set_order(order)
        for size in SIZES[name]:
            example.check(np.random.default_rng(1), *size)


@pytest.mark.parametrize(
    ("chip", "unit", "dtype"),
    [("gfx942", "mfma", "float32"), ("gfx950", "mfma", "float32"), *[(c, "wmma", "float16") for c in WITH_WMMA]],
)
def test_the_tiled_product_on_matrix_instructions_equals_numpy(
    chip: str, unit: str, dtype: str, hipsim: HipsimBench
) -> None:
    hipsim.use(chip)
    example = load_example("03_tiled_mma")
    rng = np.random.default_rng(4)
    for order in ("forward", "backward"):
        hipsim.set_order(order)
        for m, n, k in ((1, 1, 1), (53, 37, 71)):
            a, b = (rng.standard_normal((extent, k)).astype(dtype) for extent in (m, n))
            c = np.full((m, n), np.nan, np.float32)
            example.matmul(a, b, c, unit)
            np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, rtol=1e-5, atol=1e-5 * k)


@pytest.mark.parametrize("chip", WITH_MFMA)
def test_the_staged_product_on_matrix_instructions_equals_numpy(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    example = load_example("12_tiled_gemm")
    rng = np.random.default_rng(2)
    for m, n, k in ((1, 1, 1), (64, 64, 16), (65, 63, 17), (129, 7, 255)):
        a, b = rng.standard_normal((m, k), dtype=np.float32), rng.standard_normal((k, n), dtype=np.float32)
        c = np.full((m, n), np.nan, np.float32)
        example.gemm(a, b, c, "mfma")
        np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5 * k)


@pytest.mark.parametrize("chip", WITH_MFMA)
@pytest.mark.parametrize("causal", [False, True])
def test_attention_on_matrix_instructions_equals_numpy(chip: str, causal: bool, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    example = load_example("13_attention")
    q, k, v = np.random.default_rng(3).standard_normal((3, 2, 37, 21), dtype=np.float32)
    out = np.full_like(q, np.nan)
    example.attention(*[x.transpose(1, 2, 0) for x in (q, k, v, out)], 0.25, 21, causal, "mfma")
    np.testing.assert_allclose(out, example.expected(q, k, v, 0.25, causal), rtol=1e-5, atol=1e-5)
