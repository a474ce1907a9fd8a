"""Names of other versions: those of a portion beside the core, and errors for all others."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest

from flydsl.base.other_versions import other_name

PORTION = "flydsl._other_versions"


@pytest.fixture
def portion(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A portion with one module, whatever is installed."""
    for name in [name for name in sys.modules if name.startswith(PORTION)]:
        monkeypatch.delitem(sys.modules, name)
    modules = {name: ModuleType(name) for name in (PORTION, f"{PORTION}.expr", f"{PORTION}.expr.gpu")}
    for name, module in modules.items():
        module.__path__ = []
        monkeypatch.setitem(sys.modules, name, module)

    def name_of(module: str, name: str) -> object:
        home = modules.get(module.replace("flydsl", PORTION, 1))
        if not hasattr(home, name):
            raise LookupError("")
        return getattr(home, name)

    modules[PORTION].name_of = name_of  # type: ignore[attr-defined]
    return modules[f"{PORTION}.expr.gpu"]


def test_a_name_of_another_version_is_that_of_the_portion(portion: ModuleType) -> None:
    portion.something = object()  # type: ignore[attr-defined]
    assert other_name("flydsl.expr.gpu", "something") is portion.something
    gpu = importlib.import_module("flydsl.expr.gpu")
    assert gpu.something is portion.something
    exec("from flydsl.expr.gpu import something")


@pytest.mark.parametrize("module", ["flydsl.expr.gpu", "flydsl.expr.typing", "flydsl.compiler.ast_rewriter"])
def test_another_name_is_an_error_that_names_the_distribution(portion: ModuleType, module: str) -> None:
    with pytest.raises(AttributeError, match=rf"module '{module}' has no attribute 'nothing', nor has flydsl-compat"):
        importlib.import_module(module).nothing
    with pytest.raises(AttributeError, match="no attribute '__nothing__'$"):
        other_name(module, "__nothing__")


def test_an_error_inside_of_the_portion_is_its_own(portion: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    def imported(name: str) -> ModuleType:
        raise ModuleNotFoundError("No module named 'absent'", name="absent")

    monkeypatch.setattr("flydsl.base.other_versions.import_module", imported)
    with pytest.raises(ModuleNotFoundError, match="absent"):
        other_name("flydsl.expr.gpu", "something")
