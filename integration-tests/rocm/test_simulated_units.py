"""Units, conversions, lane exchanges and waits of `fx.rocdl` on every simulated chip that has them, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.one_block import N, run

import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

CDNA = ("gfx90a", "gfx942", "gfx950")
WAVE32 = ("gfx1100", "gfx1201", "gfx1250")
EVERY = (*CDNA, *WAVE32)
FP8 = {
    "gfx942": (ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz),
    **dict.fromkeys(("gfx950", "gfx1201", "gfx1250"), (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)),
}


UNITS: dict[str, tuple[Callable[[np.ndarray], np.ndarray], float, float]] = {  # definition, from, to
    "exp2": (np.exp2, -10, 10), "log": (np.log2, 0.01, 100), "rcp": (lambda x: 1 / x, 0.01, 100),
    "rsq": (lambda x: 1 / np.sqrt(x), 0.01, 100), "sqrt": (np.sqrt, 0, 100),
    "sin": (lambda x: np.sin(2 * np.pi * x), -4, 4), "cos": (lambda x: np.cos(2 * np.pi * x), -4, 4),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("chip", EVERY)
def test_a_unit_computes_its_function(chip: str, dtype: Any, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    for name, (definition, low, high) in UNITS.items():
        x = rng.uniform(low, high, N).astype(dtype)
        found = run(lambda i, v, name=name: getattr(fx.rocdl, name)(v), x, np.zeros_like(x))
        tolerance = 4 * np.finfo(dtype).eps
        np.testing.assert_allclose(
            found, definition(x.astype(np.float64)), rtol=tolerance, atol=tolerance, err_msg=name
        )


def test_gfx1250_has_the_hyperbolic_tangent(hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use("gfx1250")
    x = rng.uniform(-4, 4, N).astype(np.float32)
    found = run(lambda i, v: fx.rocdl.tanh(v), x, np.zeros_like(x))
    np.testing.assert_allclose(found, np.tanh(x.astype(np.float64)), atol=1e-6)


def towards_zero(x: np.ndarray) -> np.ndarray:
    """As float16, rounded towards zero."""
    near = x.astype(np.float16)
    return np.where(np.abs(near.astype(np.float64)) > np.abs(x), np.nextafter(near, np.float16(0)), near)


@pytest.mark.parametrize("chip", EVERY)
def test_conversions_of_every_chip(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x = rng.standard_normal(N).astype(np.float32)
    found = run(lambda i, v: fx.rocdl.cvt_pkrtz(v, 1.5)[0], x, np.zeros(N, np.float16))
    np.testing.assert_array_equal(found, towards_zero(x))
    codes = rng.integers(-(2**31), 2**31, N).astype(np.int32)
    found = run(lambda i, v: fx.rocdl.cvt_off_f32_i4(v), codes, np.zeros(N, np.float32))
    nibble = codes & 15
    np.testing.assert_array_equal(found, (nibble - 16 * (nibble > 7)) / 16)


@pytest.mark.parametrize("chip", FP8)
@pytest.mark.parametrize("kind", [0, 1])
def test_bytes_go_where_they_are_asked_for(chip: str, kind: int, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    name, dtype = ("fp8", "bf8")[kind], FP8[chip][kind]
    x = rng.standard_normal(N).astype(np.float32)
    pack, unpack = getattr(fx.rocdl, f"cvt_pk_{name}_f32"), getattr(fx.rocdl, f"cvt_pk_f32_{name}")
    high = run(lambda i, v: pack(v, -v, 0x01020304, True), x, np.zeros(N, np.int32)).view(np.uint8).reshape(N, 4)
    expected = np.stack([x, -x], axis=1).astype(dtype).view(np.uint8)
    np.testing.assert_array_equal(high, np.concatenate([np.tile(np.uint8([4, 3]), (N, 1)), expected], axis=1))
    codes = rng.integers(0, 256, (N, 4)).astype(np.uint8)
    second = run(lambda i, v: unpack(v, True)[1], codes.view(np.int32).ravel(), np.zeros(N, np.float32))
    np.testing.assert_array_equal(second, codes[:, 3].copy().view(dtype).astype(np.float32))


@pytest.mark.parametrize("chip", FP8)
@pytest.mark.parametrize("kind", [0, 1])
def test_stochastic_rounding_gives_a_neighbour(
    chip: str, kind: int, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    name, dtype = ("fp8", "bf8")[kind], FP8[chip][kind]
    x = rng.uniform(0.5, 8, N).astype(np.float32)
    convert = getattr(fx.rocdl, f"cvt_sr_{name}_f32")
    found = run(lambda i, v: convert(v, i * 0x01234567, 0, 2), x, np.zeros(N, np.int32))
    values = (found >> 16).astype(np.uint8).view(dtype).astype(np.float64)
    step = 2.0 ** (np.floor(np.log2(x)) - (3 if name == "fp8" else 2))
    assert (np.abs(values - x) < step).all()
    assert 0.2 < np.mean(values > x) < 0.8
    np.testing.assert_array_equal(found & ~0xFF0000, 0)


def swapped(a: np.ndarray, b: np.ndarray, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Odd rows of `lanes` lanes of a exchanged with even ones of b."""
    a, b = a.reshape(-1, 2, lanes).copy(), b.reshape(-1, 2, lanes).copy()
    a[:, 1], b[:, 0] = b[:, 0].copy(), a[:, 1].copy()
    return a.ravel(), b.ravel()


