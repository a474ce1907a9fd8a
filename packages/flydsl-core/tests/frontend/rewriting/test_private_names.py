"""Classes around functions, and the private names in them, as Python has them."""

from __future__ import annotations

import pytest

from flydsl.frontend.rewriting.private_names import enclosing_class, mangled


class Outer:
    def method(self):
        def nested():
            return [lambda: None][0]

        class Inner:
            def method(self):
                return lambda: None

        return nested, nested(), Inner.method, Inner().method()

    items = [lambda: None for _ in range(1)]


def free():
    return lambda: None


@pytest.mark.parametrize(
    ("function", "owner"),
    [
        *zip(Outer().method(), ("Outer", "Outer", "Inner", "Inner"), strict=True),
        (Outer.method, "Outer"),
        (Outer.items[0], "Outer"),
        (free, ""),
        (free(), ""),
    ],
)
def test_the_innermost_class_is_found_at_any_depth(function, owner):
    assert enclosing_class(function.__code__.co_qualname) == owner


class _Private:
    def names(self):
        __a, _b, __c__ = 1, 2, 3
        return __a, _b, __c__


def test_names_are_those_that_python_makes():
    made = _Private.names.__code__.co_varnames[1:]
    assert tuple(mangled(name, "_Private") for name in ("__a", "_b", "__c__")) == made
    assert mangled("__a", "") == "__a"
    assert mangled("__a", "__") == "__a"
