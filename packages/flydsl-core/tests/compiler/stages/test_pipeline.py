"""Stages of a compilation by the fake toolchain: traces, keys, lowering and failures of code generation."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError
from flydsl.compiler.stages.pipeline import Traced
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import FakeBackend, fake_backend


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)


def traced(**hints):
    function = flyc.jit(fill)
    return function.trace(np.zeros(4, np.int32), 1)


@pytest.mark.usefixtures("fake_device")
def test_the_key_holds_what_decides_the_code(monkeypatch):
    def key():
        return traced().key()

    before = key()
    assert before == key()
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "0")
    changed = key()
    assert {name for name in before if before[name] != changed.get(name)} == {"option.FLYDSL_COMPILE_OPT_LEVEL"}


def test_a_failure_of_code_generation_shows_the_kernels_line(fake_device: FakeToolchain, isolated_plugins):
    class Failing(FakeBackend):
        def emit_code_object(self, module_text, *, arch, toolchain, options=None):
            raise CompileError("cannot make code of 'store_0'", kernel="store_0")

    isolated_plugins.register(fake_backend("failing", factory=lambda: Failing("failing")))
    function = flyc.jit(fill)
    lowered = function.trace(np.zeros(4, np.int32), 1, backend="failing").lower()
    with pytest.raises(CompileError, match="cannot make code of 'store_0'") as caught:
        lowered.compile()
    assert caught.value.location.file == __file__


@pytest.mark.usefixtures("fake_device")
def test_host_declarations_of_the_c_library_stay_out_of_the_kernels():
    lowered = traced().lower()
    assert "llvm.func" not in lowered.device_text


@flyc.kernel
def add(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] + n


def host(x: fx.Tensor, y: fx.Tensor, n: fx.Int32):
    add(x, y, n).launch(grid=1, block=8)
    add(x, y, n).launch(grid=1, block=n)


@pytest.fixture
def of_host(fake_device: FakeToolchain) -> Traced:
    return flyc.jit(host).trace(np.zeros(8, np.int32), np.zeros(8, np.int32), 1)


def test_a_trace_names_its_kernels_their_blocks_and_what_they_write(of_host: Traced) -> None:
    assert (of_host.name, of_host.target) == ("host", GPUTarget("fake", "fake1", 32))
    assert of_host.kernels == ("add_0", "add_1")
    assert of_host.blocks() == {"add_0": (8, 1, 1)}
    assert of_host.written == (1,)


def test_lowering_leaves_the_trace_and_splits_host_from_device(of_host: Traced) -> None:
    before = of_host.text
    lowered = of_host.lower()
    assert of_host.text == before
    assert '"func.func"' not in lowered.device_text
    assert lowered.device_text.count('"gpu.func"') == 2
    assert lowered.host.sym_name.data == "host"
    assert "fly.memref" not in lowered.device_text
