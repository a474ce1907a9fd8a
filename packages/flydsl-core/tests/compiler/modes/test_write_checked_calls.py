"""Limited calls: stubs of their own, changes noticed, and nothing written beyond the limit."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure

SWAPPED = False


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    y[0] = x[0]


@pytest.fixture
def function():
    def copy(x: fx.Tensor, y: fx.Tensor, n: fx.Int32 = 1):
        if SWAPPED:
            copy_kernel(y, x).launch(grid=n, block=1)
        else:
            copy_kernel(x, y).launch(grid=n, block=1)

    return flyc.jit(copy)


def arrays():
    return np.zeros(4, np.int32), np.zeros(4, np.int32)


def test_calls_after_the_first_go_through_a_stub(function, fake_device, monkeypatch):
    limited = function.limited({1})
    limited(*arrays(), 1)
    monkeypatch.setattr(function, "_prepare", None)
    limited(*arrays(), 2)
    assert len(fake_device.launches) == 2


def test_a_call_that_writes_more_is_refused_before_it_is_launched(function, fake_device, monkeypatch):
    limited = function.limited({1})
    limited(*arrays(), 1)
    monkeypatch.setitem(globals(), "SWAPPED", True)
    for _ in range(2):
        with pytest.raises(RuntimeFailure, match=r"'copy' writes 'x' now, which it did not .*; trace anew"):
            limited(*arrays(), 1)
    function.limited({0, 1})(*arrays(), 1)
    function(*arrays(), 1)
    monkeypatch.setitem(globals(), "SWAPPED", False)
    limited(*arrays(), 1)
    assert len(fake_device.launches) == 4


def test_changed_hints_are_noticed(function, fake_device):
    limited = function.limited({1})
    limited(*arrays(), 1)
    assert len(limited._stubs) == 1
    function.compile_hints["opt_level"] = 1
    assert not limited._stubs


def test_an_interpreted_block_interprets(function, fake_device):
    limited = function.limited({1})
    x, y = np.full(4, 7, np.int32), np.zeros(4, np.int32)
    limited(x, y, 1)
    with flyc.interpret():
        limited(x, y, 1)
    assert (y[0], len(fake_device.launches)) == (7, 1)
