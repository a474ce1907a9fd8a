"""The template of a plugin as a pip package: its wheel is built, and its passes run in a kernel of a simulated chip."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core")

PROGRAM = """
import fast_passes
import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl_hipsim

flydsl_hipsim.install("gfx1100")


@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] + 1.0


PLUGIN = fast_passes.PLUGIN


@flyc.jit(
    llvm_pass_pipeline="count-loads,default<O2>",
    llvm_pass_plugins=[PLUGIN],
    llvm_codegen_passes="nop-sled@pre-emit2",
    llvm_codegen_plugins=[PLUGIN],
)
def add_one(x: fx.Tensor, y: fx.Tensor):
    kernel(x, y).launch(grid=1, block=64)


x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
add_one(x, y)
assert np.array_equal(y, x + 1)
isa = add_one.trace(x, y).lower().compile().disassemble()
assert [line.split()[0] for line in isa.splitlines() if line.startswith(" ")][:3] == ["s_nop"] * 3, isa
"""


def test_the_wheel_of_the_template_holds_a_plugin_that_runs(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    project = tmp_path / "fast_passes"

    def run(*words: str, folder: Path = tmp_path) -> None:
        done = subprocess.run(
            [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("-m", "flydsl_mlir.sdk", "new", str(project))
    run("-c", "from scikit_build_core.build import build_wheel; build_wheel('dist')", folder=project)
    (wheel,) = (project / "dist").glob("fast_passes-0.1.0-py3-none-*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path / "installed")
    environment["PYTHONPATH"] += os.pathsep + str(tmp_path / "installed")
    environment["FLYDSL_COMPILE_BACKEND"] = "rocm"
    (tmp_path / "program.py").write_text(PROGRAM)
    run("program.py")
