"""RMS normalisation of every row with the result in 8 bits, as the products that follow take it.

y = x / sqrt(mean(x^2) + epsilon) * weight is divided by a scale of its own for each row, so that the largest element
becomes the largest number of the type, and rounded to fp8 or int8. `scaled_gemm` of rocm_01_preshuffled_gemm.py takes
both. The row stays in registers; its sum of squares and its largest element are combined behind one barrier.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from rocm_rows import BLOCK, Row, add, largest, reduce_block, reduce_each
from rocm_workbench import FP8_CHIPS, choose_chip, fp8_of
from workbench import odd

import flydsl.compiler as flyc
import flydsl.expr as fx

LIMITS = {"Int8": 127.0, "Float8E4M3FN": 448.0, "Float8E4M3FNUZ": 240.0}
SMALLEST = 1e-12  # of a scale: rows of zeros stay zeros


def quantised(values: fx.Vector, dtype: type[fx.Numeric]) -> fx.Vector:
    """Numbers within the limits of an 8-bit type, rounded to the nearest, four in each Int32."""
    words: list[fx.Numeric] = []
    for i in range(0, values.numel, 4):
        if dtype is fx.Int8:
            whole = [fx.Int32(fx.roundeven(values[j])) & 0xFF for j in range(i, i + 4)]
            words.append(whole[0] | whole[1] << 8 | whole[2] << 16 | whole[3] << 24)
        else:
            low = fx.rocdl.cvt_pk_fp8_f32(values[i], values[i + 1], fx.Int32(0), False)
            words.append(fx.rocdl.cvt_pk_fp8_f32(values[i + 2], values[i + 3], low, True))
    return fx.Vector.from_elements(words, fx.Int32)


@flyc.kernel
def rmsnorm_kernel(
    x: fx.Tensor, weight: fx.Tensor, q: fx.Tensor, scales: fx.Tensor, epsilon: fx.Float32, columns: int, chip: str
) -> None:
    row, limit = fx.block_idx.x, LIMITS[q.dtype.__name__]
    row_x = Row(x[row, None], columns)
    values = row_x.load()
    weighted = values * Row(weight, columns).load()
    sums = reduce_each(values * values, add), reduce_each(fx.absf(weighted), largest)
    total, peak = reduce_block([(sums[0], add), (sums[1], largest)], chip)
    factor = fx.rocdl.rsq(total * (1 / columns) + epsilon)
    scale = largest(peak * factor * (1 / limit), fx.Float32(SMALLEST))
    if fx.thread_idx.x == 0:
        scales[row] = scale
    words = quantised(weighted * (factor * fx.rocdl.rcp(scale)), q.dtype)
    Row(q[row, None], columns, row_x.vector).store_bits(words)


@flyc.jit
def rmsnorm(
    x: fx.Tensor,
    weight: fx.Tensor,
    q: fx.Tensor,
    scales: fx.Tensor,
    epsilon: fx.Float32,
    columns: fx.Constexpr[int],
    chip: fx.Constexpr[str],
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """q * scales[:, None] is the normalised x; the length of its rows is a multiple of 4."""
    rmsnorm_kernel(x, weight, q, scales, epsilon, columns, chip).launch(grid=x.shape[0], block=BLOCK, stream=stream)


def check(rng: np.random.Generator, rows: int, columns: int, kind: str, dtype: str = "float16") -> None:
    """One random matrix against NumPy in float64: within half a step of the type, and scales within rounding."""
    chip = choose_chip(*FP8_CHIPS) if kind == "fp8" else choose_chip()
    x, weight = rng.standard_normal((rows, columns)).astype(dtype), rng.standard_normal(columns).astype(dtype)
    x[0] = 0
    q: Any = np.full((rows + 2, columns), 1, fp8_of(chip) if kind == "fp8" else np.int8)
    scales = np.full(rows, np.nan, np.float32)
    rmsnorm(x, weight, q[1:-1], scales, 1e-5, columns, chip)
    assert (q[0] == 1).all()
    assert (q[-1] == 1).all()

    exact = x.astype(np.float64)
    exact = exact / np.sqrt(np.mean(exact * exact, axis=1, keepdims=True) + 1e-5) * weight.astype(np.float64)
    limit = 127 if kind == "i8" else float(LIMITS["Float8E4M3FNUZ" if chip == "gfx942" else "Float8E4M3FN"])
    np.testing.assert_allclose(scales, np.maximum(np.abs(exact).max(axis=1) / limit, SMALLEST), rtol=1e-5)
    found, wanted = q[1:-1].astype(np.float64), exact / scales[:, None]
    step = 1 if kind == "i8" else np.maximum(np.abs(wanted) / 8, 2.0**-9)  # three bits behind the point; subnormals
    assert (np.abs(found - wanted) <= 0.5001 * step + 1e-4).all()


def main() -> None:
    rng = np.random.default_rng()
    for kind in ("i8", "fp8"):
        for _ in range(2):
            rows, columns = odd(rng, 60), 4 * odd(rng, 900)
            check(rng, rows, columns, kind)
            print(f"{kind}, {rows} rows of {columns}: equal to NumPy in float64, within half a step of the type")


if __name__ == "__main__":
    main()
