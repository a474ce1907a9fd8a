"""Kernels are compiled for the device where they run, unless something names another target."""

from __future__ import annotations

import numpy as np
import pytest
from support.kernels import scale

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError
from flydsl.compiler.options.target_options import target_of
from flydsl.plugins import register_tensor_adaptor
from flydsl.runtime.device import Device, get_rocm_arch
from flydsl.testing.suite.device_array import DeviceArray, adaptor_manifest
from flydsl_hipsim.bench import HipsimBench

CHIPS = ("gfx942", "gfx950")
_DLPACK_ROCM = 10


@flyc.kernel
def lanes_kernel(y: fx.Tensor):
    y[fx.thread_idx.x] = fx.lane_id()


@flyc.jit
def write_lanes(y: fx.Tensor):
    lanes_kernel(y).launch(grid=1, block=64)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_target_is_the_chip_of_the_current_device(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    assert target_of().arch == chip
    assert get_rocm_arch() == chip
    x, y = np.arange(77, dtype=np.float32), np.zeros(77, np.float32)
    prepared = flyc.compile(scale, x, y, 3.0, 77)
    assert prepared.artifact.target.arch == chip
    prepared(x, y, 3.0, 77)
    np.testing.assert_array_equal(y, 3 * x)


def test_code_is_made_for_the_device_of_its_tensors_whatever_device_is_current(hipsim: HipsimBench) -> None:
    register_tensor_adaptor(adaptor_manifest())
    there = Device(hipsim.archs.index("gfx950"))
    x = np.arange(77, dtype=np.float32)
    on_device = [DeviceArray.copy_of(array, there, _DLPACK_ROCM) for array in (x, np.zeros_like(x))]
    assert target_of().arch == "gfx942"
    prepared = flyc.compile(scale, *on_device, 3.0, 77)
    assert prepared.artifact.target.arch == "gfx950"
    prepared(*on_device, 3.0, 77)
    np.testing.assert_array_equal(on_device[1].numpy(), 3 * x)


def test_a_setting_or_an_argument_names_another_target(hipsim: HipsimBench, monkeypatch: pytest.MonkeyPatch) -> None:
    hipsim.use("gfx942")
    assert target_of("rocm", "gfx1100").arch == "gfx1100"
    monkeypatch.setenv("FLYDSL_GPU_ARCH", "gfx90a")
    assert target_of().arch == "gfx90a"
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "gfx950")
    assert target_of().arch == "gfx950"
    x = np.zeros(1, np.float32)
    with pytest.raises(FlyDSLError, match="gfx950"):
        scale.__class__(scale.__wrapped__)(x, x.copy(), 1.0, 1)


def test_without_a_device_the_target_is_the_documented_default(isolated_plugins: object) -> None:
    from flydsl_rocm.target import default_arch

    assert default_arch() == "gfx942"


def test_calls_with_host_arrays_follow_the_current_device(hipsim: HipsimBench) -> None:
    lanes = np.zeros(64, np.int32)
    for chip, wave in (("gfx942", 64), ("gfx1100", 32), ("gfx942", 64)):
        hipsim.use(chip)
        write_lanes(lanes)
        np.testing.assert_array_equal(lanes, np.arange(64) % wave)
