"""Errors of Python about values of a kernel, with what to write."""

from __future__ import annotations

import pytest

from flydsl.base.errors import FrontendError
from flydsl.frontend.diagnostics import located


@pytest.mark.parametrize(
    ("message", "advice"),
    [
        ("type Float32 doesn't define __round__ method", "use fx.round or fx.roundeven"),
        ("exp(): argument 'input' (position 1) must be Tensor, not Float32", "use fx.exp"),
        ("no_such(): argument 'input' (position 1) must be Tensor, not Float32", "use functions of fx"),
        ("cannot unpack non-iterable Int8 object", "read one element at a time"),
    ],
)
def test_what_names_a_value_of_a_kernel_says_what_to_write(message, advice):
    with pytest.raises(FrontendError, match=advice) as caught, located():
        (nothing for nothing in ()).throw(TypeError(message))  # as a function in C does, without `raise`
    assert str(caught.value).startswith(message)
    assert caught.value.location.file == __file__
    assert type(caught.value.__cause__) is TypeError


@pytest.mark.parametrize("error", [TypeError("unsupported operand for 'int' and 'str'"), FrontendError("no Float32")])
def test_other_errors_stay(error):
    with pytest.raises(TypeError) as caught, located():
        raise error
    assert caught.value is error


def test_what_the_users_code_raises_stays():
    with pytest.raises(TypeError, match="mine takes a Float32") as caught, located():
        raise TypeError("mine takes a Float32")
    assert type(caught.value) is TypeError
