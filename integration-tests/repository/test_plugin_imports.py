"""Plugins import from the core by its public doors only: ours, the one of a third party, and those on the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.plugin_imports import DOORS, PluginImport, imports_of, is_by_a_door, offered

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = {
    **{path.parent.name: path for path in sorted(ROOT.glob("packages/flydsl-*/src")) if "core" not in path.parent.name},
    "flydsl-acme": ROOT / "integration-tests/flydsl-acme/src",
}
PAGES = [ROOT / "docs/how-to" / f"{name}.md" for name in ("write_a_backend", "write_an_adaptor")]
TESTS_PAST_THE_DOORS = 87
"""Names that the tests of plugins import from behind the doors; the number may only shrink."""


def past_the_doors(files: list[Path]) -> list[PluginImport]:
    return [found for file in files for found in imports_of(file) if not is_by_a_door(found)]


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_plugin_imports_by_the_doors_only(plugin: str) -> None:
    files = sorted(PLUGINS[plugin].rglob("*.py"))
    assert files
    assert list(map(str, past_the_doors(files))) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_plugins_of_the_pages_do_as_well(page: Path) -> None:
    assert list(imports_of(page))
    assert list(map(str, past_the_doors([page]))) == []


def test_tests_of_plugins_look_behind_the_doors_less_and_less() -> None:
    files = [file for plugin in PLUGINS.values() for file in sorted((plugin.parent / "tests").rglob("*.py"))]
    names = {(found.module, found.name) for found in past_the_doors(files)}
    assert len(names) <= TESTS_PAST_THE_DOORS


def test_what_is_behind_the_doors_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("support.plugin_imports.ROOT", tmp_path)
    file = tmp_path / "plugin.py"
    file.write_text(
        "import flydsl.passes.rewriting\n"
        "from flydsl.expr import arith, Float32, no_such_name\n"
        "from flydsl.plugins.active import selection\n"
        "def lazily():\n"
        "    from flydsl.backend.conversion.memory_spaces import PlainSpace\n"
        "    from flydsl.backend.lowering import HANDLERS, PlainSpace as Plain\n"
        "    from flydsl.backend import rewriting\n"
    )
    assert [str(found).partition(" imports ")[2] for found in past_the_doors([file])] == [
        "flydsl.passes.rewriting",
        "flydsl.expr.no_such_name",
        "flydsl.plugins.active.selection",
        "flydsl.backend.conversion.memory_spaces.PlainSpace",
        "flydsl.backend.lowering.HANDLERS",
    ]


@pytest.mark.parametrize("door", [door for door in DOORS if door.startswith("flydsl.backend.")])
def test_a_door_says_what_it_is_for_and_what_it_offers(door: str) -> None:
    module = __import__(door, fromlist=["__all__"])
    assert module.__doc__
    assert module.__all__
    assert len(set(module.__all__)) == len(module.__all__)
    assert offered(door) == {name for name in module.__all__ if hasattr(module, name)}


def test_no_name_has_two_doors() -> None:
    """Words and functions that are called alike are different things; the same thing stands in one door."""
    homes: dict[tuple[str, int], list[str]] = {}
    for door in DOORS:
        if door.startswith("flydsl.backend."):
            module = __import__(door, fromlist=["__all__"])
            for name in module.__all__:
                homes.setdefault((name, id(getattr(module, name))), []).append(door)
    assert {name: doors for (name, _), doors in homes.items() if len(doors) > 1} == {}
