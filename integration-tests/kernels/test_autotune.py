"""Tuned kernels: the configuration that a search chose runs, and measured runs leave no trace."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.autotune import Config, autotune, do_bench


@flyc.kernel
def accumulate_kernel(x: fx.Tensor, y: fx.Tensor, BLOCK: fx.Constexpr[int], ITEMS: fx.Constexpr[int]):
    for item in fx.range_constexpr(ITEMS):
        i = (fx.block_idx.x * ITEMS + item) * BLOCK + fx.thread_idx.x
        if i < x.shape[0]:
            y[i] += x[i]


@flyc.jit
def accumulate(x: fx.Tensor, y: fx.Tensor, BLOCK: fx.Constexpr[int], ITEMS: fx.Constexpr[int] = 1):
    accumulate_kernel(x, y, BLOCK, ITEMS).launch(grid=fx.ceil_div(x.shape[0], BLOCK * ITEMS), block=BLOCK)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CACHE_DIR", str(tmp_path))
    return tmp_path


def test_a_search_leaves_arrays_as_they_were_and_the_call_runs_once(rng: np.random.Generator, folder: Path) -> None:
    x, y = (rng.standard_normal(1003).astype(np.float32) for _ in range(2))
    expected = y.copy()
    configs = [Config(BLOCK=32), Config(BLOCK=64, ITEMS=3), Config(BLOCK=1 << 30)]  # the last one cannot be launched
    tuned = autotune(configs, key=["x"], restore_value=["y"], warmup=1, rep=2)(accumulate)
    for call in range(2):
        tuned(x, y)
        expected += x
        np.testing.assert_array_equal(y, expected, err_msg=str(call))
    assert len(tuned.cache) == 1
    assert [path.name.partition("-")[0] for path in folder.iterdir()] == ["accumulate"]
    again = autotune(configs, key=["x"])(accumulate)
    assert again.resolve_config(x, y).to_dict() == tuned.resolve_config(x, y).to_dict()


def test_a_measurement_is_a_positive_number(rng: np.random.Generator) -> None:
    x, y = (rng.standard_normal(501).astype(np.float32) for _ in range(2))
    few, many = do_bench(lambda: accumulate(x, y, 64), 1, 3, quantiles=[0.2, 0.8])
    assert 0 < few <= many
    assert do_bench(lambda: accumulate(x, y, 64), 1, 3) > 0
