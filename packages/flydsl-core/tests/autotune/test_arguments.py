"""Arguments of calls by name, and arrays of several frameworks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flydsl.autotune.arguments import (
    copied,
    given_arguments,
    is_array,
    put_back,
    signature_of,
    with_defaults,
    zero,
)


def launch(x: object, n: int, *, BLOCK: int = 64, **rest: object) -> None:
    """A function with every kind of parameter."""


def test_arguments_have_names_and_defaults() -> None:
    signature = signature_of(launch)
    given = given_arguments(signature, ("x",), {"n": 3, "extra": 4})
    assert given == {"x": "x", "n": 3, "extra": 4}
    assert with_defaults(signature, given) == {**given, "BLOCK": 64}


def test_the_function_that_an_object_holds_has_the_signature() -> None:
    class Held:
        func = staticmethod(launch)

        def __call__(self, *args: Any) -> None: ...

    assert signature_of(Held()) == signature_of(launch)


def test_annotations_that_python_cannot_read_are_left_as_text() -> None:
    def odd(x: int) -> None: ...

    odd.__annotations__["x"] = "NoSuchName[3]"
    signature = signature_of(odd)
    assert signature is not None
    assert signature.parameters["x"].annotation == "NoSuchName[3]"


def test_calls_that_do_not_fit_and_functions_without_a_signature_keep_their_keywords() -> None:
    assert given_arguments(signature_of(launch), (1, 2, 3, 4), {"BLOCK": 5}) == {"BLOCK": 5}
    assert given_arguments(None, (1,), {"n": 2}) == {"n": 2}
    assert with_defaults(None, {"n": 2}) == {"n": 2}


def test_arrays_of_numpy_are_zeroed_copied_and_put_back() -> None:
    array = np.arange(6.0)[::2]
    saved = copied(array)
    zero([array])
    assert array.tolist() == [0.0, 0.0, 0.0]
    put_back(array, saved)
    assert array.tolist() == [0.0, 2.0, 4.0]


def test_arrays_with_methods_of_their_own_use_these(array: Any) -> None:
    zero([array])
    put_back(array, copied(array))
    assert array.log == ["zero", "clone", "restore"]
    assert is_array(array)
    assert not is_array(np.dtype(np.float32))
    assert not is_array(3)


def test_what_cannot_be_written_is_an_error() -> None:
    with pytest.raises(TypeError, match="reset_to_zero and restore_value take arrays"):
        zero([(1, 2)])
