"""Classes that are specialised by indexing."""

from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop import specialisation
from flydsl.extension.coop.specialisation import Specialisation, Specialised, element_type


@dataclass(frozen=True, kw_only=True)
class PairFacts(Specialisation):
    """Two numbers, and their sum."""

    second: int

    @property
    def attributes(self) -> dict[str, object]:
        return {**super().attributes, "total": self.dtype + self.second}  # type: ignore[operator]


class Pair(Specialised):
    """Two numbers."""

    @classmethod
    def _specialisation(cls, first: int, second: int = 2) -> PairFacts:
        return PairFacts(dtype=first, second=second)

    @classmethod
    def _attributes(cls, facts: PairFacts) -> dict[str, object]:
        return {"text": f"{facts.dtype}, {facts.second}"}


class Other(Pair):
    """The same parameters of another class."""


def test_equal_facts_give_one_class() -> None:
    made: Any = Pair[1]
    assert (made.dtype, made.second, made.total, made.text, made.is_specialised) == (1, 2, 3, "1, 2", True)
    assert Pair[1, 2] is Pair.specialised(1) is made
    assert Pair[2, 2] is not made
    assert Other[1] is not made
    assert issubclass(made, Pair)
    assert (made.__doc__, made.__module__, made.__name__) == (Pair.__doc__, Pair.__module__, "Pair[...]")


def test_classes_that_nothing_uses_are_not_kept() -> None:
    for second in range(100, 200):
        Pair[1, second]
    held: Any = Pair[1, 1]
    gc.collect()
    assert [facts.second for cls, facts in list(specialisation._classes) if cls is Pair and facts.second >= 100] == []
    assert Pair[1, 1] is held


def test_threads_get_one_class() -> None:
    start = threading.Barrier(4)

    def specialised() -> Any:
        start.wait()
        return Pair[1, 77]

    with ThreadPoolExecutor(4) as pool:
        assert len({made.result() for made in [pool.submit(specialised) for _ in range(4)]}) == 1


def test_wrong_parameters_and_a_second_time_are_refused() -> None:
    with pytest.raises(TypeError, match=r"Pair is not specialised by \(1, 2, 3\)"):
        Pair[1, 2, 3]
    with pytest.raises(TypeError, match="is specialised already"):
        Pair[1][2]  # type: ignore[index]
    with pytest.raises(TypeError, match=r"Pair.use needs a specialisation: Pair\[dtype"):
        Pair.require("use")
    Pair.specialised(1).require("use")
    with pytest.raises(NotImplementedError, match="Specialised has no _specialisation"):
        Specialised[1]


def test_element_types_are_checked() -> None:
    assert element_type(Pair, fx.Int32) is fx.Int32
    with pytest.raises(TypeError, match="takes a type of elements"):
        element_type(Pair, int)
