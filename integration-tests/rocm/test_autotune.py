"""Candidates for AMD GPUs compared without one: by counts of the simulator, and by the code alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.autotune import Autotuner, Config, do_bench
from flydsl.plugins.active.stack import device_runtime
from flydsl_hipsim.bench import HipsimBench


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor, STRIDE: fx.Constexpr[int], TIMES: fx.Constexpr[int]):
    i = fx.thread_idx.x
    for _ in fx.range_constexpr(TIMES):
        y[i * STRIDE % 4096] = x[i * STRIDE % 4096] + y[i]


@flyc.jit
def copy(x: fx.Tensor, y: fx.Tensor, STRIDE: fx.Constexpr[int], TIMES: fx.Constexpr[int] = 1):
    copy_kernel(x, y, STRIDE, TIMES).launch(grid=1, block=64)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CACHE_DIR", str(tmp_path))


def tuner() -> Autotuner:
    """Candidates whose code is as long, but touches more memory, or longer."""
    return Autotuner(
        copy, [Config(STRIDE=37, TIMES=1), Config(STRIDE=1, TIMES=3), Config(STRIDE=1)], restore_value=["y"]
    )


@pytest.mark.parametrize("chip", ["gfx942", "gfx1201"])
def test_the_simulator_counts(hipsim: HipsimBench, chip: str, capsys: pytest.CaptureFixture[str]) -> None:
    hipsim.use(chip)
    assert device_runtime().device_info(0).compute_units > 0
    x = np.arange(4096, dtype=np.float32)
    y = np.ones_like(x)
    tuned = tuner()
    assert tuned.resolve_config(x, y).to_dict() == {"STRIDE": 1}
    assert (y == 1).all()
    assert "128-byte segments and bank conflicts (simulated)" in capsys.readouterr().out
    one = do_bench(lambda: copy(x, y, 1))
    assert one == do_bench(lambda: copy(x, y, 1)) > 0
    assert do_bench(lambda: [copy(x, y, 1), copy(x, y, 1)]) == 2 * one


def test_without_a_device_the_code_is_compared(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flydsl.autotune.bench.has_device", lambda: False)
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "gfx942")
    x = np.arange(4096, dtype=np.float32)
    tuned = Autotuner(copy, [Config(STRIDE=1, TIMES=3), Config(STRIDE=1, waves_per_eu=2), Config(STRIDE=1, TIMES=2)])
    assert tuned.resolve_config(x, x.copy()).to_dict() == {"STRIDE": 1, "waves_per_eu": 2}
    assert "there is no device: candidates are compared by their machine code" in capsys.readouterr().out
