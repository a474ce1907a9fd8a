"""Plugin settings that name devices, FIFOs and folders: an error that names the variable and the value, at once."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError


@pytest.mark.parametrize("variable", ["FLYDSL_COMPILE_LLVM_PASS_PLUGINS", "FLYDSL_COMPILE_LLVM_CODEGEN_PLUGINS"])
@pytest.mark.parametrize("file", ["/dev/zero", "/dev/full", "fifo", "folder", "missing", "sparse"])
def test_what_is_no_file_is_not_read(variable: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    with (tmp_path / "sparse").open("wb") as sparse:
        sparse.truncate(6 << 30)
    path = str(tmp_path / file)
    monkeypatch.setenv(variable, path)

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x] = 7

    @flyc.jit
    def launch(x: fx.Tensor):
        kernel(x).launch(grid=1, block=4)

    with pytest.raises(CompileError) as caught:
        launch(np.zeros(4, np.int32))
    assert f"LLVM pass plugin {path!r} cannot be read: " in str(caught.value)
    assert variable in str(caught.value)
