"""Annotations that are text, evaluated where their function stands."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.compiler.call.container import expand
from flydsl.frontend.annotations import evaluated, local_names
from flydsl.frontend.signature import Parameters

if TYPE_CHECKING:
    from nowhere import OnlyForCheckers


def kinds(function: Any) -> list[tuple[str, Any]]:
    return [(parameter.kind, parameter.wanted) for parameter in Parameters(function)()]


def test_names_of_functions_and_classes_around_are_found():
    T = fx.Float32

    def outer():
        C = fx.Constexpr[int]

        class Holder:
            S = fx.Int8
            T = fx.Int64  # hides the outer one

            def method(self, a: T, b: C, c: S, d: fx.Tensor): ...

            found = kinds(method)

        def function(a: T, b: C): ...

        return Holder.found, kinds(function)

    in_class, in_function = outer()
    assert in_class[1:] == [("scalar", fx.Int64), ("constexpr", None), ("scalar", fx.Int8), ("tensor", None)]
    assert in_function == [("scalar", T), ("constexpr", None)]


def test_only_frames_around_the_code_are_asked():
    def function(a: Kind): ...  # noqa: F821

    def caller():
        Kind = fx.Float32
        return Kind, local_names(function)

    assert caller()[1] == {}


def test_what_a_local_name_was_at_the_decorator_counts():
    T = fx.Float32

    def function(a: T): ...

    parameters = Parameters(function)
    T = fx.Int8
    assert [parameter.wanted for parameter in parameters()] == [fx.Float32]
    assert T is fx.Int8


class Value:
    """What a variable of a test refers to."""


def test_variables_that_no_annotation_names_are_not_kept():
    value = Value()
    alive = weakref.ref(value)

    def function(a: fx.Tensor): ...

    assert local_names(function) == {}
    del value
    assert alive() is None


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        ("fx.Flaot32", "did you mean 'Float32'"),
        ("Nothing", "name 'Nothing' is not defined"),
        ("fx.Constexpr_[int]", "Constexpr_"),
        ("fx.Float32 |", "invalid syntax"),
    ],
)
def test_a_name_that_is_nowhere_is_an_error(annotation, message):
    def function(a): ...

    function.__annotations__["a"] = annotation
    with pytest.raises(FrontendError, match=r"parameter 'a' of 'function' is annotated with .*" + message) as raised:
        Parameters(function)()
    assert raised.value.location.line == function.__code__.co_firstlineno


def test_a_name_of_a_type_checker_is_any_type():
    def function(a: OnlyForCheckers, b: OnlyForCheckers.Tensor): ...

    assert kinds(function) == [("any", None), ("tensor", None)]


def test_fields_of_dataclasses_are_evaluated_in_their_module():
    T = fx.Float32

    @dataclass
    class Scales:
        factor: T
        array: fx.Tensor

    with pytest.raises(FrontendError, match="field 'factor' of 'Scales' is annotated with 'T': name 'T' is not"):
        expand([Parameters(lambda scales: None)()[0]], [Scales(2, np.zeros(3))])
    assert T is fx.Float32


def test_text_is_evaluated():
    assert evaluated("int", {}, "x", __file__) is int
