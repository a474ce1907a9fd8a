"""The tests of kernels on a GPU of a machine that has no LLVM: a plugin of pytest that fills a cache, or runs from it.

    export PYTHONPATH=benchmarks/gpu:FOLDER/src KERNEL_TESTS_CACHE=FOLDER/cache
    export COMPILE_ONLY=1 FLYDSL_COMPILE_ARCH=sm_90a
    python -O -m pytest --assert=plain -W ignore -p kernel_tests integration-tests/kernels

    export PYTHONPATH=benchmarks/gpu:FOLDER/src:FOLDER/site KERNEL_TESTS_CACHE=FOLDER/cache FLYDSL_RUNTIME_RUN_ONLY=1
    python -m pytest -p kernel_tests integration-tests/kernels

FOLDER is one that `run_examples.py fill` made, whose packages the second machine imports; its cache must be private to
who runs. NumPy arrays go to the GPU and come back with each call. What a test expects of a compilation, or of the host,
does not hold there: read the failures.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest
from arrays import OnDevice, register

from flydsl.adaptors.dtypes import DTYPES
from flydsl.base import settings
from flydsl.base.interception import is_tracing
from flydsl.compiler.jit import JitFunction

BACKEND = "cuda"
CUDA = 2  # the number of such memory in DLPack


def pytest_configure(config: pytest.Config) -> None:
    """Put the GPU in the place of all targets."""
    from support import on_targets, targets

    targets.TARGETS[BACKEND] = targets.Target(BACKEND, 32)
    on_targets.targets_of = lambda module: [BACKEND]
    JitFunction.__call__ = _called(JitFunction.__call__)  # type: ignore[method-assign]
    if settings.compile.compile_only:
        for name in ("assert_array_equal", "assert_allclose", "assert_array_max_ulp"):
            setattr(np.testing, name, lambda *args, **kwargs: None)  # nothing has run


@pytest.fixture(autouse=True)
def arrays_of_the_host(target: object) -> None:
    """Let kernels take NumPy arrays that are on the device, in a test's own choice of plugins."""
    register()


def _called(call: Any) -> Any:
    """`call`, with arrays on the device meanwhile."""

    def on_gpu(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            return call(self, *args, **kwargs)
        taken: dict[int, OnDevice] = {}
        values = [_taken(value, taken) for value in args]
        result = call(self, *values, **{name: _taken(value, taken) for name, value in kwargs.items()})
        for array in taken.values():
            array.bring_back()
        return result

    return on_gpu


def _taken(value: Any, taken: dict[int, OnDevice]) -> Any:
    if type(value) is not np.ndarray or value.dtype.name not in DTYPES:
        return value
    if id(value) not in taken:
        taken[id(value)] = OnDevice(value, _device(), CUDA)
    return taken[id(value)]


def _device() -> Any:
    if settings.compile.compile_only:
        return None
    from flydsl.runtime.device import Device

    return Device()


if __name__ == "__main__":
    raise SystemExit(f"a plugin of pytest: see {os.path.basename(__file__)}")
