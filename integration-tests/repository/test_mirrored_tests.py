"""Unit tests where the code is: each module of the core has a test file at the mirrored path."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "packages/flydsl-core"
SOURCES = CORE / "src/flydsl"
TESTS = CORE / "tests"
WITHOUT_TESTS = Path(__file__).with_name("modules_without_tests.txt")


def mirrored(source: Path) -> Path:
    """The test file of a module: `a/b.py` is tested in `a/test_b.py`."""
    relative = source.relative_to(SOURCES)
    return TESTS / relative.parent / f"test_{relative.name}"


def modules_without_tests() -> list[str]:
    modules = sorted(path for path in SOURCES.rglob("*.py") if path.name != "__init__.py")
    assert SOURCES / "compiler/jit.py" in modules
    return [path.relative_to(SOURCES).as_posix() for path in modules if not mirrored(path).exists()]


def allowed() -> list[str]:
    return [line for line in WITHOUT_TESTS.read_text().splitlines() if line and not line.startswith("#")]


def test_every_module_has_a_test_file() -> None:
    """A module without one gets a test file; it does not get a line in the list."""
    assert sorted(set(modules_without_tests()) - set(allowed())) == []


def test_the_list_of_modules_without_tests_only_shrinks() -> None:
    """A listed module that has a test file now, or that is gone, leaves the list."""
    assert sorted(set(allowed()) - set(modules_without_tests())) == []


def test_the_list_is_sorted_and_names_each_module_once() -> None:
    assert allowed() == sorted(set(allowed()))
