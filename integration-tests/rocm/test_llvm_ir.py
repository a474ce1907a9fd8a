"""`flydsl compile --emit llvm`: what LLVM gets for the kernels, as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import kernels

from flydsl.tools import compile_cli

ARGUMENTS = [word for text in ("f32(?):(1)", "f32(?):(1)", "f32", "i32") for word in ("--arg", text)]


@pytest.mark.parametrize("target, words", [("gfx942", "amdgpu_kernel"), ("gfx1201", "amdgpu_kernel")])
def test_llvm_ir_of_a_kernel_is_written(target: str, words: str, tmp_path: Path) -> None:
    output = tmp_path / "scale.ll"
    where = ["--backend", "rocm", "--target", target, "--emit", "llvm", "-o", str(output)]
    assert compile_cli.main([f"{kernels.__file__}:scale", *ARGUMENTS, *where]) == 0
    text = output.read_text()
    assert f"define {words} void @scale_kernel_0(" in text
    assert text.startswith('target triple = "amdgcn-amd-amdhsa"\n')
    assert "gpu." not in text
