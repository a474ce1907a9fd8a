"""Placeholders: what is compiled with them is loaded and launched by the first call that is live."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.plugin import flydsl_tensor_adaptors
from flydsl.base.errors import NoDeviceError
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.testing.fakes import fake_backend, fake_runtime

ROCM = 10
FACTOR = 1


@flyc.kernel
def store(x: fx.Tensor, n: fx.Int32):
    x[0] = n * FACTOR


def fill(x: fx.Tensor, n: fx.Int32):
    store(x, n).launch(grid=1, block=1)


@flyc.kernel
def through(p: fx.Pointer):
    p.store(fx.Float32(1.0))


def point(p: fx.Pointer):
    through(p).launch(grid=1, block=1)


@pytest.fixture
def gpu(isolated_plugins, tmp_path, monkeypatch):
    """A backend whose runtime works on memory of devices only; `devices` of them."""

    def install(devices=1):
        isolated_plugins.register(
            fake_backend(),
            fake_runtime(devices=devices, device_kinds=frozenset({ROCM})),
            *flydsl_tensor_adaptors(),
        )

    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "fake")
    with FakeToolchain().installed() as toolchain:
        toolchain.install = install
        yield toolchain


@pytest.mark.parametrize("devices", [0, 1])
def test_arrays_of_the_host_are_placeholders_where_work_is_on_devices(gpu, devices):
    gpu.install(devices)
    compiled = flyc.compile(flyc.jit(fill), np.zeros(4, np.int32), 1)
    assert (gpu.launches, compiled.artifact.kernels) == ([], ("store_0",))
    with pytest.raises(Exception, match="has no device" if not devices else "device of DLPack kind 1"):
        compiled(np.zeros(4, np.int32), 1)


def test_null_pointers_are_placeholders(fake_device):
    memory = np.zeros(4, np.float32)
    compiled = flyc.compile(flyc.jit(point), flyc.from_c_void_p(fx.Float32, None))
    assert fake_device.launches == []
    compiled(flyc.from_c_void_p(fx.Float32, memory.ctypes.data))
    assert len(fake_device.launches) == 1


def test_functions_without_memory_are_launched(fake_device):
    @flyc.kernel
    def nothing(n: fx.Int32):
        fx.gpu.barrier()

    @flyc.jit
    def host(n: fx.Int32):
        nothing(n).launch(grid=1, block=1)

    flyc.compile(host, 3)
    assert len(fake_device.launches) == 1


def test_code_made_with_placeholders_stays_whatever_changes(fake_device, monkeypatch):
    monkeypatch.setenv("COMPILE_ONLY", "1")
    compiled = flyc.compile(flyc.jit(fill), np.zeros(4, np.int32), 1)
    monkeypatch.delenv("COMPILE_ONLY")
    monkeypatch.setitem(globals(), "FACTOR", 2)
    compiled(np.zeros(4, np.int32), 1)
    assert (len(fake_device.launches), len(fake_device.asked("link"))) == (1, 1)
    flyc.jit(fill)(np.zeros(4, np.int32), 1)
    assert len(fake_device.asked("link")) == 2


def test_live_arguments_need_a_device(gpu):
    gpu.install(0)
    with pytest.raises(NoDeviceError):
        flyc.compile(flyc.jit(point), flyc.from_c_void_p(fx.Float32, 4096))
