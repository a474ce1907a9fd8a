"""Threads that call and compile the same kernels: each is compiled once, and all results are right."""

from __future__ import annotations

import threading
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from support.jax_kernels import add

import flydsl.compiler as flyc
import flydsl.compiler.stages.pipeline as pipeline
import flydsl.expr as fx
from flydsl.jax import call, jax_kernel

THREADS = 16


def in_threads(work: Callable[[int], None]) -> None:
    """Run `work` in threads that begin at once; raises what one of them raised."""
    barrier, errors = threading.Barrier(THREADS), []

    def run(index: int) -> None:
        try:
            barrier.wait()
            work(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@flyc.kernel
def halve_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.block_idx.x] = x[fx.block_idx.x] / 2


@flyc.jit
def halve(x: fx.Tensor, y: fx.Tensor):
    halve_kernel(x, y).launch(grid=x.shape[0], block=1)


def test_threads_that_lower_one_call_compile_it_once(monkeypatch, tmp_path):
    compiled, compile_ = [], pipeline.Lowered.compile

    def counted(self):
        compiled.append(self.traced.name)
        return compile_(self)

    monkeypatch.setattr(pipeline.Lowered, "compile", counted)
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
    x = np.arange(60, dtype=np.float32)
    results = {}

    def work(index: int) -> None:  # each thread has a kernel object, and a program, of its own
        kernel = jax_kernel(halve, out=lambda x: x)
        results[index] = jax.jit(lambda x: kernel(x) + index)(x)

    in_threads(work)
    assert compiled == ["halve"]
    for index, found in results.items():
        np.testing.assert_array_equal(found, x / 2 + index)


def test_threads_share_a_kernel_object():
    kernel = jax_kernel(add, out=lambda a, b: a)

    def work(index: int) -> None:
        for repeat in range(20):
            x = jnp.full((index % 4 + 1, 5), index + repeat, jnp.float32)
            np.testing.assert_array_equal(kernel(x, x), np.asarray(x) * 2)
            np.testing.assert_array_equal(call(add, x, x, out=x), np.asarray(x) * 2)

    in_threads(work)
