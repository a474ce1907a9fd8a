"""`flyc.compile`: functions compiled ahead of their calls, with hints of this compilation."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.compiler.modes.collected_calls import collecting_artifacts


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


def test_it_launches_once_and_compiles_nothing_more(function, fake_device):
    compiled = flyc.compile(function, array(), 1)
    assert len(fake_device.launches) == 1
    compiled(array(), 2)
    function(array(), 3)
    assert (len(fake_device.launches), len(fake_device.asked("link"))) == (3, 1)
    assert compiled.artifact.kernels == ("store_0",)


def test_hints_are_of_this_compilation(function, fake_device):
    compiled = flyc.compile[{"opt_level": 0}](function, array(), 1)
    compiled(array(), 2)
    function(array(), 2)
    assert len(fake_device.asked("link")) == 2
    with pytest.raises(ArgumentError, match="compile hint 'opt_level' is an integer from 0 to 3"):
        flyc.compile[{"opt_level": 7}]


def test_without_a_launch_it_gives_the_callable_alone(function, fake_device):
    compiled = flyc.compile[{"opt_level": 0}](function, array(), 1, launch=False)
    assert fake_device.launches == []
    compiled(array(), 2)
    assert len(fake_device.launches) == 1


def test_a_parameter_may_have_the_name_of_the_option(fake_device):
    @flyc.jit
    def named(x: fx.Tensor, launch: fx.Int32):
        store(x, launch).launch(grid=1, block=1)

    flyc.compile(named, array(), launch=False)
    assert [launch.packed[16:20] for launch in fake_device.launches] == [bytes(4)]


def test_calls_that_are_compiled_only_launch_and_load_nothing(function, fake_device, monkeypatch):
    monkeypatch.setenv("COMPILE_ONLY", "1")
    compiled = flyc.compile(function, array(), 1)
    compiled(array(), 2)
    assert (fake_device.launches, compiled.artifact.kernels) == ([], ("store_0",))
    with pytest.raises(RuntimeFailure, match="'fill' was compiled without memory of a device and is not loaded"):
        compiled.max_blocks_per_cu()
    with collecting_artifacts() as artifacts:
        flyc.compile(function, array(), 1)(array(), 2)
    assert [artifact.key for artifact in artifacts] == [compiled.artifact.key]
    monkeypatch.delenv("COMPILE_ONLY")
    compiled(array(), 2)
    assert len(fake_device.launches) == 1


def test_it_takes_a_jit_function():
    with pytest.raises(ArgumentError, match="compile takes a function decorated with @flyc.jit, found function"):
        flyc.compile(fill, array(), 1)
