"""The target of the running trace, and outside of kernels that of the program."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.expr.tracing.target import current_target
from flydsl.plugins.compile_backend import GPUTarget

pytestmark = pytest.mark.usefixtures("fake_device")


def test_the_target_is_that_of_the_trace_or_of_the_program(emitted: Any) -> None:
    assert emitted(current_target).result.backend == "none"
    assert current_target() == GPUTarget("fake", "fake1", 32)
    assert fx.num_warp_threads() == 32
