"""`python -m flydsl_mlir.sdk`."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl_mlir import sdk
from flydsl_mlir.sdk.__main__ import main


def test_flags_hold_everything_but_the_sources(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flags"]) == 0
    words = capsys.readouterr().out.split()
    assert words == [*sdk.compile_flags(), *sdk.link_flags()]
    assert "-fno-rtti" in words
    assert Path(words[-1]).is_file()


def test_a_new_project_a_build_and_a_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / "mine")]) == 0
    source = tmp_path / "small.cpp"
    source.write_text('namespace llvm { int x; } extern "C" int f() { return llvm::x; }')
    assert main(["build", str(source), "-o", str(tmp_path / "a.so")]) == 0
    assert main(["check", str(tmp_path / "a.so")]) == 1  # hidden: nothing of LLVM is left
    assert main(["include-dir"]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [str(tmp_path / "mine"), str(tmp_path / "a.so"), str(sdk.include_dir())]
    assert "uses nothing of LLVM" in shown.err


def test_errors_are_messages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in (["build", "/no/such.cpp"], ["check", "/no/such.so"], ["new", str(tmp_path / "No")]):
        assert main(line) == 1
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 3
    assert all(line.startswith("flydsl_mlir.sdk: error: ") for line in errors)