@pytest.mark.parametrize(
    ("chip", "lanes"), [("gfx950", 16), ("gfx1250", 16), ("gfx950", 32)], ids=lambda value: str(value)
)
def test_rows_of_lanes_are_swapped(chip: str, lanes: int, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    word = getattr(fx.rocdl, f"permlane{lanes}_swap")
    x = np.arange(N, dtype=np.int32)
    expected = swapped(x, x + 1000, lanes)
    for part in range(2):
        found = run(lambda i, v, part=part: word(v, v + 1000)[part], x, np.zeros_like(x))
        np.testing.assert_array_equal(found, expected[part])


@pytest.mark.parametrize("chip", WAVE32)
def test_lanes_of_the_other_row_are_picked(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    picks = rng.integers(0, 16, 16)
    low, high = (int(sum(int(pick) << 4 * k for k, pick in enumerate(half))) for half in (picks[:8], picks[8:]))
    low, high = (word - (1 << 32) if word >> 31 else word for word in (low, high))
    x = np.arange(N, dtype=np.int32)
    found = run(lambda i, v: fx.rocdl.permlanex16(v, v, low, high, False, False), x, np.zeros_like(x))
    rows = x.reshape(-1, 2, 16)
    np.testing.assert_array_equal(found.reshape(-1, 2, 16), rows[:, ::-1][:, :, picks])


def everything(chip: str) -> None:
    """Words that change when instructions are issued, and nothing that they compute."""
    fx.rocdl.s_waitcnt(vmcnt=0, lgkmcnt=0)
    fx.rocdl.s_nop(3)
    fx.rocdl.s_sleep(1)
    fx.rocdl.s_setprio(2)
    fx.rocdl.s_barrier()
    fx.rocdl.sched_barrier(fx.rocdl.mask_dsrd | fx.rocdl.mask_dswr)
    fx.rocdl.sched_group_barrier(fx.rocdl.mask_vmem_rd, 1, 0)
    for word in ("sched_mfma", "sched_vmem", "sched_dsrd", "sched_dswr"):
        getattr(fx.rocdl, word)(1)
    if chip not in EVERY[:4]:
        fx.rocdl.s_wait_loadcnt(0)
        fx.rocdl.s_wait_storecnt(0)
        fx.rocdl.s_wait_dscnt(0)
        fx.rocdl.s_wait_kmcnt(0)
    if chip == "gfx1250":
        fx.rocdl.s_wait_asynccnt(0)
        fx.rocdl.s_wait_tensorcnt(0)
    if chip in CDNA[1:]:
        fx.rocdl.asyncmark()
        fx.rocdl.wait_asyncmark(0)


@pytest.mark.parametrize("chip", EVERY)
def test_waits_and_schedules_change_no_result(chip: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x = rng.standard_normal(N).astype(np.float32)

    def body(i: Any, v: Any) -> Any:
        everything(chip)
        return v * 2

    np.testing.assert_array_equal(run(body, x, np.zeros_like(x)), 2 * x)


def test_iglp_lets_llvm_interleave(hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use("gfx942")
    x = rng.standard_normal(N).astype(np.float32)

    def body(i: Any, v: Any) -> Any:
        fx.rocdl.iglp_opt(0)
        return v + 1

    np.testing.assert_array_equal(run(body, x, np.zeros_like(x)), x + 1)
