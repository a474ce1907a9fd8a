"""Candidates compared by code, without a device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.plugin import flydsl_tensor_adaptors
from flydsl.autotune.ranking import SPILL, static_cost
from flydsl.plugins.code_report import KernelReport
from flydsl.testing.fakes import FakeBackend, fake_backend, fake_runtime

if TYPE_CHECKING:
    from flydsl.testing.sandbox import PluginSandbox


class Reporting(FakeBackend):
    """Reports ten instructions and one spill a kernel."""

    def code_report(self, code: bytes, *, kernels: Sequence[str], **_: Any) -> tuple[KernelReport, ...]:
        return tuple(KernelReport(name, {"all": 10}, spills={"VGPR": 1}) for name in kernels)


@flyc.kernel
def fill_kernel(x: fx.Tensor, value: fx.Constexpr[float]) -> None:
    x[fx.thread_idx.x] = value


@flyc.jit
def fill(x: fx.Tensor, value: fx.Constexpr[float], times: fx.Constexpr[int]) -> None:
    for _ in fx.range_constexpr(times):
        fill_kernel(x, value).launch(grid=1, block=8)


def world(plugins: PluginSandbox, **backend: Any) -> None:
    """A backend without a device, in place of the fakes that there are."""
    plugins.install()
    plugins.register(fake_backend(**backend), fake_runtime(devices=0), *flydsl_tensor_adaptors())


pytestmark = pytest.mark.usefixtures("fake_device")


def test_instructions_and_spills_of_all_kernels_are_counted(isolated_plugins: PluginSandbox) -> None:
    world(isolated_plugins, factory=Reporting)
    x = np.zeros(8, np.float32)
    one = static_cost(lambda: fill(x, 1.0, 1))
    assert one == 10 + SPILL
    assert static_cost(lambda: [fill(x, 2.0, 1), fill(x, 3.0, 1)]) == 2 * one


def test_a_call_without_a_kernel_cannot_be_compared(isolated_plugins: PluginSandbox) -> None:
    world(isolated_plugins, factory=Reporting)
    with pytest.raises(RuntimeError, match="no kernel whose code could be compared"):
        static_cost(lambda: None)


def test_a_backend_without_reports_cannot_compare(isolated_plugins: PluginSandbox) -> None:
    world(isolated_plugins)
    with pytest.raises(RuntimeError, match="has no report of the code"):
        static_cost(lambda: fill(np.zeros(8, np.float32), 4.0, 1))
