"""Values are used only where their region lets them be seen."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.tracing import context
from flydsl.frontend.control.visibility import check_visible
from flydsl.frontend.rewriting.rewrite import rewrite


class Holder:
    value = None


def checked(function):
    """Trace a function and check what it emitted."""

    def run(*arguments):
        function(*arguments)
        check_visible(context.current().builder.block)

    return run


def test_a_value_that_python_carries_out_of_its_region_is_found(emitted):
    def remember(value):
        holder.value = value

    holder = Holder()

    def leaks(x):
        if x > 0:
            remember(x * 2)
        return holder.value + 1

    with pytest.raises(FrontendError, match="inside a dynamic branch, loop or other function") as error:
        emitted(checked(rewrite(leaks)), fx.Int32)
    assert error.value.location.line == leaks.__code__.co_firstlineno + 3


def test_values_of_the_regions_around_are_visible(emitted):
    def nests(x, y):
        total = x
        for i in range(y):
            for j in range(x):
                if i > j:
                    total = total + x * y
        return total

    emitted(checked(rewrite(nests)), fx.Int32, fx.Int32)
