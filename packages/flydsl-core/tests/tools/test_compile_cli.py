"""`flydsl compile` by the fakes: stages, arguments, and messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.plugins.code_report import KernelReport
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.tools.compile_cli import main

SOURCE = """
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n

@flyc.jit
def fill(x: fx.Tensor, n: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    store(x, n).launch(grid=1, block=1, stream=stream)

other = 3
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "program_of_mine.py"
    path.write_text(SOURCE)
    return str(path)


ARGUMENTS = ["--arg", "i32[4]", "--arg", "i32"]


@pytest.mark.parametrize(
    ("stage", "start"), [("fly", '"builtin.module"'), ("mlir", '"builtin.module"'), ("object", "fake fake2 ")]
)
def test_a_stage_is_printed(
    fake_device: FakeToolchain, file: str, capfdbinary: pytest.CaptureFixture[bytes], stage: str, start: str
) -> None:
    assert main([f"{file}:fill", *ARGUMENTS, "--target", "fake2", "--emit", stage]) == 0
    assert capfdbinary.readouterr().out.decode().startswith(start)


def test_a_stage_is_written_to_a_file(fake_device: FakeToolchain, file: str, tmp_path: Path) -> None:
    assert main([f"{file}:fill", *ARGUMENTS, "--emit", "launcher", "-o", str(tmp_path / "out")]) == 0
    assert (tmp_path / "out").read_bytes().startswith(b"fake launcher\n")


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("{}:fill", ["--arg", "i32[4]"], "parameter 'n' has no --arg; give one for each parameter"),
        ("{}:fill", [*ARGUMENTS, "--arg", "i32"], "--arg 'i32' belongs to no parameter"),
        ("{}:other", [], "has no @flyc.jit function 'other', found an int; its @flyc.jit functions: fill"),
        ("{}:nothing", [], "has no @flyc.jit function 'nothing'; its @flyc.jit functions: fill"),
        ("{}", [], "without a function; its @flyc.jit functions: fill"),
        ("{}:fill", ["--arg", "index[4]"], "an index has no width in memory: give a tensor of i64 or i32"),
        ("{}:fill", [*ARGUMENTS, "-o", "/dev/null/x"], "Not a directory: '/dev/null/x'"),
        ("none.py:fill", [], "expected FILE:FUNCTION with an existing file, found 'none.py:fill'"),
        *[
            ("{}:fill", ["--arg", text], "is no compile-time value: behind '=' stands a number, a string")
            for text in ("=S(1.0)", "=", "=(1,2", "=" + "(" * 2000, "=1e", "={[]: 1}", "=lambda: 0")
        ],
        ("{}:fill", ["--arg", "i32[9" + "9" * 5000 + "]"], "a static shape looks like [100,1000], found"),
        ("{}:fill", ["--arg", "word", "--arg", "i32"], "--arg 'word' starts with no element type; known: bf16, "),
    ],
)
def test_mistakes_are_messages_and_1(
    fake_device: FakeToolchain,
    file: str,
    capsys: pytest.CaptureFixture[str],
    name: str,
    arguments: list[str],
    message: str,
) -> None:
    assert main([name.format(file), *arguments]) == 1
    assert message in capsys.readouterr().err


def test_bytes_are_not_written_to_a_terminal(
    fake_device: FakeToolchain, file: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main([f"{file}:fill", *ARGUMENTS, "--emit", "object"]) == 1
    out, error = capfd.readouterr()
    assert out == ""
    assert error.endswith("bytes for a file: name it with -o\n")
    assert main([f"{file}:fill", *ARGUMENTS, "--emit", "fly"]) == 0


def test_a_backend_without_reports_says_so(
    fake_device: FakeToolchain, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{file}:fill", *ARGUMENTS, "--report"]) == 1
    assert "has no report of the code for 'fake" in capsys.readouterr().err


def test_a_report_is_written_as_json_and_compared(
    fake_device: FakeToolchain,
    file: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def code_report(self: object, code: bytes, *, kernels: list[str], **_: object) -> tuple[KernelReport, ...]:
        return tuple(KernelReport(name, {"all": len(code)}) for name in kernels)

    monkeypatch.setattr(CompileBackend, "code_report", code_report)
    before = tmp_path / "before.json"
    assert main([f"{file}:fill", *ARGUMENTS, "--report", "--json", "-o", str(before)]) == 0
    assert main([f"{file}:fill", *ARGUMENTS, "--report", "--against", str(before)]) == 0
    assert "no count changed" in capfd.readouterr().out
    assert main([f"{file}:fill", *ARGUMENTS, "--report"]) == 0
    assert "  instructions " in capfd.readouterr().out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--json"], "belong to --report"),
        (["--report", "--json", "--against", "x"], "exclude each other"),
        (["--report", "--against", "none.json"], "none.json"),
    ],
)
def test_flags_of_reports_that_make_no_sense(
    fake_device: FakeToolchain, file: str, capsys: pytest.CaptureFixture[str], flags: list[str], message: str
) -> None:
    assert main([f"{file}:fill", *ARGUMENTS, *flags]) == 1
    assert message in capsys.readouterr().err
