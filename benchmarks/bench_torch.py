"""Host cost of a kernel call from torch on a runtime whose launch does nothing; in microseconds.

Three tensors and one int: at once, as the operator of graphs, in a compiled graph, and as an operator with a name.
"""

from __future__ import annotations

import os
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path

import torch
from bench_call import NoopRuntime, call, noop_table
from report import Row, main_options, report

import flydsl.compiler as flyc
import flydsl.torch
from flydsl.plugins.manifests import DeviceRuntimeManifest
from flydsl.torch.call_table import calls

CALLS = 17


def main() -> None:
    options = main_options(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        NoopRuntime.table = noop_table(Path(folder))
        manifest = DeviceRuntimeManifest(name="noop", kind="cpu", factory=NoopRuntime, device_kinds=frozenset({1}))
        flyc.register_device_runtime(manifest)
        rows = [*measure_calls(), *measure_graphs(), *measure_operators()]
    report("host cost of a call from torch, no-op runtime", rows, options)


def microseconds(function: Callable[[], object], number: int = 50) -> float:
    """The best of many short runs, some of which nothing else interrupts."""
    return min(timeit.repeat(function, number=number, repeat=500)) / number * 1e6


def tensors() -> list[torch.Tensor]:
    return [torch.zeros((8, 64)) for _ in range(3)]


def measure_calls() -> list[Row]:
    a, b, c = tensors()
    out = torch.empty_like(a)
    call(a, b, c, 3)
    return [
        Row("an addition of torch", microseconds(lambda: torch.add(a, b, out=out)), "us"),
        Row("a call", microseconds(lambda: call(a, b, c, 3)), "us"),
    ]


def graph_of(count: int) -> Callable[..., object]:
    def model(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        for _ in range(count):
            call(a, b, c, 3)
        return c

    return torch.compile(model, fullgraph=True)


def measure_graphs() -> list[Row]:
    a, b, c = tensors()
    costs = []
    for count in (1, CALLS):
        run = graph_of(count)
        run(a, b, c)
        costs.append(microseconds(lambda run=run: run(a, b, c)))  # type: ignore[misc]
    key, launch = next(iter(calls)), torch.ops.flydsl.launch.default
    return [
        Row("the operator of graphs, at once", microseconds(lambda: launch([a, b], [c], key, [3], [])), "us"),
        Row("a compiled function with one call", costs[0], "us"),
        Row("each further call in it", (costs[1] - costs[0]) / (CALLS - 1), "us"),
    ]


def measure_operators() -> list[Row]:
    @flydsl.torch.op("flydsl_bench::call", out=lambda a, b, n: torch.empty_like(a))
    def named(a: torch.Tensor, b: torch.Tensor, n: int, c: torch.Tensor) -> None:
        call(a, b, c, n)

    named.register_backward(lambda ctx, g: (g, g, None))
    a, b, _ = tensors()
    recorded = a.clone().requires_grad_()
    return [
        Row("an operator with a name", microseconds(lambda: named(a, b, 3)), "us"),
        Row("the same, recorded by autograd", microseconds(lambda: named(recorded, b, 3)), "us"),
    ]


if __name__ == "__main__":
    main()
