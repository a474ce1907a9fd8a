"""Products of matrices by WMMA, compiled by the backend `rocm` and run on simulated RDNA chips, equal NumPy's."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.matmul import matmul_of

import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

KINDS: dict[str, tuple[Any, Any, Any]] = {
    "f16": (fx.Float16, np.float16, np.float32),
    "bf16": (fx.BFloat16, ml_dtypes.bfloat16, np.float32),
    "i8": (fx.Int8, np.int8, np.int32),
    "fp8": (fx.Float8E4M3FN, ml_dtypes.float8_e4m3fn, np.float32),
}
CASES = [(chip, kind) for chip in ("gfx1100", "gfx1201") for kind in KINDS if (chip, kind) != ("gfx1100", "fp8")]


def operands(kind: str, m: int, n: int, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """a, b, c to be written, and the product: small whole numbers, so that it is exact."""
    _, dtype, accumulator = KINDS[kind]
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-4, 5, (extent, k)) for extent in (m, n))
    return a.astype(dtype), b.astype(dtype), np.full((m, n), 99, accumulator), (a @ b.T).astype(accumulator)


@pytest.mark.parametrize(("chip", "kind"), CASES)
def test_a_product_of_any_size(chip: str, kind: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    signs = {"signA": True, "signB": True} if kind == "i8" else {}
    matmul = matmul_of(
        lambda: fx.rocdl.WMMA(16, 16, 16, KINDS[kind][0], **signs), ((2, 2, 1), (1, 2, 1)), None, (1, 2, 1)
    )
    for size in ((1, 1, 1), (32, 64, 16), (37, 67, 41)):
        a, b, c, expected = operands(kind, *size)
        matmul(a, b, c)
        np.testing.assert_array_equal(c, expected)
