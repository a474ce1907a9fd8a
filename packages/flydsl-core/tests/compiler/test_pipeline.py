"""The arrows between stages: targets, options, keys and failures."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError, UnsupportedTargetError
from flydsl.compiler import pipeline
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import FakeBackend, FakeRuntime, fake_backend
from flydsl.testing.sandbox import PluginSandbox


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n


def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)


def traced(**hints):
    function = flyc.jit(fill)
    return function.trace(np.zeros(4, np.int32), 1)


@pytest.mark.usefixtures("fake_device")
def test_the_target_is_named_set_of_the_device_or_the_default(monkeypatch):
    class Device:
        arch = "fake2"

    assert pipeline.target_of() == GPUTarget("fake", "fake1", 32)
    monkeypatch.setattr(FakeBackend, "device_arch", lambda self, arch: arch)
    assert pipeline.target_of(device=Device()).arch == "fake2"
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "fake2")
    assert pipeline.target_of().arch == "fake2"
    assert pipeline.target_of(arch="fake1").arch == "fake1"
    assert pipeline.target_of("fake", "fake2").backend == "fake"


@pytest.mark.usefixtures("fake_device")
def test_an_architecture_of_another_backend_is_refused_with_its_name(isolated_plugins: PluginSandbox):
    isolated_plugins.register(fake_backend("other", factory=lambda: FakeBackend("other", ("other1",))))
    with pytest.raises(UnsupportedTargetError, match="backend 'other' does: name it with backend= or FLYDSL_COMPILE"):
        pipeline.target_of("fake", "other1")
    with pytest.raises(UnsupportedTargetError) as caught:
        pipeline.target_of("fake", "none1")
    assert "backend 'other' does" not in str(caught.value)


def test_options_are_the_settings_and_hints_come_first(monkeypatch):
    monkeypatch.setenv("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", "1")
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "1")
    assert pipeline.options() == {"opt_level": 1, "debug_info": True}
    assert pipeline.options({"opt_level": 3})["opt_level"] == 3
    assert pipeline.has_lines()
    assert not pipeline.has_lines({"debug_info": False})


@pytest.mark.parametrize("name", ["llvm_pass_pipeline", "llvm_codegen_passes"])
def test_a_setting_that_cannot_be_honoured_is_an_error(monkeypatch, name):
    variable = f"FLYDSL_COMPILE_{name.upper()}"
    monkeypatch.setenv(variable, "something")
    with pytest.raises(CompileError, match=f"{variable} is set, and this version cannot run custom LLVM passes"):
        pipeline.options()


@pytest.mark.usefixtures("fake_device")
def test_the_key_holds_what_decides_the_code(monkeypatch):
    def key():
        return pipeline.artifact_key(traced())

    before = key()
    assert before == key()
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "0")
    changed = key()
    assert {name for name in before if before[name] != changed.get(name)} == {"option.FLYDSL_COMPILE_OPT_LEVEL"}


@pytest.mark.usefixtures("fake_device")
def test_the_tools_are_known_by_their_fingerprints():
    assert pipeline.tools() == {"fake": "fake 1.0"}


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


def test_the_runtime_of_the_pair_loads_the_code(fake_device):
    from flydsl.plugins.selection import active_pair
    from flydsl.plugins.stack import claim_runtime

    artifact = traced().lower().compile()
    pipeline.load(artifact)
    runtime = claim_runtime(active_pair())
    assert isinstance(runtime, FakeRuntime)
    assert runtime.table.loads == [(0, artifact.device, ["store_0"])]
