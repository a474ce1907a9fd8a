"""What torch runs when it is imported."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import flydsl_torch
import pytest

from flydsl.base.references import resolve_reference
from flydsl.torch import interception
from flydsl.torch.autoload import autoload


def other_flydsl(folder: Path) -> str:
    """A folder with another package `flydsl`."""
    (folder / "flydsl").mkdir()
    (folder / "flydsl/__init__.py").write_text("__version__ = '0.3.1'")
    return str(folder)


def test_the_distribution_declares_it_to_torch() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    (reference,) = project["entry-points"]["torch.backends"].values()
    assert resolve_reference(reference) is flydsl_torch.autoload


def test_a_failure_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("of another version")

    monkeypatch.setattr(interception, "install", broken)
    with pytest.warns(RuntimeWarning, match=r"FlyDSL is off in torch.compile and torch.export: of another version"):
        autoload()


def test_another_package_of_the_name_is_a_warning(tmp_path: Path) -> None:
    text = "import warnings, flydsl_torch; warnings.simplefilter('always'); flydsl_torch.autoload(); print('imported')"
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {other_flydsl(tmp_path)!r}); {text}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "imported\n"
    assert done.stderr.count("RuntimeWarning: FlyDSL is off in torch: No module named 'flydsl.torch'") == 1


def test_it_enables_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(interception, "install", lambda: calls.append("installed"))
    flydsl_torch.autoload()
    assert calls == ["installed"]
