"""`flydsl compile FILE:FUNCTION` on files that import what stands beside them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flydsl.tools import compile_cli

ROW = "f32(?,?):(?{i64},1)"


def test_a_file_imports_what_stands_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "neighbour_of_kernels.py").write_text("FACTOR = 3.0\n")
    (tmp_path / "kernels_with_neighbour.py").write_text(
        "import flydsl.compiler as flyc\n"
        "import flydsl.expr as fx\n"
        "from neighbour_of_kernels import FACTOR\n\n\n"
        "@flyc.kernel\n"
        "def scale_kernel(x: fx.Tensor):\n"
        "    x[fx.thread_idx.x, 0] = x[fx.thread_idx.x, 0] * FACTOR\n\n\n"
        "@flyc.jit\n"
        "def scale(x: fx.Tensor):\n"
        "    scale_kernel(x).launch(grid=1, block=32)\n"
    )
    output = tmp_path / "scale.mlir"
    where = [f"{tmp_path / 'kernels_with_neighbour.py'}:scale", "--arg", ROW, "--backend", "cpu", "-o", str(output)]
    assert compile_cli.main([*where, "--emit", "fly"]) == 0
    assert "3.000000e+00" in output.read_text()


def test_several_functions_are_compiled_by_processes(tmp_path: Path):
    (tmp_path / "several_kernels.py").write_text(
        "import flydsl.compiler as flyc\n"
        "import flydsl.expr as fx\n\n\n"
        "@flyc.kernel\n"
        "def scale_kernel(x: fx.Tensor, factor: fx.Constexpr[float]):\n"
        "    x[fx.thread_idx.x] = x[fx.thread_idx.x] * factor\n\n\n"
        "@flyc.jit\n"
        "def scale(x: fx.Tensor, factor: fx.Constexpr[float]):\n"
        "    scale_kernel(x, factor).launch(grid=1, block=32)\n\n\n"
        "@flyc.jit\n"
        "def double(x: fx.Tensor):\n"
        "    scale_kernel(x, 2.0).launch(grid=1, block=32)\n"
    )
    name, folder = str(tmp_path / "several_kernels.py"), tmp_path / "ir"
    words = [f"{name}:scale", "--arg", "f32[32]", "--arg", "=3.0", f"{name}:double", "--arg", "f32[32]"]
    assert compile_cli.main([*words, "--backend", "cpu", "--emit", "fly", "-o", str(folder), "-j", "2"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == [
        "several_kernels.double.fly.mlir",
        "several_kernels.scale.fly.mlir",
    ]
    assert "2.000000e+00" in (folder / "several_kernels.double.fly.mlir").read_text()
    assert "3.000000e+00" in (folder / "several_kernels.scale.fly.mlir").read_text()
