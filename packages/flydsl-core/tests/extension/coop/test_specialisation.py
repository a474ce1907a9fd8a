"""Classes that are specialised by indexing."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.specialisation import Specialised, element_type


class Pair(metaclass=Specialised):
    """Two numbers."""

    @classmethod
    def _parameters(cls, first: int, second: int = 2) -> dict[str, object]:
        return {"first": first, "second": second}


def test_equal_parameters_give_one_class() -> None:
    made: Any = Pair[1]
    assert (made.first, made.second, made.is_specialised) == (1, 2, True)
    assert Pair[1, 2] is made
    assert Pair[2, 2] is not made
    assert issubclass(made, Pair)


def test_wrong_parameters_and_a_second_time_are_refused() -> None:
    with pytest.raises(TypeError, match="is not specialised by"):
        Pair[1, 2, 3]
    with pytest.raises(TypeError, match="is specialised already"):
        Pair[1][2]
    with pytest.raises(TypeError, match=r"Pair.use needs a specialisation: Pair\[dtype"):
        Pair.require("use")
    Pair[1].require("use")


def test_element_types_are_checked() -> None:
    assert element_type(Pair, fx.Int32) is fx.Int32
    with pytest.raises(TypeError, match="takes a type of elements"):
        element_type(Pair, int)
