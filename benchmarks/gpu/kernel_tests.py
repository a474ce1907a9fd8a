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

import copy
import dataclasses
import operator
import os
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from arrays import OnDevice, register

from flydsl.adaptors.dtypes import DTYPES
from flydsl.adaptors.resolve import adaptor_for
from flydsl.base import settings
from flydsl.base.interception import is_tracing
from flydsl.compiler.aot.compiled import CompiledFunction
from flydsl.compiler.call.tensor_argument import TensorArgument
from flydsl.compiler.jit import JitFunction

BACKEND = "cuda"
CUDA = 2  # the number of such memory in DLPack
PREPARE = JitFunction.prepare_with
OF_THE_HOST = frozenset({
    "test_raw_addresses_are_pointer_arguments",
    "test_keywords_and_defaults_complete_a_call",
    "test_the_alignment_of_a_pointer_is_part_of_its_type_and_checked",
    "test_a_pointer_and_a_tensor_are_not_mixed_up",
    "test_calls_with_other_types_ranks_layouts_and_promises_never_share_code",
    "test_a_registered_type_may_become_a_tensor_or_pointer_argument",
    "test_a_bare_tensor_has_dynamic_extents_and_strides_but_the_unit_stride",
    "test_values_tell_their_ir_types",
})  # fmt: skip
"""Tests of addresses that NumPy gave, of how these are aligned, and of arrays that another object becomes."""

ALIGNED = "multiple of 8 bytes0"
"""A mistake with a tensor that is aligned to 4 bytes, which memory of the device never is."""

WITH_PLUGINS = frozenset({
    "test_a_pass_over_llvm_ir_stores_the_index_of_each_thread",
    "test_the_decorator_and_the_environment_say_which_passes_run",
    "test_independent_instructions_are_exchanged_and_the_results_stay",
})  # fmt: skip
"""Tests that build a plugin of LLVM."""


def pytest_configure(config: pytest.Config) -> None:
    """Put the GPU in the place of all targets."""
    from support import on_targets, targets

    targets.TARGETS[BACKEND] = targets.Target(BACKEND, 32)
    on_targets.targets_of = lambda module: [BACKEND]
    for cls in (JitFunction, CompiledFunction):
        cls.__call__ = _called(cls.__call__)  # type: ignore[method-assign]
    JitFunction.prepare_with = _prepared  # type: ignore[method-assign]
    if settings.compile.compile_only:
        for name in ("assert_array_equal", "assert_allclose", "assert_array_max_ulp"):
            setattr(np.testing, name, lambda *args, **kwargs: None)  # nothing has run


@pytest.fixture(autouse=True)
def arrays_of_the_host(target: object) -> None:
    """Let kernels take NumPy arrays that are on the device, in a test's own choice of plugins."""
    register()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that give kernels the address of an array of the host, which ends all work of a process.

    And those that build a plugin of LLVM, where its headers are not installed.
    """
    names = OF_THE_HOST if _has_headers() else OF_THE_HOST | WITH_PLUGINS
    left_out = [item for item in items if getattr(item, "originalname", "") in names or ALIGNED in item.name]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _has_headers() -> bool:
    try:
        from flydsl_mlir import sdk

        sdk.compile_flags()
    except ImportError:
        return False
    return True


def _called(call: Any) -> Any:
    """`call`, with arrays on the device meanwhile."""

    def on_gpu(self: Any, *args: Any, **kwargs: Any) -> Any:
        if is_tracing():
            return call(self, *args, **kwargs)
        taken: dict[int, OnDevice] = {}
        with suppress(RecursionError):  # of a container in itself, which the call refuses
            args, kwargs = _taken(args, taken), _taken(kwargs, taken)
        result = call(self, *args, **kwargs)
        for array in taken.values():
            array.bring_back()
        return result

    return on_gpu


def _prepared(
    self: JitFunction, hints: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, launch: bool = False
) -> Any:
    """As `JitFunction.prepare_with`, of arrays on the device."""
    taken: dict[int, OnDevice] = {}
    result = PREPARE(self, hints, _taken(args, taken), _taken(kwargs, taken), launch=launch)
    for array in taken.values():
        array.bring_back()
    return result


def _taken(value: Any, taken: dict[int, OnDevice]) -> Any:
    """The value with its arrays on the device; itself when it has none."""
    if type(value) is np.ndarray and value.dtype.name in DTYPES:
        if id(value) not in taken:
            taken[id(value)] = OnDevice(value, _device(), CUDA)
        return taken[id(value)]
    if isinstance(value, TensorArgument):
        return _changed(value, {"tensor": _taken(value.tensor, taken), "adaptor": adaptor_for(OnDevice)})
    if isinstance(value, tuple):
        items = [_taken(item, taken) for item in value]
        same = all(map(operator.is_, items, value))
        return value if same else type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if type(value) in (list, dict):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        found = {key: _taken(item, taken) for key, item in items}
        return found if isinstance(value, dict) else list(found.values())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _changed(value, {f.name: _taken(getattr(value, f.name), taken) for f in dataclasses.fields(value)})
    return value


def _changed(value: Any, fields: dict[str, Any]) -> Any:
    """A copy with other values of some fields, unless they are the same."""
    changes = {name: field for name, field in fields.items() if field is not getattr(value, name)}
    if not changes or set(changes) == {"adaptor"}:
        return value
    made = copy.copy(value)
    for name, field in changes.items():
        object.__setattr__(made, name, field)
    return made


def _device() -> Any:
    if settings.compile.compile_only:
        return None
    from flydsl.runtime.device import Device

    return Device()


if __name__ == "__main__":
    raise SystemExit(f"a plugin of pytest: see {os.path.basename(__file__)}")
