"""Artifacts from the cache: by sources without tracing, by the traced module, or built."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CacheOnlyError

FACTOR = 2


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n * FACTOR


def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)


def call():
    """A call of a function that this process has not compiled."""
    flyc.jit(fill)(np.zeros(4, np.int32), 1)


def test_a_known_function_is_neither_traced_nor_compiled_again(fake_device, monkeypatch):
    call()
    monkeypatch.setattr("flydsl.compiler.stages.build.trace", None)
    call()
    assert len(fake_device.asked("link")) == 1
    assert len(fake_device.launches) == 2


def test_the_toolchain_is_loaded_ahead_only_where_code_has_to_be_made(fake_device, monkeypatch):
    begun = []
    monkeypatch.setattr("flydsl.compiler.stages.loading.begin_loading", lambda: begun.append(len(fake_device.requests)))
    call()
    assert begun == [0]
    call()
    assert begun == [0]


def test_a_changed_global_is_another_entry(fake_device, monkeypatch):
    call()
    monkeypatch.setitem(globals(), "FACTOR", 3)
    call()
    assert len(fake_device.asked("link")) == 2


def test_settings_that_decide_the_code_are_part_of_the_entry(fake_device, monkeypatch):
    call()
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "0")
    call()
    assert len(fake_device.asked("link")) == 2


def test_run_only_takes_what_is_there_and_compiles_nothing(fake_device, monkeypatch):
    monkeypatch.setenv("FLYDSL_RUNTIME_RUN_ONLY", "1")
    message = (
        r"'fill' is not in the cache for .*, and FLYDSL_RUNTIME_RUN_ONLY forbids to compile it; run once without it"
    )
    with pytest.raises(CacheOnlyError, match=message):
        call()
    assert fake_device.requests == []
    monkeypatch.delenv("FLYDSL_RUNTIME_RUN_ONLY")
    call()
    monkeypatch.setenv("FLYDSL_RUNTIME_RUN_ONLY", "1")
    call()
    assert len(fake_device.launches) == 2


def test_without_a_cache_each_function_is_compiled(fake_device, monkeypatch):
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
    call()
    call()
    assert len(fake_device.asked("link")) == 2
