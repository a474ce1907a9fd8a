"""Constructs that cannot be traced are refused at their line, with what to write instead."""

from __future__ import annotations

import pytest

from flydsl.base.errors import UnsupportedConstructError
from flydsl.frontend.rewriting.reject import reject_untraceable
from flydsl.frontend.rewriting.source import function_source


def check(load, body):
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    module = load(f"state = 1\ndef f(x, items=()):\n{lines}")
    reject_untraceable(function_source(module.f))


@pytest.mark.parametrize(
    ("body", "line", "message"),
    [
        ("y = 1\ntry:\n    y = x\nexcept* ValueError:\n    pass", 4, r"try with except\* cannot be traced"),
        ("try:\n    pass\nfinally:\n    return x", 6, "an exit from finally cannot be traced"),
        ("for i in items:\n    try:\n        pass\n    finally:\n        break", 7, "an exit from finally cannot be"),
        ("yield x", 3, "yield cannot be traced; it may only end the body"),
        ("yield from items", 3, "yield from cannot be traced; a traced function is not a generator"),
        ("global state\nstate = 2", 3, "a global statement cannot be traced; tracing must not change the module"),
        ("match x:\n    case 1:\n        pass", 3, "match cannot be traced; use if and elif"),
        ("async def g():\n    await x", 3, "an async function cannot be traced; use a plain function"),
        ("while (n := x) > 1:\n    pass\nelse:\n    pass", 3, "a while with := and else cannot be traced"),
        ("for i in range(3, step=2):\n    pass", 3, "range takes the keywords init and unroll, found 'step'"),
        ("for i in range(3, **x):\n    pass", 3, "found '\\*\\*'"),
        ("for i in range(3, init=1):\n    yield i", 3, "range with init= gives the index and the state"),
        ("for i, s in range(3, init=1):\n    s = i", 4, "a loop over range with init= ends with `yield`"),
    ],
)
def test_a_construct_is_refused_at_its_line(load, body, line, message):
    with pytest.raises(UnsupportedConstructError, match=message) as caught:
        check(load, body)
    assert caught.value.location.line == line


@pytest.mark.parametrize(
    "body",
    [
        "for i, s in range(3, init=1):\n    yield s + i",
        "for i, s in range(3, init=1, unroll=2):\n    last = yield s + i",
        "while x > 1:\n    x = x - 1\nelse:\n    pass",
        "return [i for i in items if i]",
    ],
)
def test_what_can_be_traced_passes(load, body):
    check(load, body)
