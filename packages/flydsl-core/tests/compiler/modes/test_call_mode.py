"""Blocks that change the mode of calls: calls of the block's context only, however many blocks are open."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.compiler.modes.call_mode import blocks, call_mode, changed_mode, is_interpreting


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


@pytest.fixture
def fill():
    @flyc.jit
    def fill(x: fx.Tensor, n: fx.Int32):
        store(x, n).launch(grid=1, block=1)

    return fill


def test_blocks_nest_and_close_after_an_error():
    def fail():
        with changed_mode(interpreted=True):
            with changed_mode(interpreted=True):
                assert (blocks.open, is_interpreting()) == (2, True)
            assert (blocks.open, is_interpreting()) == (1, True)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (blocks.open, is_interpreting()) == (0, False)


def test_a_block_keeps_what_blocks_around_ask_for():
    with changed_mode(interpreted=True), changed_mode(hints={"unroll": 2}):
        assert call_mode().interpreted
        assert call_mode().hints == {"unroll": 2}
    assert not call_mode().hints


def test_calls_of_a_block_are_interpreted_although_a_stub_could_launch_them(fill, fake_device):
    x = np.zeros(4, np.int32)
    fill(x, 1)
    with flyc.interpret():
        fill(x, 7)
        fill(x=x, n=8)
    assert (x[0], len(fake_device.launches)) == (8, 1)  # the fake launches do nothing
    fill(x, 9)
    assert (x[0], len(fake_device.launches)) == (8, 2)


def test_calls_of_other_threads_are_launched_while_a_block_is_open(fill, fake_device):
    x = np.zeros(4, np.int32)
    with flyc.interpret():
        thread = threading.Thread(target=fill, args=(x, 7))
        thread.start()
        thread.join()
    assert (x[0], len(fake_device.launches)) == (0, 1)


def test_no_class_is_changed_by_a_block():
    before = dict(vars(flyc.JitFunction))
    with flyc.interpret():
        assert dict(vars(flyc.JitFunction)) == before


def test_a_setting_interprets_the_calls_of_a_process(monkeypatch, fill, fake_device):
    monkeypatch.setenv("FLYDSL_INTERPRET", "1")
    x = np.zeros(4, np.int32)
    fill(x, 5)
    assert (x[0], fake_device.launches) == (5, [])
