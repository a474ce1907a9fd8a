"""The examples' kernels in, milliseconds of each stage of their compilation and operations after each pass out.

Processor time of the best of several repetitions, in a process that has compiled before; nothing is read from a cache.
Run: `python benchmarks/bench_stages.py [--target cpu | gfx942] [--repeat N] [--json FILE]`.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

os.environ["FLYDSL_COMPILE_BACKEND"] = "cpu"

import numpy as np
from example_module import example

from flydsl.compiler.stages.pipeline import Traced
from flydsl.passes.registry import run
from flydsl.plugins.active.selection import get_backend, python_passes

Arguments = Callable[[], list[Any]]


def arrays(*shapes: tuple[int, ...], dtype: str = "float32") -> list[Any]:
    """Arrays of zeros: only types count."""
    return [np.zeros(shape, dtype) for shape in shapes]


EXAMPLES: dict[str, tuple[str, Arguments]] = {
    "01_vector_add": ("vector_add", lambda: arrays((9, 9), (9, 9), (9, 9))),
    "02_tiled_copy": ("transpose", lambda: arrays((9, 9), (9, 9))),
    "03_tiled_mma": ("matmul", lambda: arrays((9, 9), (9, 9), (9, 9))),
    "05_gather_scatter": ("move_rows", lambda: [*arrays((9, 9)), np.zeros(9, np.int32), *arrays((9, 9)), 9, True]),
    "06_shared_memory_transpose": ("transpose", lambda: arrays((9, 9), (9, 9))),
    "07_block_reduction": ("reduce_rows", lambda: arrays((9, 9), (9,), (9,))),
    "08_scan": ("scan_rows", lambda: arrays((9, 9), (9, 9), dtype="int32")),
    "09_softmax": ("softmax", lambda: arrays((9, 9), (9, 9))),
    "10_rmsnorm": ("rmsnorm", lambda: [*arrays((9, 9), (9,), (9, 9)), 1e-5]),
    "11_layernorm": ("layernorm", lambda: [*arrays((9, 9), (9,), (9,), (9, 9)), 1e-5]),
    "12_tiled_gemm": ("gemm", lambda: arrays((9, 9), (9, 9), (9, 9))),
    "13_attention": ("attention", lambda: [*arrays(*[(9, 9, 1)] * 4), 0.5, 9]),
}


def operations(module: Any) -> int:
    """Operations inside of the kernels."""
    return sum(1 for op in module.walk() if op.name == "gpu.func" for _ in op.walk())


def passes_of(traced: Traced) -> list[dict[str, Any]]:
    """Milliseconds of each pass in Python, and the operations of the kernels after it."""
    target, module, rows = traced.target, traced.module.clone(), []
    known = python_passes(target.backend)
    for fragment in get_backend(target.backend, arch=target.arch).pipeline_fragments(arch=target.arch):
        if fragment.partition("{")[0] not in known:
            break  # the rest is MLIR's
        start = process_time()
        run(module, fragment, extra=known)
        rows.append({"pass": fragment, "ms": (process_time() - start) * 1e3, "ops": operations(module)})
    return rows


def measure(function: Any, arguments: list[Any], backend: str, arch: str) -> dict[str, Any]:
    """The stages of one compilation, one after the other."""
    start = process_time()
    traced = function.trace(*arguments, backend=backend, arch=arch)
    middle = process_time()
    count = operations(traced.module)
    passes = passes_of(traced)
    before = process_time()
    lowered = traced.lower()
    after = process_time()
    lowered.compile()
    end = process_time()
    times = {"trace": middle - start, "lower": after - before, "compile": end - after}
    return {"ops": count, **{name: seconds * 1e3 for name, seconds in times.items()}, "passes": passes}


def best(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The least time of each stage and pass."""
    passes = [
        {**versions[0], "ms": min(version["ms"] for version in versions)}
        for versions in zip(*(row["passes"] for row in rows), strict=True)
    ]
    return {
        "ops": rows[0]["ops"],
        **{name: min(row[name] for row in rows) for name in ("trace", "lower", "compile")},
        "passes": passes,
    }


def show(results: dict[str, dict[str, Any]]) -> None:
    """A row an example, then a table of its passes side by side."""
    print(f"{'':28}{'ops':>7}{'trace':>9}{'lower':>9}{'compile':>9}{'sum':>9}   ms")
    for name, row in results.items():
        times = [row[stage] for stage in ("trace", "lower", "compile")]
        print(f"{name:28}{row['ops']:7}{''.join(f'{ms:9.1f}' for ms in (*times, sum(times)))}")
    names = [entry["pass"] for entry in next(iter(results.values()))["passes"]]
    print(f"\n{'ms (operations after it)':40}" + "".join(f"{name[:2]:>13}" for name in results))
    for i, name in enumerate(names):
        cells = [row["passes"][i] for row in results.values()]
        print(f"{name:40}" + "".join(f"{cell['ms']:6.1f}{'(' + str(cell['ops']) + ')':>7}" for cell in cells))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="cpu", help="cpu, or an AMD architecture such as gfx942")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    backend, arch = ("cpu", "") if options.target == "cpu" else ("rocm", options.target)
    results = {}
    for name, (function, arguments) in EXAMPLES.items():
        compiled = getattr(example(name), function)
        rows = [measure(compiled, arguments(), backend, arch) for _ in range(options.repeat + 1)]
        results[name] = best(rows[1:])
    show(results)
    if options.json is not None:
        options.json.write_text(json.dumps({"target": options.target, "examples": results}, indent=1))


if __name__ == "__main__":
    main()
