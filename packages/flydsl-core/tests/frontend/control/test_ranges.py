"""Arguments of `range` as loops: the numbers that the body sees are those of Python."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedConstructError
from flydsl.frontend.control.ranges import LoopRange, is_device_range, loop_range, static_items

LOW, HIGH, WIDE = -(1 << 31), (1 << 31) - 1, (1 << 63) - 1
BOUNDS = [(5,), (0,), (2, 9), (9, 2), (1, 10, 3), (10, 1, -3), (1, 10, -1), (-4, 5, 2), (5, -4, -2), (3, 3, 1)]


def numbers(loop: LoopRange) -> list[int]:
    """What the body of a static loop sees."""
    counts = range(loop.start.value, loop.stop.value, loop.step.value)
    return [int(loop.item(type(loop.start)(count)).value) for count in counts]


@pytest.mark.parametrize("bounds", BOUNDS)
def test_static_bounds_count_as_python(bounds):
    loop = loop_range(bounds)
    assert loop.step.value > 0
    assert numbers(loop) == list(range(*bounds))


def test_the_ends_of_the_integers_do_not_overflow():
    assert numbers(loop_range((LOW + 3, LOW, -1))) == [LOW + 3, LOW + 2, LOW + 1]
    assert numbers(loop_range((HIGH - 2, HIGH))) == [HIGH - 2, HIGH - 1]


@pytest.mark.parametrize(
    "bounds",
    [
        (HIGH - 20, HIGH, 4),
        (LOW, HIGH, 1 << 30),
        (HIGH, LOW, -HIGH),
        (HIGH, LOW, LOW),
        (fx.Int64(WIDE - 20), WIDE, 8),
        (fx.Int64(-WIDE - 1), WIDE, 1 << 62),
        (fx.Uint32(0), fx.Uint32(0xFFFFFFFF), 1 << 30),
        (fx.Uint32(0xFFFFFFFF), 5, -(1 << 30)),
        (fx.Uint64(1), fx.Uint64(0xFFFFFFFFFFFFFFFF), 1 << 62),
        (fx.Uint64(0xFFFFFFFFFFFFFFFF), 5, -(1 << 62)),
    ],
)
def test_the_counter_stays_in_its_type(bounds):
    loop = loop_range(bounds)
    most = (1 << (loop.start.width - 1)) - 1
    counts = range(loop.start.value, loop.stop.value, loop.step.value)
    assert counts[-1] + loop.step.value <= most
    assert numbers(loop) == list(range(*(getattr(bound, "value", bound) for bound in bounds)))


@pytest.mark.parametrize("step", [1, 3, -1, -2, 0])
def test_a_dynamic_step_goes_either_way_and_zero_makes_no_turn(computed, step):
    def loop(start, stop, step):
        found = loop_range((start, stop, step))
        turns = found.start, found.start + found.step, found.start + found.step * 2
        return found.start, found.stop, found.step, *(found.item(turn) for turn in turns)

    call = computed(loop, fx.Int32, fx.Int32, fx.Int32)
    for start, stop in ((1, 6), (6, 1), (-3, 3), (3, 3)):
        first, last, stride, *items = call(start, stop, step)
        expected = list(range(start, stop, step)) if step else []
        assert len(range(first, last, stride)) == len(expected)
        assert items[: len(expected)] == expected[:3]


def test_one_wide_bound_makes_the_loop_wide():
    assert loop_range((fx.Int64(5),)).start.dtype is fx.Int64
    assert loop_range((fx.Int8(5),)).start.dtype is fx.Int32
    assert type(loop_range((fx.Uint32(5),)).item(fx.Int64(1))) is fx.Uint32
    assert type(loop_range((fx.Uint32(5), -1)).item(fx.Int64(1))) is fx.Int64
    assert type(loop_range((fx.Uint64(5), fx.Uint64(9))).item(fx.Int64(1))) is fx.Uint64


@pytest.mark.parametrize(
    ("bounds", "unroll", "error", "message"),
    [
        ((), None, FrontendError, "range takes 1 to 3 numbers, found 0"),
        ((1, 2, 3, 4), None, FrontendError, "range takes 1 to 3 numbers, found 4"),
        ((1.5,), None, FrontendError, "range takes integers, found"),
        (("x",), None, FrontendError, "range takes integers, found 'x'"),
        ((1, 5, 0), None, FrontendError, "a range needs a step other than 0"),
        ((5,), 0, UnsupportedConstructError, "unroll is True or a positive number known while tracing, found 0"),
        ((5,), 2.0, UnsupportedConstructError, "found 2.0"),
    ],
)
def test_what_range_refuses(bounds, unroll, error, message):
    with pytest.raises(error, match=message):
        loop_range(bounds, unroll)


@pytest.mark.parametrize(("unroll", "turns"), [(None, None), (False, None), (1, 1), (4, 4)])
def test_unroll_is_a_number_of_turns(unroll, turns):
    assert loop_range((5,), unroll).unroll == turns


def test_a_loop_that_python_runs_goes_through_numbers():
    assert list(static_items(range, (2, 5))) == [2, 3, 4]
    assert list(static_items(fx.range, (2, 5), True)) == [2, 3, 4]
    assert list(static_items(lambda n: "abc"[:n], (2,))) == ["a", "b"]
    assert list(static_items(lambda n, unroll: [n, unroll], (2,), 3)) == [2, 3]


def test_a_loop_that_is_to_be_unrolled_completely_needs_static_bounds(emitted):
    with pytest.raises(FrontendError, match="unroll=True needs bounds known while tracing, found .*; give a number"):
        emitted(lambda x: static_items(range, (x,), True), fx.Int32)


def test_the_ranges_of_a_device():
    assert [is_device_range(function) for function in (range, fx.range, fx.range_constexpr)] == [True, True, False]
