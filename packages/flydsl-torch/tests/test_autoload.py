"""What torch runs when it is imported."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from flydsl.base.references import resolve_reference
from flydsl.torch import interception
from flydsl.torch.autoload import autoload


def test_the_distribution_declares_it_to_torch() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    (reference,) = project["entry-points"]["torch.backends"].values()
    assert resolve_reference(reference) is autoload


def test_a_failure_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("of another version")

    monkeypatch.setattr(interception, "install", broken)
    with pytest.warns(RuntimeWarning, match=r"FlyDSL is off in torch.compile and torch.export: of another version"):
        autoload()
