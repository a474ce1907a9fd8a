"""The bound of the metadata is the one that is checked, and an older JAX is named."""

from __future__ import annotations

import tomllib
from pathlib import Path

import jax
import pytest

import flydsl.jax
from flydsl.base.errors import LibraryMissingError
from flydsl.jax.supported_jax import OLDEST, check_version


def test_the_bound_is_that_of_the_metadata() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert "jax>=" + ".".join(map(str, OLDEST)) in project["dependencies"]


def test_an_older_jax_is_an_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    check_version()
    monkeypatch.setattr(jax, "__version_info__", (0, 8, 0))
    monkeypatch.setattr(jax, "__version__", "0.8.0")
    wanted = r"flydsl-jax works with jax 0\.8\.1 and later, 0\.8\.0 is installed: pip install 'jax>=0\.8\.1'"
    with pytest.raises(LibraryMissingError, match=wanted):
        flydsl.jax.call
