"""Functions are read with what was set on them, and with their names where code asks for those."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from flydsl.cache.dependencies import dependencies
from flydsl.cache.reader import Reader
from flydsl.plugins.active.portions import _folder_digest

Load = Callable[..., ModuleType]

SOURCE = """
    def helper(a: 1 = 1):
        return a
    helper.extra = [1]
    class Made:
        pass
    def kernel():
        return len({read}), helper(), Made
"""


def test_places_and_bound_names_are_collected(load: Load) -> None:
    module = load("def outer():\n    global N\n    N = 1\n    return inner()\ndef inner(): return 2")
    reader = Reader(frozenset())
    reader.read(module.outer)
    assert len(reader.source_positions) == 2
    assert reader.rebinds == {"N"}


def test_attributes_of_a_function_are_read_through_any_name(load: Load) -> None:
    module = load(SOURCE.replace("{read}", "(lambda f: f.extra)(helper)"))
    before = dependencies(module.kernel)
    module.helper.extra.append(2)
    assert not before.is_current()
    assert dependencies(module.kernel).digest != before.digest


@pytest.mark.parametrize(
    ("read", "change"),
    [
        ("helper.__doc__ or ''", lambda m: setattr(m.helper, "__doc__", "new")),
        ("(lambda f: f.__name__)(helper)", lambda m: setattr(m.helper, "__name__", "new")),
        ("helper.__annotations__", lambda m: m.helper.__annotations__.update(b=2)),
        ("Made.__doc__ or ''", lambda m: setattr(m.Made, "__doc__", "new")),
        ("getattr(helper, '__q' + 'ualname__')", lambda m: setattr(m.helper, "__qualname__", "new")),
    ],
)
def test_names_of_functions_and_classes_count_where_they_are_used(load: Load, read: str, change: Any) -> None:
    module = load(SOURCE.replace("{read}", read))
    before = dependencies(module.kernel)
    assert before.is_current()
    change(module)
    assert not before.is_current()
    assert dependencies(module.kernel).digest != before.digest


def test_they_do_not_count_elsewhere(load: Load) -> None:
    module = load(SOURCE.replace("{read}", "'a'"))
    before = dependencies(module.kernel)
    module.helper.__doc__ = "new"
    assert dependencies(module.kernel).digest == before.digest


def test_annotations_of_helpers_do_not_count_unless_they_are_asked_for(load: Load) -> None:
    module = load("import time\ndef helper(a: time.time() = 1): return a\ndef kernel(): return helper()")
    assert dependencies(module.kernel).indexable


def test_annotations_of_the_traced_function_count_written_as_strings_too(load: Load) -> None:
    module = load("T = int\ndef kernel(a: 'T', b: T = 1): return a")
    before = dependencies(module.kernel)
    module.T = float
    assert not before.is_current()
    assert dependencies(module.kernel).digest != before.digest
    module.T = int
    module.kernel.__annotations__["b"] = float
    assert dependencies(module.kernel).digest != before.digest


def test_what_another_distribution_adds_to_our_namespace_counts_by_its_files(
    load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "flydsl/added_words/__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text("def __getattr__(name):\n    return name\n\ndef word():\n    return open('x')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    module = load("import flydsl.added_words as words\n\ndef kernel(a):\n    return words.word() + words.made_up\n")
    before = dependencies(module.kernel)
    assert before.indexable
    assert not before.unguarded
    assert dependencies(module.kernel).digest == before.digest
    file.write_text(file.read_text() + "# another file\n")
    _folder_digest.cache_clear()
    assert dependencies(module.kernel).digest != before.digest
