"""The sites of one function in C: found by the types of arguments, replaced and forgotten."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from support.call_sites import Served

import flydsl.expr as fx
from flydsl.frontend.signature import Parameter
from flydsl_reader import Calls, Site

TENSOR, COUNT = Parameter("x", "tensor"), Parameter("n", "scalar", fx.Int32)


def site_of(served: Served) -> Site:
    assert served.site.native is not None
    found: Any = served.site.native._site
    return found  # type: ignore[no-any-return]


def test_calls_go_to_the_site_of_their_types() -> None:
    numbers, pairs = Served([COUNT], (1,)), Served([COUNT, COUNT], (1, 2))
    calls = Calls()
    assert calls.launch(1) is NotImplemented
    assert calls.add((int,), site_of(numbers))
    assert calls.add((int, int), site_of(pairs))
    assert calls.launch(5) is None
    assert calls.launch(6, 7) is None
    assert [len(served.launcher.calls) for served in (numbers, pairs)] == [1, 1]
    for others in ((), (True,), (1.0,), (1, True), (1, 2, 3)):
        assert calls.launch(*others) is NotImplemented
    calls.clear()
    assert calls.launch(5) is NotImplemented


def test_a_site_takes_the_place_of_another_of_its_types() -> None:
    first, second = Served([COUNT], (1,)), Served([COUNT], (1,))
    calls = Calls()
    for served in (first, second):
        assert calls.add((int,), site_of(served))
    calls.launch(3)
    assert (len(first.launcher.calls), len(second.launcher.calls)) == (0, 1)


def test_what_a_site_cannot_read_is_left_to_its_stub() -> None:
    x = np.zeros((2, 3), np.float32)
    served, calls = Served([TENSOR, COUNT], (x, 1)), Calls()
    calls.add((np.ndarray, int), site_of(served))
    assert calls.launch(x.T, 1) is None
    assert served.misses[-1][0].shape == (3, 2)
    with pytest.raises(Exception, match="n"):
        calls.launch(x, 2**40)


def test_types_are_compared_by_identity() -> None:
    class Odd(type):
        def __eq__(cls, other: object) -> bool:
            return True

        __hash__ = type.__hash__

    class Number(int, metaclass=Odd):
        pass

    served, calls = Served([COUNT], (1,)), Calls()
    calls.add((int,), site_of(served))
    calls.add((Number,), site_of(served))
    assert calls.launch(1) is None
    calls.clear()
    calls.add((Number,), site_of(served))
    assert calls.launch(1) is NotImplemented


@pytest.mark.parametrize(
    "arguments", [(), ((int,),), ([int], None), ((int,), None), ((int,), object()), ((int,), Site)]
)
def test_what_is_no_site_is_refused(arguments: Any) -> None:
    with pytest.raises(TypeError):
        Calls().add(*arguments)
    with pytest.raises(TypeError):
        Calls(1)  # type: ignore[call-arg]


def test_as_many_sites_are_kept_as_there_is_room_for() -> None:
    served, calls = Served([COUNT], (1,)), Calls()
    kinds = [type(f"Number{index}", (int,), {}) for index in range(40)]
    added = [calls.add((kind,), site_of(served)) for kind in kinds]
    assert added == [True] * 32 + [False] * 8
    assert calls.add((kinds[0],), site_of(served))
    assert calls.launch(kinds[39](1)) is NotImplemented


def test_sites_end_with_what_keeps_them() -> None:
    class Kept:
        """Keeps the calls that keep a site which keeps it."""

        calls: Calls

        def fail(self, code: int) -> None:
            raise RuntimeError(code)

    kept = Kept()
    kept.calls, watched = Calls(), weakref.ref(kept)
    kept.calls.add((int,), Site((("number", "i"),), (), kept.fail, kept.fail, kept.fail, (), None, None, ()))
    del kept
    gc.collect()
    assert watched() is None


def test_calls_are_forgotten_while_others_run() -> None:
    """Also by the very call that the site serves."""
    calls = Calls()
    results: list[object] = []

    def forget(leaves: tuple[object, ...]) -> None:
        calls.clear()
        gc.collect()

    for _ in range(50):
        site = Site((("number", "i"),), (), lambda *leaves: "the stub", forget, forget, (), None, None, ())
        calls.add((int,), site)
        del site
        results += [calls.launch(1), calls.launch(1)]
    assert results == ["the stub", NotImplemented] * 50


def test_threads_share_calls() -> None:
    served, calls = Served([COUNT], (1,)), Calls()
    barrier, found = threading.Barrier(5), []

    def work(index: int) -> None:
        barrier.wait()
        for number in range(300):
            if index == 0:
                calls.clear()
                calls.add((int,), site_of(served))
            found.append(calls.launch(number))

    calls.add((int,), site_of(served))
    threads = [threading.Thread(target=work, args=(index,)) for index in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1500
    assert found.count(None) == len(served.launcher.calls) >= 300
