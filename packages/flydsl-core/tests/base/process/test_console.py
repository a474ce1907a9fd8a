"""Error streams that are closed, full or missing."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flydsl.base.process.console import columns, is_terminal, tell


class Full(io.StringIO):
    """A stream whose device is full."""

    def write(self, text: str) -> int:
        raise OSError(28, "no space left on device")


def closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


@pytest.mark.parametrize("stream", [None, closed(), Full(), io.StringIO()], ids=["none", "closed", "full", "text"])
def test_nothing_that_is_told_is_an_error(stream: io.StringIO | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    tell("a line\n")
    assert not is_terminal()
    assert columns() == 80
    if isinstance(stream, io.StringIO) and not isinstance(stream, Full) and not stream.closed:
        assert stream.getvalue() == "a line\n"


PROGRAM = """
import os, sys
for number in {closed}:
    os.close(number)
for name in {none}:
    setattr(sys, name, None)
    setattr(sys, "__" + name + "__", None)
import numpy as np, flydsl.compiler as flyc, flydsl.expr as fx

@flyc.kernel
def kernel(x: fx.Tensor):
    x[fx.thread_idx.x] = 7

@flyc.jit
def launch(x: fx.Tensor):
    kernel(x).launch(grid=1, block=4)

x = np.zeros(4, np.int32)
launch(x)
open(sys.argv[1], "w").write(str(x.tolist()))
"""


@pytest.mark.parametrize(
    ("closed", "none"), [((), ("stderr",)), ((), ("stdout", "stderr")), ((2,), ()), ((0, 1, 2), ())], ids=str
)
def test_a_program_without_streams_compiles(closed: tuple[int, ...], none: tuple[str, ...], tmp_path: Path) -> None:
    pytest.importorskip("flydsl_cpu")
    settings = {"FLYDSL_TIMING": "1", "FLYDSL_DEBUG_PRINT_AFTER_ALL": "1", "FLYDSL_DEBUG_AST_DIFF": "1"}
    environment = {**os.environ, **settings, "FLYDSL_COMPILE_BACKEND": "cpu", "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path)}
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(closed=closed, none=none))
    subprocess.run(
        [sys.executable, str(program), str(tmp_path / "out")], env=environment, capture_output=True, check=False
    )
    assert (tmp_path / "out").read_text() == "[7, 7, 7, 7]"
