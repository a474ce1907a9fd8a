"""Files of the stages of a compilation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import SettingError
from flydsl.compiler.stages.dump import Dump


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)


@pytest.mark.usefixtures("fake_device")
def test_each_pass_has_a_file_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_DUMP_IR", "1")
    monkeypatch.setenv("FLYDSL_DUMP_DIR", str(tmp_path))
    traced = flyc.jit(fill).trace(np.zeros(4, np.int32), 1)
    traced.lower()
    folder = tmp_path / "fill.fake-fake1"
    names = sorted(path.name for path in folder.iterdir())
    assert names[0] == "00_origin.mlir"
    assert names[1] == "01_fly-rewrite-func-signature.mlir"
    assert [int(name[:2]) for name in names] == list(range(len(names)))
    assert (folder / names[0]).read_text() == traced.text
    flyc.jit(fill).trace(np.zeros(4, np.int32), 1)
    assert [path.name for path in folder.iterdir()] == ["00_origin.mlir"]  # a new compilation begins anew


@pytest.mark.usefixtures("fake_device")
def test_without_the_settings_nothing_is_made_or_written(tmp_path: Path) -> None:
    def fail() -> str:
        raise AssertionError("the text was made")

    Dump(tmp_path / "x").text("origin", fail)
    assert not (tmp_path / "x").exists()


def test_link_in_the_place_of_a_file_is_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_DUMP_IR", "1")
    (tmp_path / "precious").write_text("kept")
    folder = tmp_path / "dump"
    Dump(folder).text("origin", lambda: "module {}")

    def text() -> str:  # somebody else's link comes when the number is about to be chosen
        (folder / "00_cse.mlir").symlink_to(tmp_path / "precious")
        (folder / "00_origin.mlir").unlink()
        return "module {}"

    with monkeypatch.context() as patch:
        patch.setattr(Path, "glob", lambda self, pattern: iter(()))
        Dump(folder).text("cse", text)
    assert (tmp_path / "precious").read_text() == "kept"
    assert (folder / "01_cse.mlir").read_text() == "module {}"


@pytest.mark.parametrize(("variable", "stage"), [("PRINT_ORIGIN_IR", "origin"), ("PRINT_AFTER_ALL", "cse{a=1}")])
def test_stages_are_printed_where_the_settings_ask_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, stage: str
) -> None:
    monkeypatch.setenv(f"FLYDSL_DEBUG_{variable}", "1")
    for name in ("origin", "cse{a=1}"):
        Dump(tmp_path).text(name, lambda: "module {}")
    assert capsys.readouterr().err == f"// ----- after {stage} -----\nmodule {{}}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_DUMP_IR", "1")
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingError, match="FLYDSL_DUMP_DIR: no folder can be made at .*file/x"):
        Dump(tmp_path / "file" / "x").text("origin", str)
