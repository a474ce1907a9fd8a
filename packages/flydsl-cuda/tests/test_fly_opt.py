"""`fly-opt` runs the parts of the conversion by name, and a dump shows the module behind each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.tools.fly_opt import main
from flydsl_cuda.pipeline import conversion

TEXT = """gpu.module @kernels {
  gpu.func @k(%a: i32, %b: i32) kernel {
    %q = arith.divsi %a, %b : i32
    %w = gpu.subgroup_id : index
    gpu.return
  }
}
"""


def test_a_part_of_the_conversion_runs_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kernel.mlir"
    file.write_text(TEXT)
    assert main([str(file), "--guard-divisions"]) == 0
    shown = capsys.readouterr().out
    assert ("arith.select" in shown, "gpu.subgroup_id" in shown) == (True, True)
    assert main([str(file), "--pass-pipeline=builtin.module(nvvm-expand-index-operations)"]) == 0
    shown = capsys.readouterr().out
    assert ("arith.select" in shown, "gpu.subgroup_id" in shown) == (False, False)


def test_a_dump_has_the_module_behind_each_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_DUMP_IR", "1")
    monkeypatch.setenv("FLYDSL_DUMP_DIR", str(tmp_path))

    @flyc.kernel
    def doubled(x: fx.Tensor) -> None:
        x[fx.thread_idx.x] = x[fx.thread_idx.x] * 2

    @flyc.jit
    def launch(x: fx.Tensor) -> None:
        doubled(x).launch(grid=1, block=32)

    launch.trace(np.zeros(32, np.int32), backend="cuda", arch="sm_80").lower()
    files = sorted(path.stem.partition("_")[2] for path in (tmp_path / "launch.cuda-sm_80").iterdir())
    assert {name.partition("{")[0] for name in conversion()} <= set(files)
