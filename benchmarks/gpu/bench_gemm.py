"""Products of bf16 matrices, C = A B^T, on a GPU: TFLOP/s of FlyDSL and of torch, and that FlyDSL's results are right.

    python benchmarks/gpu/bench_gemm.py                     # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_gemm.py fill FOLDER         # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/bench_gemm.py run FOLDER          # which this runs where there is no compiler

Options: `--only M,N,K` (a shape), `--rounds N`. Medians of rounds, in each of which all take turns. C is filled with
NaN; `error` is the relative one of some rows against float64, `torch's` that of torch, and `NaN` what was not written.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from bench_memory import prepare
from run_examples import CACHE, SITE, SOURCES, copy_packages, copy_sources, load_example, private_cache

Shape = tuple[int, int, int]
SHAPES: tuple[Shape, ...] = (
    (128, 256, 64),
    (1, 8, 8),
    (1000, 776, 520),
    (129, 264, 4104),
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (4096, 4096, 512),
    (512, 4096, 14336),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
)
EXAMPLE = "cuda_02_gemm"
CHECKED_ROWS, LAUNCHES, MOST_ERROR = 256, 4, 5e-3
PROCESSORS = 132  # assumed where nothing runs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=("fill", "compile", "run"), default="run")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=11)
    given = parser.parse_args()
    folder = given.folder.resolve() if given.folder else None
    if given.what == "run":
        if folder is None:
            prepare(None, None)
            return run(given)
        with private_cache(folder) as cache:
            os.environ |= {"FLYDSL_RUNTIME_RUN_ONLY": "1"}
            prepare(folder, cache)
            return run(given)
    assert folder is not None, "fill FOLDER"
    return (fill if given.what == "fill" else compile_shapes)(folder, given.arch)


def fill(folder: Path, arch: str) -> int:
    """Compile every shape into FOLDER, by a copy of the sources that is there as well."""
    copy_sources(folder / SOURCES)
    copy_packages(folder / SITE)
    command = [sys.executable, __file__, "compile", str(folder), "--arch", arch]
    return subprocess.run(command, check=False).returncode


def compile_shapes(folder: Path, arch: str) -> int:
    """The part of `fill` that compiles."""
    os.environ |= {"COMPILE_ONLY": "1", "FLYDSL_COMPILE_ARCH": arch}
    prepare(folder, folder / CACHE)
    from memory import Memory

    example = load_example(EXAMPLE)
    for m, n, k in SHAPES:
        a, b, c = (Memory(shape, "bfloat16") for shape in ((m, k), (n, k), (m, n)))
        example.gemm(a, b, c, PROCESSORS)
        print(f"compiled {m} x {n} x {k} for {arch}", flush=True)
    return 0


def run(given: argparse.Namespace) -> int:
    """Measure, and print the table; the number of shapes that are wrong."""
    import torch

    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, {properties.multi_processor_count} multiprocessors, torch {torch.__version__}")
    print(f"{'m, n, k':<20} {'FlyDSL':>8} {'torch':>8} {'ratio':>6} {'us':>9} {'error':>9} {'torch':>9} {'NaN':>5}")
    wrong = 0
    for shape in SHAPES:
        if given.only and given.only != ",".join(map(str, shape)):
            continue
        try:
            line, is_right = measured(shape, given.rounds, properties.multi_processor_count)
        except Exception as failure:
            line, is_right = f"{type(failure).__name__}: {' '.join(str(failure).split())[:300]}", False
        wrong += not is_right
        print(f"{', '.join(map(str, shape)):<20} {line}{'' if is_right else '  WRONG'}", flush=True)
    print(f"{wrong} wrong")
    return min(wrong, 100)


def measured(shape: Shape, rounds: int, processors: int) -> tuple[str, bool]:
    """The row of a shape, and whether the result is right."""
    import torch
    from memory import Memory

    m, n, k = shape
    torch.manual_seed(m + n + k)
    a, b = (torch.randn(size, device="cuda").bfloat16() for size in ((m, k), (n, k)))
    c, other = (torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16) for _ in range(2))
    gemm = load_example(EXAMPLE).gemm
    given = [Memory.of(tensor) for tensor in (a, b, c)]
    calls: tuple[Callable[[], Any], ...] = (
        lambda: gemm(*given, processors),
        lambda: torch.mm(a, b.t(), out=other),
    )
    for call in calls:
        call()
    torch.cuda.synchronize()
    rows = torch.randint(m, (min(m, CHECKED_ROWS),), device="cuda")
    expected = a[rows].double() @ b.double().t()
    errors = [float((found[rows].double() - expected).norm() / expected.norm()) for found in (c, other)]
    missing = int(torch.isnan(c).sum())
    ours, theirs = times(calls, rounds)
    work = 2 * m * n * k / 1e9
    speeds = f"{work / ours:>8.1f} {work / theirs:>8.1f} {theirs / ours:>6.3f} {1000 * ours:>9.1f}"
    return f"{speeds} {errors[0]:>9.2e} {errors[1]:>9.2e} {missing:>5}", errors[0] < MOST_ERROR and not missing


def times(calls: tuple[Callable[[], Any], ...], rounds: int) -> list[float]:
    """Milliseconds of each call on the device."""
    samples: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, found in zip(calls, samples, strict=True):
            found.extend(sample(call))
    return [statistics.median(found) for found in samples]


def sample(call: Callable[[], Any]) -> Iterator[float]:
    """One measurement; a launch before it keeps the device at work."""
    import torch

    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    call()
    start.record()
    for _ in range(LAUNCHES):
        call()
    end.record()
    end.synchronize()
    yield start.elapsed_time(end) / LAUNCHES


if __name__ == "__main__":
    sys.exit(main())
