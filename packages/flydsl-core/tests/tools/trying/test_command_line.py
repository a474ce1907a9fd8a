"""The command line of `flydsl try`."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.tools.trying.command_line import main


@pytest.mark.parametrize("line", [[], ["folder", "--of", "acme"]])
def test_a_folder_or_a_framework_is_named(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(line)
    assert caught.value.code == 2
    assert "give a folder, or --of a framework" in capsys.readouterr().err


def test_a_framework_that_no_plugin_knows_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--of", "acme"]) == 1
    assert "no installed plugin knows kernels of 'acme'" in capsys.readouterr().err


def test_a_folder_without_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path)])
    assert "has no Python files" in capsys.readouterr().err
