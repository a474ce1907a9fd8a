"""Host cost of a kernel in JAX, two inputs and one output, on a runtime whose launch does nothing; beside jnp.add.

Eager calls return before their work is done: each waits here. The cost of a call in a program is that of 100 more.
"""

from __future__ import annotations

import os
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from bench_call import NoopRuntime, noop_table
from report import Row, main_options, report

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.jax import call, jax_kernel
from flydsl.plugins.manifests import DeviceRuntimeManifest

MORE = 100


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    c[fx.thread_idx.x] = a[fx.thread_idx.x] + b[fx.thread_idx.x]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    add_kernel(a, b, c).launch(grid=1, block=8)


@flyc.jit
def add_some(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, n: fx.Float32):
    add_kernel(a, b, c).launch(grid=1, block=8)


def best(function: Callable[[], object], number: int) -> float:
    """Seconds of the best of many short runs, which other processes disturb least."""
    return min(timeit.repeat(function, number=number, repeat=30)) / number


def eager(function: Callable[..., Any], *arguments: Any) -> float:
    """Microseconds of one call."""
    function(*arguments)
    return best(lambda: function(*arguments).block_until_ready(), 500) * 1e6


def within(function: Callable[..., Any], a: Any, b: Any) -> float:
    """Microseconds of one call of a program with many."""

    def chain(length: int) -> float:
        def program(a: Any, b: Any) -> Any:
            for _ in range(length):
                a = function(a, b)
            return a

        return eager(jax.jit(program), a, b)

    return (chain(MORE + 1) - chain(1)) / MORE


def lowering(function: Callable[..., Any], a: Any, b: Any) -> float:
    """Milliseconds from a new program to its text, its code being known."""

    def lower() -> object:
        return jax.jit(lambda a, b: function(a, b) + 1).lower(a, b)

    lower()
    return best(lower, 1) * 1e3


def main() -> None:
    options = main_options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        NoopRuntime.table = noop_table(Path(folder))
        manifest = DeviceRuntimeManifest(name="noop", kind="cpu", factory=NoopRuntime, device_kinds=frozenset({1}))
        flyc.register_device_runtime(manifest)
        a, b = jnp.arange(8.0), jnp.ones(8)
        kernel, numbered = jax_kernel(add, out=lambda a, b: a), jax_kernel(add_some, out=lambda a, b, n: a)
        rows = [
            Row("eager: jnp.add", eager(jnp.add, a, b), "us"),
            Row("eager: jitted jnp.add", eager(jax.jit(jnp.add), a, b), "us"),
            Row("eager: kernel", eager(kernel, a, b), "us", 4.5),
            Row("eager: kernel with a number", eager(numbered, a, b, 2.0), "us"),
            Row("eager: call(function, ...)", eager(lambda a, b: call(add, a, b, out=a), a, b), "us"),
            Row("in a program: jnp.add, fused", within(jnp.add, a, b), "us"),
            Row("in a program: kernel", within(kernel, a, b), "us", 0.1),
            Row("lowering: jnp.add", lowering(jnp.add, a, b), "ms"),
            Row("lowering: kernel", lowering(kernel, a, b), "ms"),
        ]
    report("host cost of a kernel in JAX, no-op runtime", rows, options)


if __name__ == "__main__":
    main()
