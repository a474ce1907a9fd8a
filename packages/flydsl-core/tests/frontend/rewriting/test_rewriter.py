"""Whole functions after the rewriting: on numbers at run time they give what Python gives."""

from __future__ import annotations

import ast

import pytest

import flydsl.expr as fx
from flydsl.frontend.rewriting.rewrite import rewrite
from flydsl.frontend.rewriting.rewriter import Rewriter
from flydsl.frontend.rewriting.source import function_source


def breaks(n, limit):
    total, i = 0, -1
    for i in range(n):
        if total > limit:
            break
        if i % 3 == 1:
            continue
        total = total + i
    else:
        total = total - 1000
    return total, i


def nested(n, limit):
    count = 0
    for i in range(n):
        for j in range(i, n):
            if (i + j) % limit == 2:
                return count * 100 + i
            count = count + 1
    return -count


def loops(n, limit):
    steps, last = 0, n
    while n != 1 and steps < limit:
        last = n
        steps += 1
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    return steps, last, n


def expressions(n, limit):
    sign = 1 if n > limit else (-1 if n < limit else 0)
    inside = 0 < n < limit or not n < 5
    return sign, inside and n > 1, [x * n for x in (1, 2, 3) if x != 2]


def swaps(n, limit):
    a, b = n, limit
    if a > b:
        a, b = b, a
    values = [a, b]
    if n % 2 == 0:
        values[0] = values[0] + 100
    return values


@pytest.mark.parametrize("function", [breaks, nested, loops, expressions, swaps], ids=lambda f: f.__name__)
def test_numbers_at_run_time_give_what_python_gives(computed, function):
    call = computed(rewrite(function), fx.Int32, fx.Int32)
    for n in (1, 2, 5, 7, 12):
        for limit in (3, 5, 20):
            expected = function(n, limit)
            flat = []

            def add(value, flat=flat):
                for item in value if isinstance(value, tuple | list) else [value]:
                    add(item) if isinstance(item, tuple | list) else flat.append(item)

            add(expected)
            found = call(n, limit)
            assert (found if isinstance(found, list) else [found]) == flat, (n, limit)


def test_a_variable_of_a_loop_is_carried_only_when_it_is_read_after(emitted):
    def unused(n):
        total = 0
        for i in range(n):
            total = total + i
        return total

    def used(n):
        i = 0
        for i in range(n):  # noqa: B007
            pass
        return i

    def rewritten(function):
        source = function_source(function)
        tree = source.parse()
        tree.body = Rewriter(tree).function_body(tree.body)
        return ast.unparse(ast.fix_missing_locations(tree))

    assert "index_" not in rewritten(unused)
    assert "index_" in rewritten(used)


def test_lines_of_the_source_stay():
    def function(n):
        if n > 0:
            n = n + 1
        return n

    first = function.__code__.co_firstlineno
    lines = {line for code in [rewrite(function).__code__] for _, _, line in code.co_lines() if line}
    assert lines <= set(range(first, first + 4))
    assert rewrite(function).__code__.co_filename == __file__
