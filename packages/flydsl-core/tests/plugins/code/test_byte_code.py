"""Plugins that come as byte code alone: their imports are found, and their content is in the key."""

from __future__ import annotations

import py_compile
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.base import settings
from flydsl.base.files.file_digest import digest_trees
from flydsl.plugins.code.byte_code import imported_by
from flydsl.plugins.code.imported_code import imports_of

SOURCE = """
import one, two.deep as d
from three import four, five
from nine import *
def f():
    from . import six
    from .seven import eight
    class C:
        import ten
"""
FOUND = {"one", "two.deep", "three.four", "three.five", "bare.six", "bare.seven.eight", "nine", "ten"}


def compiled(source: Path, text: str) -> Path:
    """`source` as byte code beside it, without the source."""
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text(text)
    made = source.with_suffix(".pyc")
    py_compile.compile(str(source), cfile=str(made), doraise=True)
    source.unlink()
    return made


def test_imports_are_those_of_the_source(tmp_path: Path) -> None:
    assert set(imported_by(str(compiled(tmp_path / "bare/x.py", SOURCE)), "bare")) == FOUND


@pytest.mark.parametrize("data", [b"", b"no code", b"\0" * 64])
def test_what_is_no_byte_code_imports_nothing(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.pyc").write_bytes(data)
    assert list(imported_by(str(tmp_path / "x.pyc"), "bare")) == []
    assert list(imported_by(str(tmp_path / "absent.pyc"), "bare")) == []


def test_what_a_package_of_byte_code_imports_is_followed(tmp_path: Path) -> None:
    compiled(tmp_path / "bare/__init__.py", "from bare import inner")
    compiled(tmp_path / "bare/inner.py", "import outer")
    found = imports_of(tmp_path / "bare", "bare", f"digest {tmp_path}", ["bare"], frozenset())
    assert "outer" in found


def test_byte_code_counts_where_it_stands_for_its_source(tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    compiled(folder / "__init__.py", "VALUE = 1")
    first = digest_trees([folder], base=tmp_path).sha256
    compiled(folder / "__init__.py", "VALUE = 5")
    assert digest_trees([folder], base=tmp_path).sha256 != first
    (folder / "__init__.py").write_text("VALUE = 1")
    with_source = digest_trees([folder], base=tmp_path).sha256
    (folder / "__init__.pyc").unlink()
    assert digest_trees([folder], base=tmp_path).sha256 == with_source


PLUGIN = """
from flydsl.plugins import CompileBackendManifest, hookimpl
@hookimpl
def flydsl_compile_backends():
    return [CompileBackendManifest(name="bare", factory="flydsl_bare.backend:Bare", runtime_kind="bare")]
"""
BACKEND = """
import bare_helper
from flydsl.testing.fakes import FakeBackend
class Bare(FakeBackend):
    def __init__(self):
        super().__init__("bare", ("one",))
    step = {step}
"""
PROGRAM = "from flydsl.plugins.active.fingerprint import fingerprint; print(fingerprint())"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """Where a plugin of byte code alone is installed, with a helper of another package."""
    (tmp_path / "flydsl_bare-1.0.dist-info").mkdir()
    (tmp_path / "flydsl_bare-1.0.dist-info/METADATA").write_text(
        "Metadata-Version: 2.1\nName: flydsl-bare\nVersion: 1.0\n"
    )
    (tmp_path / "flydsl_bare-1.0.dist-info/entry_points.txt").write_text("[flydsl]\nbare = flydsl_bare.plugin\n")
    compiled(tmp_path / "flydsl_bare/__init__.py", "")
    compiled(tmp_path / "flydsl_bare/plugin.py", PLUGIN)
    compiled(tmp_path / "flydsl_bare/backend.py", BACKEND.format(step=1))
    compiled(tmp_path / "bare_helper.py", "STEP = 1")
    yield tmp_path
    shutil.rmtree(tmp_path / "flydsl_bare")


def test_a_plugin_of_byte_code_has_another_key_when_it_or_what_it_imports_changes(site: Path) -> None:
    def key() -> str:
        program = f"import sys; sys.path.insert(0, {str(site)!r}); {PROGRAM}"
        environment = settings.environment({"FLYDSL_COMPILE_BACKEND": "bare", "FLYDSL_RUNTIME_ENABLE_CACHE": "0"})
        command = [sys.executable, "-c", program]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    first = key()
    assert key() == first
    compiled(site / "flydsl_bare/backend.py", BACKEND.format(step=2))
    second = key()
    assert second != first
    compiled(site / "bare_helper.py", "STEP = 2")
    assert key() not in (first, second)
