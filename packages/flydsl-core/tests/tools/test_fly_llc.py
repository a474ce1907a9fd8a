"""`fly-llc`: streams, files, and messages of what fails. What LLVM does is tested in flydsl-mlir."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from flydsl.base.errors import Diagnostic, ToolchainError
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.tools.fly_llc import main

IR = 'target triple = "fake-triple"\ndefine void @f() { ret void }\n'


@pytest.fixture(autouse=True)
def toolchain(monkeypatch: pytest.MonkeyPatch) -> FakeToolchain:
    toolchain = FakeToolchain()
    monkeypatch.setattr("flydsl.toolchain.select.default_toolchain", lambda: toolchain)
    return toolchain


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "k.ll"
    file.write_text(IR)
    return file


def test_files_and_streams(
    file: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main([str(file), "-o", str(file.with_suffix(".s"))]) == 0
    assert main([str(file)]) == 0
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(IR.encode())))
    assert main(["-"]) == 0
    written = file.with_suffix(".s").read_bytes()
    assert written
    assert capfdbinary.readouterr().out == written * 2


def test_bytes_do_not_go_to_a_terminal(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main([str(file), "--filetype", "obj"]) == 1
    assert "the standard output a terminal: name a file with -o" in capsys.readouterr().err


def test_errors_are_messages(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for line in (
        ["/no/such.ll"],
        [str(file), "-o", "/no/such/k.s"],
        [str(file), "--link-arg=x"],
        [str(file), "--pass=x"],
    ):
        assert main(line) == 1
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 4
    assert all(line.startswith("fly-llc: error: ") for line in errors)


def test_diagnostics_point_into_the_file(
    file: Path, toolchain: FakeToolchain, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def codegen(*_: Any, **__: Any) -> bytes:
        raise ToolchainError("the input is not LLVM IR", [Diagnostic("error", "expected type", "module.ll", 2, 7)])

    monkeypatch.setattr(toolchain, "codegen", codegen)
    assert main([str(file)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        "fly-llc: error: the input is not LLVM IR",
        f"  {file}:2:7: error: expected type",
    ]
