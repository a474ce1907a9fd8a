"""Instructions of examples and of `row_kernels` on AMD GPUs, and the file that holds what they were.

    python integration-tests/lib/support/instruction_counts.py

compiles all of them and writes the file anew: do so when a change makes code shorter, and look at the difference.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

ARCHS = ("gfx942", "gfx950", "gfx1100", "gfx1201")
WITH_MFMA = ("gfx942", "gfx950")
FILE = Path(__file__).with_name("instruction_counts.json")
Counts = dict[str, dict[str, list[int]]]
"""[all instructions, VALU instructions] by kernel and architecture."""


def kernels(arch: str) -> dict[str, tuple[Any, list[Any]]]:
    """Functions with arguments they are compiled for on `arch`, by name."""
    from support.example_arguments import EXPECTED
    from support.examples import EXAMPLES, load_example
    from support.row_kernels import KERNELS

    found = {name: (function, arguments()) for name, (function, arguments) in KERNELS.items()}
    for name in EXAMPLES:
        function, arguments, _ = EXPECTED[name]
        found[name] = getattr(load_example(name), function), arguments()
    if arch in WITH_MFMA:
        found |= {f"preshuffled_{kind}": _product(kind, arch) for kind in ("f16", "fp8")}
    return found


def _product(kind: str, arch: str) -> tuple[Any, list[Any]]:
    """The products of rocm_01_preshuffled_gemm: C is 64 x 256, K is 4096."""
    from support.examples import load_example

    example, (m, n, k) = load_example("rocm_01_preshuffled_gemm"), (64, 256, 4096)
    dtype = example.fp8_of(arch) if kind == "fp8" else np.float16
    a, b, c = np.zeros((m, k), dtype), example.preshuffle(np.zeros((n, k), dtype)), np.zeros((m, n), np.float16)
    if kind == "f16":
        return example.gemm, [a, b, c, n, k, arch]
    scale_a, scale_b = (np.zeros(extent, np.float32) for extent in (m, n))
    return example.scaled_gemm, [a, scale_a, b, scale_b, c, n, k, arch]


def counted(function: Any, arguments: list[Any], arch: str) -> list[int]:
    """All instructions and those of the vector unit, over the kernels of a function."""
    reports = function.trace(*arguments, backend="rocm", arch=arch).lower().compile().report()
    return [sum(report.total for report in reports), sum(report.instructions["VALU"] for report in reports)]


def held() -> Counts:
    """What the file says."""
    counts: Counts = json.loads(FILE.read_text())
    return counts


def refresh() -> None:
    """Write what is counted now."""
    counts: Counts = {}
    for arch in ARCHS:
        for name, made in kernels(arch).items():
            counts.setdefault(name, {})[arch] = counted(*made, arch)
    lines = [f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in counts.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    os.environ["FLYDSL_COMPILE_BACKEND"] = "rocm"
    refresh()
