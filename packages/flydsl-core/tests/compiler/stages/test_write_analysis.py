"""Which tensors of a @jit function its kernels may write."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.compiler.stages.write_analysis import written_arguments
from flydsl.expr.values.emitter import TargetInfo
from flydsl.frontend.rewriting.rewrite import rewrite
from flydsl.frontend.trace import trace_function


@flyc.kernel
def store(a: fx.Tensor, b: fx.Tensor):
    b[0] = a[0]


@flyc.kernel
def store_vector(a: fx.Tensor, b: fx.Tensor):
    tile = fx.logical_divide(b, fx.make_layout(4, 1))
    tile[None, 0].fill(a[0])


@flyc.kernel
def store_under_a_condition(a: fx.Tensor, b: fx.Tensor):
    for i in range(a.shape[0]):
        if a[i] > 0.0:
            b[i] = a[i]


@flyc.kernel
def store_through_a_pointer(a: fx.Tensor, b: fx.Tensor):
    (fx.get_iter(b) + 3).store(fx.get_iter(a).load())


@flyc.kernel
def chooses(a: fx.Tensor, b: fx.Tensor):
    target = a
    if a[0] > 0.0:
        target = b
    target[0] = 1.0


@flyc.kernel
def reads(a: fx.Tensor, b: fx.Tensor):
    fragment = fx.make_fragment_like(fx.logical_divide(a, fx.make_layout(4, 1))[None, 0])
    fragment.store(fx.logical_divide(b, fx.make_layout(4, 1))[None, 0].load())


@flyc.kernel
def copies(a: fx.Tensor, b: fx.Tensor):
    atom = fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32)
    source, target = (fx.make_view(fx.get_iter(tensor), fx.make_layout(1, 1)) for tensor in (a, b))
    fx.copy_atom_call(atom, source, target)


@flyc.kernel
def adds_atomically(a: fx.Tensor, b: fx.Tensor):
    fx.atomic_add(fx.get_iter(b), a[0])


@flyc.kernel
def loads_atomically(a: fx.Tensor, b: fx.Tensor):
    fx.printf("{}", fx.generic_load(fx.get_iter(a), memory_order=fx.AtomicOrdering.Acquire))


@flyc.kernel
def prints(a: fx.Tensor, b: fx.Tensor):
    fx.printf("{} {}", a[0], b[1])


@flyc.kernel
def takes_the_number_of_an_address(a: fx.Tensor, b: fx.Tensor):
    number = fx.ptrtoint(fx.get_iter(b))
    fx.printf("{} {}", a[0], number)


@flyc.kernel
def writes_behind_a_loop(a: fx.Tensor, b: fx.Tensor):
    target = a
    for i in range(a.shape[0]):
        target[i] = 1.0
        target = b


@pytest.mark.parametrize(
    "kernel, written",
    [
        (store, {1}),
        (store_vector, {1}),
        (store_under_a_condition, {1}),
        (store_through_a_pointer, {1}),
        (chooses, {0, 1}),
        (reads, set()),
        (copies, {1}),
        (adds_atomically, {1}),
        (loads_atomically, set()),
        (prints, set()),
        (takes_the_number_of_an_address, {1}),
        (writes_behind_a_loop, {0, 1}),
    ],
)
def test_tensors_that_a_kernel_writes(kernel, written):
    def host(n: fx.Int32, scale: fx.Constexpr[int], a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
        kernel(a, b).launch(grid=n, block=1)
        kernel(a, b).launch(grid=1, block=scale)

    tensors = [np.zeros(8, np.float32) for _ in range(3)]
    function = flyc.jit(host)
    specs = function.bind(1, 2, *tensors).specs()
    module, kernels = trace_function(rewrite(host), specs, TargetInfo("none", "none", 32))
    assert {index - 2 for index in written_arguments(module, specs)} == written
    assert len(kernels) == 2  # one for each known block size
