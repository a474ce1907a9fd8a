"""`flyc.compile`: functions compiled ahead of their calls, with hints of this compilation."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)


@pytest.fixture
def function():
    return flyc.jit(fill)


def array():
    return np.zeros(4, np.int32)


def test_a_compiled_function_launches_and_compiles_nothing_more(function, fake_device):
    compiled = flyc.compile(function, array(), 1)
    assert fake_device.launches == []
    compiled(array(), 2)
    function(array(), 3)
    assert (len(fake_device.launches), len(fake_device.asked("link"))) == (2, 1)
    assert compiled.artifact.kernels == ("store_0",)


def test_hints_are_of_this_compilation(function, fake_device):
    compiled = flyc.compile[{"opt_level": 0}](function, array(), 1)
    compiled(array(), 2)
    function(array(), 2)
    assert len(fake_device.asked("link")) == 2
    with pytest.raises(ArgumentError, match="compile hint 'opt_level' is an integer from 0 to 3"):
        flyc.compile[{"opt_level": 7}]


def test_it_takes_a_jit_function():
    with pytest.raises(ArgumentError, match="compile takes a function decorated with @flyc.jit, found function"):
        flyc.compile(fill, array(), 1)
