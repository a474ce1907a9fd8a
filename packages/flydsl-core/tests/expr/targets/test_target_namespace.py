"""Names of `fx` that plugins offer: by attribute, and by the import statement where the plugin has a folder `fx`."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import flydsl.expr as fx
from flydsl.base.location import is_foreign_code
from flydsl.plugins.registry import registry
from flydsl.plugins.tables import Tables
from flydsl.testing.fakes import fake_backend

TOY = "toy_target_plugin"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    """`install({'fx/toy.py': text}, word=reference)` makes a plugin of these files and names the only one."""
    before = registry.swap(None)
    known = set(sys.modules)

    def run(files: dict[str, str], **words: str) -> Path:
        package = tmp_path / TOY
        for name, text in {"__init__.py": "", "plugin.py": "", **files}.items():
            (package / name).parent.mkdir(parents=True, exist_ok=True)
            (package / name).write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        registry.swap(Tables().with_manifest(fake_backend("toy", factory=f"{TOY}.plugin:Toy", expr_namespaces=words)))
        return package

    yield run
    registry.swap(before)
    for name in set(sys.modules) - known:
        del sys.modules[name]
    vars(fx).pop("toy", None)
    importlib.invalidate_caches()


def test_a_folder_fx_makes_submodules_of_the_language(install):
    install({"fx/toy/__init__.py": "from . import inner", "fx/toy/inner.py": "ONE = object()"}, toy="flydsl.expr:toy")
    inner = importlib.import_module("flydsl.expr.toy.inner")
    assert isinstance(inner, ModuleType)
    assert fx.toy.inner is inner
    assert sys.modules["flydsl.expr.toy"] is fx.toy
    assert [name for name in sys.modules if name.startswith(f"{TOY}.fx")] == []


def test_the_attribute_alone_loads_the_same_module(install):
    install({"fx/toy.py": "ONE = 1"}, toy="flydsl.expr:toy")
    assert fx.toy.ONE == 1
    assert importlib.import_module("flydsl.expr.toy") is fx.toy


def test_its_functions_count_as_the_language_not_as_the_users(install):
    install({"fx/toy.py": "def function(): pass"}, toy="flydsl.expr:toy")
    assert is_foreign_code(importlib.import_module("flydsl.expr.toy").function.__code__)


def test_a_plugin_without_the_folder_has_attributes_only(install):
    install({"words.py": "ONE = 1"}, toy=f"{TOY}:words")
    assert fx.toy.ONE == 1
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'flydsl\.expr\.toy'"):
        importlib.import_module("flydsl.expr.toy")


def test_a_plugin_that_declares_a_module_which_it_lacks_is_told(install):
    install({}, toy="flydsl.expr:toy")
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'flydsl\.expr\.toy'"):
        fx.toy


def test_an_error_inside_of_a_module_passes_through(install):
    install({"fx/toy.py": "import missing_library"}, toy="flydsl.expr:toy")
    with pytest.raises(ModuleNotFoundError, match="missing_library"):
        fx.toy


def test_the_language_loads_no_plugin_and_puts_nothing_on_the_meta_path():
    script = (
        "import sys; before = list(sys.meta_path); import flydsl.compiler, flydsl.expr.primitive; "
        "print(sys.meta_path == before, 'pluggy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "False"]
