"""`flydsl compile` of several functions, by the fakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.tools.compile_cli import main
from flydsl.tools.compile_many import split

SOURCE = """
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr[int]):
    x[0] = n

@flyc.jit
def fill(x: fx.Tensor, n: fx.Constexpr[int]):
    store(x, n).launch(grid=1, block=1)

@flyc.jit
def clear(x: fx.Tensor):
    store(x, 0).launch(grid=1, block=1)
"""


@pytest.fixture
def file(tmp_path: Path, fake_device: FakeToolchain) -> str:
    path = tmp_path / "several_functions.py"
    path.write_text(SOURCE)
    return str(path)


def test_arguments_belong_to_the_function_before_them() -> None:
    line = split(
        ["--arg", "f32", "a.py:f", "--arg=i32", "-j4", "--emit", "isa", "b.py:g", "--arg", "=-1", "--json", "-o", "x"]
    )
    assert line.functions == (("a.py:f", "--arg=i32", "--arg", "f32"), ("b.py:g", "--arg", "=-1"))
    assert line.common == ("-j4", "--emit", "isa", "--json", "-o", "x")
    assert split(["a.py:f", "--arg"]).functions == (("a.py:f", "--arg"),)


@pytest.mark.parametrize("jobs", [1, 2])
def test_each_stage_is_a_file_of_a_folder(
    file: str, tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if jobs > 1:  # workers in this process know the fakes
        monkeypatch.setattr(
            "flydsl.tools.compile_many.processes", __import__("concurrent.futures").futures.ThreadPoolExecutor
        )
    folder = tmp_path / "out"
    words = [f"{file}:fill", "--arg", "i32[4]", "--arg", "=7", f"{file}:clear", "--arg", "i32[4]"]
    words += [f"{file}:fill", "--arg", "i32[4]", "--arg", "=8", "--emit", "fly", "-o", str(folder), "-j", str(jobs)]
    assert main(words) == 0
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    names = ("fill", "clear", "fill-2")
    assert texts.keys() == {f"several_functions.{name}.fly.mlir" for name in names}
    assert ["value = 7" in texts[f"several_functions.{name}.fly.mlir"] for name in names] == [True, False, False]
    assert "value = 8" in texts["several_functions.fill-2.fly.mlir"]


def test_text_is_printed_in_the_order_of_the_line(file: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main([f"{file}:clear", "--arg", "i32[4]", f"{file}:fill", "--arg", "i32[4]", "--arg", "=3"]) == 0
    heads = [line for line in capfdbinary.readouterr().out.decode().splitlines() if line.startswith("// ")]
    assert heads == [f"// {file}:clear --arg i32[4]", f"// {file}:fill --arg i32[4] --arg =3"]


def test_an_error_is_that_of_its_function(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{file}:clear", "--arg", "i32[4]", f"{file}:fill", "--arg", "i32[4]"]) == 1
    shown = capsys.readouterr()
    assert shown.err == (f"error: {file}:fill --arg i32[4]: parameter 'n' has no --arg; give one for each parameter\n")
    assert f"// {file}:clear" in shown.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--emit", "object"], "--emit object of several functions is a file each: name a folder with -o"),
        (["--report", "--json"], "--json of several functions is a file each: name a folder with -o"),
        (["--report", "--against", "x"], "--against compares the report of one function: name one"),
        (["--json"], "--json and --against belong to --report"),
        (["-j", "0"], "--jobs is at least 1, found 0"),
    ],
)
def test_what_several_functions_cannot_have(
    file: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{file}:clear", f"{file}:fill", *options]) == 1
    assert capsys.readouterr().err == f"error: {message}\n"
