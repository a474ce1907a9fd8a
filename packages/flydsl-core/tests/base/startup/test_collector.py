"""Pauses of the garbage collector."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from flydsl.base.startup.collector import CollectorPause


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    """As in a program that froze nothing; the tests' own objects are frozen again afterwards."""
    before, is_frozen = gc.get_threshold(), bool(gc.get_freeze_count())
    gc.unfreeze()
    yield
    gc.set_threshold(*before)
    if is_frozen:
        gc.freeze()


def test_passes_are_rare_inside_and_as_before_outside() -> None:
    gc.set_threshold(700, 10, 10)
    gc.collect()  # no pass is due for what came before
    passes = []
    gc.callbacks.append(note := lambda phase, info: passes.append(phase))
    try:
        with CollectorPause():
            kept = [[i] for i in range(10_000)]
        assert passes == []
        kept += [[i] for i in range(10_000)]
    finally:
        gc.callbacks.remove(note)
    assert passes
    assert gc.get_threshold() == (700, 10, 10)
    assert len(kept) == 20_000


def test_garbage_is_bounded_inside() -> None:
    gc.set_threshold(700, 10, 10)
    gc.collect()  # no pass is due for what came before
    passes = []
    gc.callbacks.append(note := lambda phase, info: passes.append(phase))
    try:
        with CollectorPause():
            kept = [[i] for i in range(250_000)]
    finally:
        gc.callbacks.remove(note)
    assert passes
    assert len(kept) == 250_000


def test_the_outermost_pause_ends_it_also_by_an_exception() -> None:
    gc.set_threshold(700, 10, 10)
    inside = []

    def nested() -> None:
        with CollectorPause():
            with CollectorPause():
                inside.append(gc.get_threshold())
            inside.append(gc.get_threshold())
            raise KeyError

    with pytest.raises(KeyError):
        nested()
    assert inside[0] == inside[1] != (700, 10, 10)
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (1_000_000, 5, 5)])
def test_a_program_that_collects_less_keeps_its_setting(own: tuple[int, int, int]) -> None:
    gc.set_threshold(*own)
    with CollectorPause():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_a_setting_made_inside_stays() -> None:
    with CollectorPause():
        gc.set_threshold(123, 4, 5)
    assert gc.get_threshold() == (123, 4, 5)


def is_young(value: object) -> bool:
    return any(one is value for one in gc.get_objects(generation=0))


@pytest.mark.skipif(gc.get_freeze_count() > 0, reason="Python 3.12 freezes objects of its own, which must stay frozen")
def test_objects_of_imports_are_old_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with CollectorPause():
        few = [[]]
    assert is_young(few)
    with CollectorPause():
        for i in range(30):
            monkeypatch.setitem(sys.modules, f"test_collector_{i}", ModuleType("none"))
        many = [[]]
    assert not is_young(many)
    assert gc.get_freeze_count() == 0


def test_objects_that_the_program_froze_stay_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with CollectorPause():
            for i in range(30):
                monkeypatch.setitem(sys.modules, f"test_collector_{i}", ModuleType("none"))
        assert 0 < frozen - 100 < gc.get_freeze_count() <= frozen
    finally:
        gc.unfreeze()
