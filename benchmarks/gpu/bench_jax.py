"""Kernels in JAX on an NVIDIA GPU, beside its own additions: right, then microseconds of calls, and bytes moved.

    FLYDSL_COMPILE_BACKEND=cuda python benchmarks/gpu/bench_jax.py
    XLA_FLAGS='--xla_gpu_enable_command_buffer=FUSION,CUSTOM_CALL --xla_gpu_graph_min_graph_size=1' ...  # in graphs

Each number is the least of many. A call in a program is what 100 more of them take; `jnp` is kept from fusing them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from launch_kernel import add
from report import Row, main_options, report

from flydsl.jax import jax_kernel

MORE, SMALL, LARGE = 100, 1003, 1 << 28


def chain(function: Callable[..., Any], length: int) -> Callable[..., Any]:
    """A program that adds `b` as many times."""

    def program(a: Any, b: Any) -> Any:
        for _ in range(length):
            a = function(a, b)
        return a

    return jax.jit(program)


def seconds(function: Callable[..., Any], *arguments: Any, calls: int = 200) -> float:
    """Of the fastest call that is waited for."""
    function(*arguments).block_until_ready()
    best = float("inf")
    for _ in range(calls):
        start = time.perf_counter()
        function(*arguments).block_until_ready()
        best = min(best, time.perf_counter() - start)
    return best


def in_a_program(function: Callable[..., Any], a: Any, b: Any) -> float:
    """Microseconds of one call of many."""
    return (seconds(chain(function, MORE + 1), a, b) - seconds(chain(function, 1), a, b)) / MORE * 1e6


def check(kernel: Callable[..., Any], a: Any, b: Any) -> None:
    """Eager, in a program and in a batch, to the last bit."""
    x, y = np.asarray(a), np.asarray(b)
    wanted = x
    for _ in range(MORE):
        wanted = wanted + y
    np.testing.assert_array_equal(kernel(a, b), x + y)
    np.testing.assert_array_equal(chain(kernel, MORE)(a, b), wanted)
    np.testing.assert_array_equal(jax.vmap(kernel)(jnp.stack([a, b]), jnp.stack([b, b])), np.stack([x + y, y + y]))


def main() -> None:
    options = main_options(__doc__)
    kernel = jax_kernel(add, out=lambda a, b: a, batchable=True)
    peer = jax.jit(lambda a, b: jax.lax.optimization_barrier(a + b))
    rng = np.random.default_rng()
    a, b = (jnp.asarray(rng.standard_normal(SMALL, dtype=np.float32)) for _ in range(2))
    check(kernel, a, b)
    large = jnp.ones(LARGE, jnp.float32)
    moved = 3 * large.nbytes / 1e12
    rows = [
        Row("a program of one call: jnp.add", seconds(chain(peer, 1), a, b) * 1e6, "us"),
        Row("a program of one call: kernel", seconds(chain(kernel, 1), a, b) * 1e6, "us"),
        Row("a call in a program: jnp.add", in_a_program(peer, a, b), "us"),
        Row("a call in a program: kernel", in_a_program(kernel, a, b), "us"),
        Row(f"{LARGE} f32: jnp.add", moved / seconds(jax.jit(jnp.add), large, large, calls=10), "TB/s"),
        Row(f"{LARGE} f32: kernel", moved / seconds(jax.jit(kernel), large, large, calls=10), "TB/s"),
    ]
    report(f"kernels in JAX {jax.__version__} on {jax.devices()[0].device_kind}", rows, options)


if __name__ == "__main__":
    main()
