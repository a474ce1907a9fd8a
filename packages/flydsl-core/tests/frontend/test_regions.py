"""Branches and loops as regions: results are those of Python, for every path and count of iterations."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.frontend.ranges import loop_range
from flydsl.frontend.regions import emit_for, emit_for_until, emit_if, emit_while


def test_both_paths_of_a_branch_give_their_values(computed):
    def choose(x):
        return emit_if(x > 2, lambda: (x * 10, 1), lambda: (x, 2), ("a", "b"))

    call = computed(choose, fx.Int32)
    assert [call(x) for x in (1, 3)] == [[1, 2], [30, 1]]


def test_a_value_that_both_paths_share_is_not_carried(emitted):
    run = emitted(lambda x: emit_if(x > 2, lambda: (x, x + 1), lambda: (x, x + 2), ("same", "other")), fx.Int32)
    (branch,) = [op for op in run.ops if '"scf.if"' in op or "-> (i32)" in op][:1] or [""]
    assert "i32, i32" not in branch
    assert run.result[1].dtype is fx.Int32


def test_items_of_a_list_are_put_back_in_place(computed):
    def change(x):
        held = [x, x]

        def path():
            held[1] = x + 1
            return ()

        emit_if(x > 0, path, tuple, (), ("held",), (held,))
        return held

    call = computed(change, fx.Int32)
    assert [call(x) for x in (5, -5)] == [[5, 6], [-5, -5]]


@pytest.mark.parametrize("unroll", [None, 2, 3, 7])
@pytest.mark.parametrize("bounds", [(0, 0, 1), (0, 1, 1), (0, 6, 1), (0, 7, 1), (9, 0, -2), (1, 20, 4)])
def test_a_loop_carries_its_values_however_it_is_unrolled(computed, unroll, bounds):
    def total(start, stop):
        def turn(i, value, last):
            return value * 3 + i, i

        return emit_for(loop_range((start, stop, bounds[2]), unroll), turn, ("value", "last"), (1, -1), (), ())

    value, last = 1, -1
    for i in range(*bounds):
        value, last = value * 3 + i, i
    assert computed(total, fx.Int32, fx.Int32)(*bounds[:2]) == [(value + (1 << 31)) % (1 << 32) - (1 << 31), last]


def test_a_loop_ends_at_the_first_turn_that_says_so(computed):
    def search(limit):
        def turn(i, stop, value):
            return i * i > limit, value + i

        names, values = ("stop", "value"), (False, 0)
        return emit_for_until(loop_range((fx.Int32(10),)), turn, [0], names, values, (), ())

    call = computed(search, fx.Int32)
    for limit in (0, 8, 200):
        stop, value = False, 0
        for i in range(10):
            if stop:
                break
            stop, value = i * i > limit, value + i
        assert call(limit) == [stop, value]


def test_a_while_tests_before_each_turn(computed):
    def steps(n):
        return emit_while(lambda n, count: n > 1, lambda n, count: (n // 2, count + 1), ("n", "count"), (n, 0), (), ())

    call = computed(steps, fx.Int32)
    assert [call(n) for n in (0, 1, 2, 37)] == [[0, 0], [1, 0], [1, 1], [1, 5]]
