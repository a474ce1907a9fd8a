"""`fly-opt` runs the rewrites by name, and a dump shows the module behind each, all that the next one needs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.tools.fly_opt import main
from flydsl_cpu.pipeline import KERNELS, LOWERING


@flyc.kernel
def summed(x: fx.Tensor, out: fx.Tensor) -> None:
    tile = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 64]).view(fx.make_layout(64, 1))
    thread = fx.thread_idx.x
    assert x[thread] > 0.0, "positive"
    tile[thread] = x[thread]
    fx.gpu.barrier()
    total = tile[63 - thread]
    for distance in fx.range_constexpr(3):
        total = total + total.shuffle_xor(1 << distance, 32)
    out[thread] = total


@flyc.jit
def launch(x: fx.Tensor, out: fx.Tensor) -> None:
    summed(x, out).launch(grid=1, block=64)


@pytest.fixture
def dump(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """The dumped files of a kernel with an assertion, shared memory and a reduction, by the name of the pass."""
    monkeypatch.setenv("FLYDSL_DUMP_IR", "1")
    monkeypatch.setenv("FLYDSL_DUMP_DIR", str(tmp_path))
    x = np.zeros(64, np.float32)
    launch.trace(x, x, backend="cpu", arch="x86-64-v4").lower()
    files = sorted((tmp_path / "launch.cpu-x86-64-v4").iterdir())
    return {path.stem.partition("_")[2]: path for path in files}


def test_a_dump_has_the_module_behind_each_rewrite(dump: dict[str, Path]) -> None:
    assert {name.partition("{")[0] for name in LOWERING} <= {name.partition("{")[0] for name in dump}
    assert '"cpu.shared_address"' in dump["cpu-lower-shared-memory"].read_text()
    assert '"cpu.butterfly"' in dump["cpu-unite-butterflies"].read_text()
    assert '"cpu.' not in dump["cpu-thread-loops"].read_text()


@pytest.mark.parametrize("index", range(1, KERNELS.index("cpu-thread-loops") + 1))
def test_a_text_holds_all_that_the_next_rewrite_needs(
    dump: dict[str, Path], after: Callable[..., str], index: int
) -> None:
    before, name = KERNELS[index - 1 : index + 1]
    assert after(dump[before].read_text(), name).split() == dump[name].read_text().split()


def test_a_rewrite_runs_alone(dump: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(dump["cpu-mark-uniform-results"]), "--cpu-unite-butterflies"]) == 0
    assert "cpu.butterfly" in capsys.readouterr().out
