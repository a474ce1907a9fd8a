"""Values that change while a function is traced, that are new at each read, or that no guard can watch."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl.base.errors import FrontendError, UnwatchedValueWarning
from flydsl.compiler.options.target_options import target_of


@pytest.fixture
def array():
    return np.zeros(4, np.int32)


STATE = """
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    class Tally:
        runs = 0

    seen, counts, size, memo, tally = [], {"calls": 0, "other": 1}, 0, set(), Tally()
    tally.traces = 0

    def note():
        global size
        size += 1

    @flyc.kernel
    def store(x: fx.Tensor):
        seen.append(len(seen))
        counts["calls"] += 1
        memo.add(len(memo))
        tally.traces += 1
        Tally.runs += 1
        note()
        x[0] = counts["other"]

    @flyc.jit
    def fill(x: fx.Tensor):
        store(x).launch(grid=1, block=1)

    @flyc.jit
    def fill_too(x: fx.Tensor):
        store(x).launch(grid=1, block=1)
"""


def test_a_function_whose_trace_changes_what_it_reads_is_traced_once(load, fake_device, array):
    module = load(STATE)
    for _ in range(3):
        module.fill(array)
    assert module.seen == [0]
    assert len(fake_device.launches) == 3


def test_functions_that_share_what_their_traces_change_leave_each_other_alone(load, fake_device, array):
    module = load(STATE)
    wide = np.zeros((2, 2), np.int32)[:, 0]
    for _ in range(3):
        module.fill(array)
        module.fill_too(array)
        module.fill(wide)
    assert module.counts["calls"] == 3
    assert len(fake_device.launches) == 9


def test_what_the_trace_left_alone_is_still_watched(load, fake_device, array):
    module = load(STATE)
    module.fill(array)
    module.counts["other"] = 2
    module.fill(array)
    assert module.counts["calls"] == 2
    module.fill(array)
    assert module.counts["calls"] == 2
    module.seen[0] = "changed"
    module.fill(array)
    assert module.counts["calls"] == 3


def test_code_made_of_state_that_tracing_changes_is_not_found_by_sources(load, fake_device, array):
    load(STATE, "first_of_mine").fill(array)
    again = load(STATE, "second_of_mine")
    again.fill(array)
    assert again.seen == [0]
    assert len(fake_device.asked("link")) == 1  # the same module: compiled once


FRESH = """
    import flydsl.compiler as flyc
    import flydsl.expr as fx
    import fresh_of_mine

    @flyc.kernel
    def store(x: fx.Tensor):
        x[0] = int(fresh_of_mine.VALUE)

    @flyc.jit
    def fill(x: fx.Tensor):
        store(x).launch(grid=1, block=1)
"""


def test_a_new_object_at_each_read_is_compared_by_value(load, fake_device, array, monkeypatch):
    fresh = load("n = 1\ndef __getattr__(name):\n    return float(f'1000.{n}')", "fresh_of_mine")
    module = load(FRESH)
    module.fill(array)
    monkeypatch.setattr("flydsl.compiler.stages.function_code.trace", None)
    module.fill(array)
    module.fill(array)
    assert len(fake_device.launches) == 3
    fresh.n = 7
    dependencies = module.fill._code.dependencies(target_of())
    assert dependencies.is_current()


def test_another_object_at_each_read_is_traced_at_each_call_with_one_warning(load, fake_device, array):
    fresh = load("n = 1\ndef __getattr__(name):\n    return iter((n,))", "fresh_of_mine")
    module = load(FRESH.replace("int(fresh_of_mine.VALUE)", "next(fresh_of_mine.VALUE)"))
    with pytest.warns(UnwatchedValueWarning, match=r"'fill' is traced at each call.*fresh_of_mine.VALUE.*pass such"):
        module.fill(array)
    module.fill(array)
    assert len(fake_device.asked("link")) == 1
    fresh.n = 2
    module.fill(array)
    assert len(fake_device.asked("link")) == 2
    assert len(fake_device.launches) == 3


@pytest.mark.parametrize(
    "use", ["prepared(x, 1)", "fill.prepare(x, 1)", "flyc.compile(fill, x, 1)", "interpreted(x, 1)"]
)
def test_what_runs_at_once_is_refused_inside_of_a_trace(load, fake_device, array, use):
    module = load(f"""
    import numpy as np
    import flydsl.compiler as flyc
    import flydsl.expr as fx

    @flyc.kernel
    def store(x: fx.Tensor, n: fx.Int32):
        x[0] = n

    @flyc.jit
    def fill(x: fx.Tensor, n: fx.Int32):
        store(x, n).launch(grid=1, block=1)

    prepared, interpreted = fill.prepare(np.zeros(4, np.int32), 1), flyc.interpret(fill)

    @flyc.jit
    def outer(x: fx.Tensor):
        {use}
        store(x, 1).launch(grid=1, block=1)
    """)
    with pytest.raises(FrontendError, match=r"'fill' is .* inside of a traced function.*call the @flyc.jit") as error:
        module.outer(array)
    assert error.value.location is not None
    assert use in error.value.location.caret()
    assert fake_device.launches == []
