"""Branches and loops as regions: results are those of Python, for every path and count of iterations."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.expr.tracing.context import current
from flydsl.frontend.control.ranges import loop_range
from flydsl.frontend.control.regions import emit_for, emit_for_until, emit_if, emit_while
from flydsl.ir.loop_annotations import LOOP_ANNOTATION, annotation_of, unrolling


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


def annotations(emitted, function):
    """What the loops that a function emits say of themselves, in order."""
    found = []

    def run(x):
        function(x)
        found.extend(op for op in current().builder.block.ops if op.name in ("scf.for", "scf.while"))

    emitted(run, fx.Int32)
    return [annotation_of(loop).get(LOOP_ANNOTATION) for loop in found]


@pytest.mark.parametrize(("unroll", "expected"), [(None, [None]), (False, [None]), (1, [1]), (3, [1, 1]), (2**30, [1])])
def test_a_loop_tells_compilers_how_many_turns_to_make_at_a_time(emitted, unroll, expected):
    def total(stop):
        emit_for(loop_range((0, stop, 2), unroll), lambda i, value: (value + i,), ("value",), (0,), (), ())

    assert annotations(emitted, total) == [times and unrolling(times) for times in expected]


@pytest.mark.parametrize(
    ("count", "unroll", "expected"), [(1, 1, [None]), (2, 1, [1]), (8, 8, [None]), (9, 4, [1, None]), (10, 4, [1, 1])]
)
def test_a_loop_of_one_turn_is_none_that_compilers_keep(emitted, count, unroll, expected):
    def total(x):
        emit_for(loop_range((count,), unroll), lambda i, value: (value + x,), ("value",), (0,), (), ())

    assert annotations(emitted, total) == [times and unrolling(times) for times in expected]


@pytest.mark.parametrize(
    ("bounds", "traced"), [((7,), 7), ((0, 7, 2), 4), ((9, 0, -4), 3), ((3, 3), 1), ((1 << 62,), 64)]
)
def test_no_more_turns_are_traced_than_there_are(emitted, bounds, traced):
    indices = []

    def total(x):
        def turn(i, value):
            indices.append(i)
            return (value + x,)

        emit_for(loop_range(bounds, 64), turn, ("value",), (x,), (), ())

    assert len(annotations(emitted, total)) == 1
    assert len(indices) == traced


@pytest.mark.parametrize("unroll", [None, 1, 3])
def test_a_loop_that_may_end_early_is_unrolled_by_compilers(emitted, unroll):
    def search(limit):
        loop = loop_range((10,), unroll)
        emit_for_until(loop, lambda i, stop: (i * i > limit,), [0], ("stop",), (False,), (), ())

    assert annotations(emitted, search) == [unroll and unrolling(unroll)]


@pytest.mark.parametrize("unroll", [None, 1, 4])
def test_a_loop_ends_at_the_first_turn_that_says_so(computed, unroll):
    def search(limit):
        def turn(i, stop, value):
            return i * i > limit, value + i

        names, values = ("stop", "value"), (False, 0)
        return emit_for_until(loop_range((fx.Int32(10),), unroll), turn, [0], names, values, (), ())

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
