"""Calls in a block that collects their code: compiled for a device that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.plugin import flydsl_tensor_adaptors
from flydsl.compiler.modes.collected_calls import collecting_artifacts, is_collecting
from flydsl.plugins.active.stack import has_device_work
from flydsl.testing.fakes import fake_backend, fake_runtime

if TYPE_CHECKING:
    from flydsl.testing.fake_toolchain import FakeToolchain
    from flydsl.testing.sandbox import PluginSandbox


@flyc.kernel
def fill_kernel(x: fx.Tensor, value: fx.Constexpr[float]) -> None:
    x[fx.thread_idx.x] = value


@flyc.jit
def fill(x: fx.Tensor, value: fx.Constexpr[float]) -> None:
    fill_kernel(x, value).launch(grid=1, block=8)


def test_calls_are_compiled_and_not_launched(fake_device: FakeToolchain, isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.install()
    isolated_plugins.register(fake_backend(), fake_runtime(devices=0), *flydsl_tensor_adaptors())
    x = np.zeros(8, np.float32)
    with collecting_artifacts() as artifacts:
        assert is_collecting()
        fill(x, 1.0)
        fill(x, value=2.0)
        fill(x, 1.0)
    assert not is_collecting()
    assert [len(artifact.kernels) for artifact in artifacts] == [1, 1, 1]
    assert artifacts[0] is artifacts[2]
    assert artifacts[0].device != artifacts[1].device
    assert not has_device_work()
    with pytest.raises(RuntimeError, match="no device"):
        fill(x, 1.0)


def test_calls_that_have_run_before_are_collected_too(fake_device: FakeToolchain) -> None:
    x = np.zeros(8, np.float32)
    fill(x, 3.0)
    with collecting_artifacts() as artifacts:
        fill(x, 3.0)
    assert len(artifacts) == 1
    assert fill.get_last_artifact() is artifacts[0]
