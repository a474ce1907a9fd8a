"""Which package and version a module belongs to."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy
import pytest

from flydsl.base.origin import Home, Origin, origin


@pytest.mark.parametrize("name", ["math", "builtins", "collections.abc", "os.path"])
def test_modules_of_python_are_known_without_a_version(name: str) -> None:
    assert origin(name) == Origin(Home.PYTHON, "python")


def test_installed_package_is_known_by_name_and_version() -> None:
    assert origin("numpy.linalg") == Origin(Home.INSTALLED, f"numpy-{numpy.__version__}")


def test_package_is_found_by_its_record_when_its_name_differs(tmp_path: Path, load: Callable[..., ModuleType]) -> None:
    folder = "site-packages"
    load("", "other_import_name", folder)
    record = tmp_path / folder / "some_distribution-1.2.dist-info"
    record.mkdir()
    (record / "RECORD").write_text("a.py,,\nother_import_name.py,sha256=x,0\n")
    assert origin("other_import_name") == Origin(Home.INSTALLED, "some_distribution-1.2")


def test_package_without_a_record_has_no_known_version(load: Callable[..., ModuleType]) -> None:
    load("", "vendored_module", "site-packages")
    assert origin("vendored_module") == Origin(Home.INSTALLED, "")


def test_module_of_the_user_with_a_name_of_the_library_is_the_users(load: Callable[..., ModuleType]) -> None:
    load("", "this")  # in the library, and rarely loaded
    assert origin("this").home is Home.USER


def test_everything_else_is_the_users(load: Callable[..., ModuleType]) -> None:
    load("", "module_of_mine")
    assert origin("module_of_mine").home is Home.USER
    assert origin("never_loaded").home is Home.USER
    assert "__main__" in sys.modules
    assert origin("__main__").home is not Home.PYTHON


def test_a_package_that_is_imported_later_is_found_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site-packages"
    (folder / "late_package-1.5.dist-info").mkdir(parents=True)
    (folder / "late_package.py").write_text("")
    monkeypatch.syspath_prepend(str(folder))
    assert origin("late_package") == Origin(Home.USER)
    import_module("late_package")
    assert origin("late_package") == Origin(Home.INSTALLED, "late_package-1.5")
    del sys.modules["late_package"]
