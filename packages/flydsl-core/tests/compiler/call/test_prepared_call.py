"""Prepared calls: the device they belong to, and sites that keep no argument of theirs alive."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure
from flydsl.cache.guards import Guard
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import fake_backend, fake_runtime


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


@pytest.fixture
def function():
    def fill(x: fx.Tensor, n: fx.Int32):
        store(x, n).launch(grid=1, block=1)

    return flyc.jit(fill)


def test_written_are_the_positions_of_leaves(function, fake_device):
    prepared = function._prepare((np.zeros(4, np.int32), 7))
    assert prepared.written == {0}
    assert prepared.current is None
    assert [argument.parameter.name for argument in prepared.call.arguments] == ["x", "n"]


def test_calls_without_a_tensor_on_a_device_follow_the_current_one(isolated_plugins, monkeypatch, tmp_path, function):
    from flydsl.adaptors.plugin import flydsl_tensor_adaptors

    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    isolated_plugins.register(fake_backend(), fake_runtime(devices=2), *flydsl_tensor_adaptors())
    with FakeToolchain().installed() as toolchain:
        function(np.zeros(4, np.int32), 7)
        prepared = function._prepare((np.zeros(4, np.int32), 7))
        assert prepared.current is not None
        assert prepared.current() == prepared.loaded.ordinal == 1
    assert [launch.ordinal for launch in toolchain.launches] == [1]


def test_the_first_calls_tensors_are_not_kept_alive(function, fake_device):
    x = np.zeros(4, np.int32)
    alive = weakref.ref(x)
    function(x, 7)
    prepared = function.prepare(x, 7)
    del x
    gc.collect()
    assert alive() is None
    prepared(np.zeros(4, np.int32), 8)
    assert len(fake_device.launches) == 2


def test_a_launch_that_fails_shows_the_line_of_the_launch(isolated_plugins, monkeypatch, tmp_path, function):
    from flydsl.adaptors.plugin import flydsl_tensor_adaptors

    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    isolated_plugins.register(fake_backend(), fake_runtime(), *flydsl_tensor_adaptors())
    with FakeToolchain(launch_codes=(0, 5)).installed():
        function(np.zeros(4, np.int32), 7)
        with pytest.raises(RuntimeFailure) as error:
            function(np.zeros(4, np.int32), 8)
    assert error.value.code == 5
    assert error.value.location is not None
    assert error.value.location.line == function.__wrapped__.__code__.co_firstlineno + 1


def test_what_the_reader_tests_itself_and_the_rest_are_all_that_was_read(function, fake_device, monkeypatch):
    prepared = function._prepare((np.zeros(4, np.int32), 7))
    plain, rest = prepared.guards()
    assert rest is None
    assert {guard.kind for guard in plain} == {"item", "attribute"}
    assert plain == prepared.dependencies.guards
    assert any(guard.name == "known_block_size" for guard in plain)
    state = {"current": True}
    files = SimpleNamespace(is_current=lambda: state["current"])
    assert prepared._replace(files=files).guards()[1] is files.is_current
    signed = (*prepared.dependencies.guards[:1], Guard("answer", lambda: state["current"], "", True))
    other = prepared._replace(dependencies=replace(prepared.dependencies, guards=signed), files=files)
    assert (len(other.guards()[0]), other.guards()[1]()) == (1, True)
    state["current"] = False
    assert not other.guards()[1]()


def test_a_kernel_that_gets_another_block_size_is_noticed(function, fake_device, monkeypatch):
    prepared = function._prepare((np.zeros(4, np.int32), 7))
    assert prepared.dependencies.is_current()
    monkeypatch.setattr(store, "known_block_size", (64, 1, 1))
    assert not prepared.dependencies.is_current()
