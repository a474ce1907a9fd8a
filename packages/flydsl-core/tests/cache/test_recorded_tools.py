"""The tools that a cache folder states, where none is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import CacheOnlyError
from flydsl.cache.entry import Entry
from flydsl.cache.recorded_tools import recorded_tools
from flydsl.cache.store import default_store


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def save(backend: str, ir: str, **tools: str) -> None:
    key = {"backend": backend, "ir": ir, **{f"tool.{name}": value for name, value in tools.items()}}
    assert default_store().save(Entry(key, {}, {"device": b"", "launcher": b""}))
    default_store().link({**key, "sources": ir, "tool.native": "of an index record"}, key)


def test_they_are_those_of_every_entry_of_the_backend() -> None:
    save("one", "a", native="22", device_libraries="d")
    save("one", "b", native="22", device_libraries="d")
    save("two", "a", native="23")
    assert recorded_tools("one") == {"native": "22", "device_libraries": "d"}
    assert recorded_tools("two") == {"native": "23"}


def test_an_empty_folder_has_none(folder: Path) -> None:
    with pytest.raises(
        CacheOnlyError, match="holds no code for backend 'one', and no toolchain is installed"
    ) as caught:
        recorded_tools("one")
    assert str(folder) in str(caught.value)
    save("one", "a", native="22")
    assert recorded_tools("one") == {"native": "22"}


def test_different_ones_are_refused() -> None:
    save("one", "a", native="22")
    save("one", "b", native="23")
    with pytest.raises(CacheOnlyError, match="holds code of 2 different toolchains for backend 'one'"):
        recorded_tools("one")


def test_a_cache_that_is_off_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
    with pytest.raises(CacheOnlyError, match="FLYDSL_RUNTIME_ENABLE_CACHE is 0"):
        recorded_tools("one")
