"""Kernels called by host functions: a call whose result is dropped is refused."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.expr.values.emitter import TargetInfo
from flydsl.frontend.rewriting.rewrite import rewrite
from flydsl.frontend.trace import Session
from flydsl.testing.suite import kernels


@flyc.kernel
def clear(x: fx.Tensor):
    x[0] = 0.0


@flyc.jit
def launches(x: fx.Tensor):
    clear(x).launch(grid=1, block=1)


@flyc.jit
def drops(x: fx.Tensor):
    clear(x)


def launched_kernels(function, *values):
    """The kernels of a host function that a statement of a call alone traces, as `Thread.run` calls its target."""
    specs = BoundCall.of(function.parameters, values).specs()
    session = Session(TargetInfo("none", "none", 32))
    session.trace_host(rewrite(function.__wrapped__), specs)
    return session.kernel_names


def test_a_call_whose_result_is_dropped_is_refused():
    with pytest.raises(FrontendError, match="kernel 'clear' is called and never launched; add .launch"):
        launched_kernels(drops, np.zeros(4, np.float32))


def test_what_the_caller_of_a_host_function_drops_says_nothing_about_its_kernels():
    x = np.zeros(4, np.float32)
    assert launched_kernels(launches, x) == ["clear_0"]
    assert launched_kernels(kernels.add, x, x, x, None) == ["_add_0"]  # kernels inside of the library itself


@pytest.mark.parametrize(
    ("launch", "message"),
    [
        (lambda call: call.launch(), "missing a required argument: 'grid'"),
        (lambda call: call.launch(1), "missing a required argument: 'block'"),
        (lambda call: call.launch(grid=1, block=1, gird=2), "got an unexpected keyword argument 'gird'"),
        (lambda call: call.launch(1, 1, 0, None, None, 6), "too many positional arguments"),
    ],
)
def test_a_launch_with_wrong_arguments_names_the_kernel_and_what_it_takes(launch, message):
    def function(x: fx.Tensor):
        launch(clear(x))

    with pytest.raises(FrontendError) as caught:
        launched_kernels(flyc.jit(function), np.zeros(4, np.float32))
    assert f"kernel 'clear' is launched with wrong arguments: {message}" in str(caught.value)
    words = "grid, block, smem, stream, cluster, cooperative, use_pdl, unit_attrs, value_attrs"
    assert f".launch takes {words}, and needs grid and block" in str(caught.value)
