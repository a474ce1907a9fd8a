"""Digests of installed code, and of what it imports from other packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.plugins.code.installed_code import imported_digests, packages_digest, process_mark
from flydsl.plugins.code.manifest_text import reasons_of

NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in {
        "ic_plugin/__init__.py": "",
        "ic_plugin/backend.py": "from ic_base.backend import Base\n",
        "ic_base/__init__.py": "",
        "ic_base/backend.py": "import ic_helper\n",
        "ic_helper.py": "X = 1\n",
        "ic_other.py": "X = 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def digests(*others: str) -> dict[str, str]:
    found = imported_digests({"ic_plugin.backend"}, others, {}, NOTHING)
    return dict(item.split("=", 1) for item in found.split(",") if item)


def test_imports_are_followed_through_packages(site: Path) -> None:
    before = digests()
    assert set(before) == {"ic_base", "ic_helper"}
    (site / "ic_helper.py").write_text("X = 22\n")
    after = digests()
    assert after["ic_helper"] != before["ic_helper"]
    assert set(digests("ic_other")) == {"ic_base", "ic_helper", "ic_other"}


def test_what_is_left_out_is_not_followed(site: Path) -> None:
    assert imported_digests({"ic_plugin.backend"}, (), {}, frozenset({"ic_base"})) == ""


def test_code_in_no_file_and_files_that_changed_are_of_this_process() -> None:
    assert reasons_of(packages_digest(["__no_such__"], {})) == ["code that is in no file"]
    assert reasons_of(process_mark(1 << 62)) == ["files were changed since the process began"]
    assert process_mark(0) == ""
