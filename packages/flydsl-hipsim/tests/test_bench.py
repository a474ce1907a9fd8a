"""The fixture `hipsim`: devices of several chips, and nothing that stays for the next test."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTargetError
from flydsl.compiler.options.target_options import target_of
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import device_runtime
from flydsl_hipsim.bench import HipsimBench
from flydsl_hipsim.simulator import hip_functions, running_options


def test_the_pair_is_the_simulator(hipsim: HipsimBench) -> None:
    assert str(active_pair()) == "rocm + hipsim (kind rocm)"
    assert device_runtime().device_count() == len(hipsim.archs)


@pytest.mark.parametrize("arch", ["gfx942", "gfx950", "gfx1100", "gfx1201"])
def test_a_chip_is_compiled_for_and_current(hipsim: HipsimBench, arch: str) -> None:
    hipsim.use(arch)
    runtime = device_runtime()
    assert (target_of().arch, runtime.device_info(runtime.current_ordinal()).arch) == (arch, arch)


def test_a_chip_that_no_device_has_is_refused(hipsim: HipsimBench) -> None:
    with pytest.raises(ValueError, match="no device simulates 'gfx1030': they are gfx942, gfx942, gfx950"):
        hipsim.use("gfx1030")


def test_generic_code_runs_on_the_first_chip_that_executes_it(hipsim: HipsimBench) -> None:
    hipsim.use("gfx950")
    hipsim.use("gfx9-4-generic")
    assert target_of().arch == "gfx9-4-generic"
    assert hipsim.archs[device_runtime().current_ordinal()] == "gfx942"


def test_features_of_a_chip_are_compiled_for_until_the_next_choice(hipsim: HipsimBench) -> None:
    hipsim.use("gfx1201:wavefrontsize64+")
    assert (target_of().arch, target_of().warp_size) == ("gfx1201:wavefrontsize64+", 64)
    hipsim.use("gfx1201")
    assert (target_of().arch, target_of().warp_size) == ("gfx1201", 32)


@flyc.kernel
def lanes_kernel(y: fx.Tensor):
    y[fx.thread_idx.x] = fx.lane_id()


@flyc.jit
def lanes(y: fx.Tensor):
    lanes_kernel(y).launch(grid=1, block=64)


def test_a_function_that_ran_before_is_compiled_for_the_features_that_are_chosen_next(hipsim: HipsimBench) -> None:
    for arch, wave in (("gfx1100", 32), ("gfx1100:wavefrontsize64+", 64), ("gfx1100", 32)):
        hipsim.use(arch)
        y = np.zeros(64, np.int32)
        lanes(y)
        np.testing.assert_array_equal(y, np.arange(64) % wave)
    hipsim.use("gfx1100:turbo+")
    with pytest.raises(UnsupportedTargetError, match=r"has an unknown feature 'turbo\+'"):
        lanes(y)


def test_everything_is_put_back_after_a_test() -> None:
    with pytest.MonkeyPatch.context() as patch, HipsimBench(patch) as bench:
        before = running_options()
        bench.use("gfx950")
        bench.set_order("random:3")
        bench.fail_next("hipInit", 2)
        bench.fail_next("hipSetDevice", 101)
        assert hip_functions().hipSetDevice(0) == 101
    functions = hip_functions()
    assert (functions.hipInit(0), functions.hipGetLastError(), running_options()) == (0, 0, before)


def test_calls_are_counted(hipsim: HipsimBench) -> None:
    before = hipsim.calls().get("hipInit", 0)
    for _ in range(3):
        hip_functions().hipInit(0)
    assert hipsim.calls()["hipInit"] == before + 3


def test_arrays_of_the_host_go_to_the_current_device(hipsim: HipsimBench) -> None:
    hipsim.use("gfx950")

    @flyc.kernel
    def double_kernel(x: fx.Tensor) -> None:
        x[fx.thread_idx.x] = x[fx.thread_idx.x] * 2

    @flyc.jit
    def double(x: fx.Tensor) -> None:
        double_kernel(x).launch(grid=1, block=32)

    x = np.arange(32, dtype=np.int32)
    double(x)
    np.testing.assert_array_equal(x, np.arange(32) * 2)
    assert device_runtime().current_ordinal() == hipsim.archs.index("gfx950")
