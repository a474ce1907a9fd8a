"""What sources import and metadata require, without importing anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.plugins.code import imported_code
from flydsl.plugins.code.imported_code import imports_of, is_large, record_of, required

SOURCES = {
    "pack/__init__.py": "import os\n",
    "pack/a.py": "from . import b\nimport far.away\ndef f():\n    from lazy import thing\n",
    "pack/b.py": "from .inner.c import x\nfrom pack.inner import d\n",
    "pack/inner/__init__.py": "import deep",
    "pack/inner/c.py": "import xdsl.ir, flydsl.base.errors\nfrom star import *\n",
    "pack/inner/d.py": "if 1:\n  try:\n    import tried\n  except ImportError: pass\n",
    "pack/unused.py": "import never\n",
    "pack/broken.py": "def",
    "pack/fx/words.py": "import word_helper\n",
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / "pack"


def names(pack: Path, *modules: str) -> set[str]:
    return set(imports_of(pack, "pack", f"{pack} {modules}", modules, frozenset({"xdsl", "flydsl.base"})))


def test_import_statements_are_followed_within_a_package(pack: Path) -> None:
    assert names(pack, "pack.a") == {"far.away", "lazy.thing", "deep", "star", "tried"}
    assert names(pack, "pack") == {"word_helper"}
    assert names(pack, "pack.unused") == {"never"}
    assert names(pack, "pack.broken", "pack.no_such") == set()


def test_a_package_of_many_files_is_large(pack: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not is_large(pack)
    is_large.cache_clear()
    monkeypatch.setattr(imported_code, "MOST_FILES", 3)
    assert is_large(pack)
    is_large.cache_clear()


def test_a_package_without_a_distribution_has_no_record(pack: Path) -> None:
    assert record_of("pack", pack) == ""


def test_requirements_are_followed(tmp_path: Path) -> None:
    def install(name: str, version: str, *requires: str) -> str:
        info = tmp_path / f"{name}-{version}.dist-info"
        info.mkdir()
        lines = [f"Requires-Dist: {line}" for line in requires]
        (info / "METADATA").write_text("\n".join([f"Name: {name}", f"Version: {version}", *lines, "", "text"]))
        return str(info)

    installed = {
        "acme": install("acme", "1.0", "helper>=1", "missing", "tests; extra == 'test'"),
        "helper": install("helper", "2.0", "Deep_One (>=3)"),
        "deep-one": install("deep_one", "3.0"),
        "tests": install("tests", "4.0"),
        "other": install("other", "5.0"),
    }
    assert required("acme", installed) == {"acme": "1.0", "helper": "2.0", "deep-one": "3.0"}
