"""Products of bf16 and fp8, C = A B^T, on a GPU: TFLOP/s of FlyDSL, torch and Triton, and that FlyDSL's are right.

    python benchmarks/gpu/bench_gemm.py                     # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_gemm.py fill FOLDER         # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/bench_gemm.py run FOLDER          # which this runs where there is no compiler

Options: `--only "M,N,K ..."` (products whose line begins so), `--rounds N`. Medians of rounds, in which all take turns.
C is filled with NaN; `error` is the relative one of some rows against float64, `torch's` that of torch, and
`NaN` what was not written.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from figures import OWN, record
from offline import milliseconds, parser, run_or_fill
from run_examples import load_example

BF16, FP8 = "bfloat16", "float8_e4m3fn"


@dataclass(frozen=True)
class Case:
    """A product: its extents, the type of A and B, and which of them are in memory as their transposes."""

    m: int
    n: int
    k: int
    dtype: str = BF16
    transposed: str = ""

    def __str__(self) -> str:
        layout = "".join("t" if name in self.transposed else "n" for name in "ab")
        return f"{self.m},{self.n},{self.k} {self.dtype.partition('_')[0]} {layout}"


CASES = (
    Case(128, 256, 64),
    Case(1, 8, 8),
    Case(1000, 776, 520),
    Case(1000, 776, 520, transposed="ab"),
    Case(129, 264, 4112, FP8),
    Case(16, 4096, 4096),
    Case(64, 4096, 4096),
    Case(256, 4096, 4096),
    Case(128, 8192, 8192),
    Case(1024, 1024, 1024),
    Case(2048, 2048, 2048),
    Case(4096, 4096, 512),
    Case(512, 4096, 14336),
    *(Case(size, size, size, dtype) for size in (4096, 8192) for dtype in (BF16, FP8)),
    *(Case(4096, 4096, 4096, transposed=names) for names in ("a", "b", "ab")),
    Case(8192, 8192, 8192, transposed="b"),
)
EXAMPLE, SPLIT = "cuda_02_gemm", "cuda_04_split_gemm"
CHECKED_ROWS, LAUNCHES, MOST_ERROR = 256, 4, 5e-3
SHORT, SHORT_LAUNCHES = 1 << 34, 20  # operations of what is launched so often
AHEAD = 1 << 18  # clocks of the device for each launch, by which the host is ahead
WIDTHS = (256, 128, 64)
PROCESSORS = 132  # assumed where nothing runs
TORCH, TRITON = "torch", "Triton"
TRITON_FROM = 2048  # rows and columns of products that its kernel is for


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--only", default="")
    options.add_argument("--rounds", type=int, default=11)
    return run_or_fill(options, run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """Every shape with every width of tiles."""
    from memory import Memory

    for case in CASES:
        a, b = (Memory(size, case.dtype, is_transposed=name in case.transposed) for name, size in sides(case))
        for _, call in ways(case, (a, b, Memory((case.m, case.n), BF16)), PROCESSORS):
            call()
        print(f"compiled {case} for {given.arch}", flush=True)


def ways(case: Case, given: Sequence[Any], processors: int) -> list[tuple[str, Callable[[], Any]]]:
    """Every way to cut a product, by name: tiles of a width, and what `Way` has: all where tiles are few."""
    gemm, found = load_example(EXAMPLE).gemm, []
    for columns in WIDTHS:
        found.append((str(columns), lambda columns=columns: gemm(*given, processors, columns)))
    split = load_example(SPLIT)
    listed = split.WAYS if -(-case.m // 128) * -(-case.n // 128) <= processors else (chosen_way(case, processors),)
    for way in filter(None, listed):
        found.append(("/".join(map(str, way)), lambda way=way: split.split_gemm(*given, way)))
    return found


def chosen(case: Case, processors: int) -> str:
    """The name of the way that the examples choose."""
    way = chosen_way(case, processors)
    if way is not None:
        return "/".join(map(str, way))
    return str(load_example(EXAMPLE).columns_for(case.m, case.n, processors))


def chosen_way(case: Case, processors: int) -> Any:
    """The `Way` that the example of few tiles chooses; None: that product is for the other one."""
    return load_example(SPLIT).way_for(case.m, case.n, case.k, processors)


def sides(case: Case) -> tuple[tuple[str, tuple[int, int]], ...]:
    """The shapes of A and B."""
    return ("a", (case.m, case.k)), ("b", (case.n, case.k))


def run(given: argparse.Namespace) -> int:
    """Measure, and print the table; the number of products that are wrong."""
    import torch

    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, {properties.multi_processor_count} multiprocessors, torch {torch.__version__}")
    print(
        f"{'m,n,k, type, transposed':<34} {OWN:>8} {TORCH:>8} {TRITON:>8} {'ratio':>6} {'us':>9} {'error':>9} "
        f"{TORCH:>9} {'NaN':>5}  TFLOP/s by columns / rows of a tile / blocks that share it / that share an operand"
    )
    wrong = 0
    for case in CASES:
        if given.only and not str(case).startswith(tuple(given.only.split())):
            continue
        try:
            line, is_right = measured(case, given.rounds, properties.multi_processor_count)
        except Exception as failure:
            line, is_right = f"{type(failure).__name__}: {' '.join(str(failure).split())[:300]}", False
        wrong += not is_right
        print(f"{case!s:<34} {line}{'' if is_right else '  WRONG'}", flush=True)
    print(f"{wrong} wrong")
    return min(wrong, 100)


def measured(case: Case, rounds: int, processors: int) -> tuple[str, bool]:
    """The row of a product, and whether the result is right by each width of tiles."""
    import torch
    from memory import Memory

    torch.manual_seed(case.m + case.n + case.k)
    a, b = (matrix(size, case.dtype, name in case.transposed) for name, size in sides(case))
    c, other = (torch.empty((case.m, case.n), device="cuda", dtype=torch.bfloat16) for _ in range(2))
    rows = torch.randint(case.m, (min(case.m, CHECKED_ROWS),), device="cuda")
    expected = a[rows].double() @ b.double().t()
    names, calls = zip(*ways(case, [Memory.of(tensor) for tensor in (a, b, c)], processors), strict=True)
    worst, missing = 0.0, 0
    for call in calls:
        c.fill_(float("nan"))
        call()
        torch.cuda.synchronize()
        worst, missing = max(worst, error(c[rows], expected)), missing + int(torch.isnan(c).sum())
    peers = peers_of(case, a, b, other, processors)
    theirs_wrong = float("nan")
    if TORCH in peers:
        peers[TORCH]()
        theirs_wrong = error(other[rows], expected)
    took = times([*calls, *peers.values()], rounds, is_short=case.m * case.n * case.k < SHORT)
    work = 2 * case.m * case.n * case.k / 1e9
    speeds = [work / each for each in took]
    name = chosen(case, processors)
    own = speeds[names.index(name)]
    rates = {OWN: own, **dict(zip(peers, speeds[len(calls) :], strict=True))}
    record("product", str(case), "TFLOP/s", rates)
    listed = " ".join(f"{name}: {speed:.1f}" for name, speed in zip(names, speeds, strict=False))
    cells = " ".join(f"{rates.get(who, float('nan')):>8.1f}" for who in (OWN, TORCH, TRITON))
    line = f"{cells} {own / rates.get(TORCH, float('nan')):>6.3f} {1000 * work / own:>9.1f}"
    line += f" {worst:>9.2e} {theirs_wrong:>9.2e} {missing:>5}  {name} of {listed}"
    return line, worst < MOST_ERROR and not missing


def peers_of(case: Case, a: Any, b: Any, c: Any, processors: int) -> dict[str, Callable[[], Any]]:
    """The same product into `c` by others, as far as they have it."""
    found = {}
    if by_torch := torch_call(a, b, c):
        found[TORCH] = by_torch
    if min(case.m, case.n) >= TRITON_FROM and not case.transposed:
        from gemm_triton import triton_gemm

        by_triton = triton_gemm(a, b, c, processors)
        try:
            by_triton()
            found[TRITON] = by_triton
        except Exception as failure:
            print(f"left out: {TRITON}: {type(failure).__name__}: {' '.join(str(failure).split())[:200]}")
    return found


def matrix(size: tuple[int, int], dtype: str, is_transposed: bool) -> Any:
    """A random matrix."""
    import torch

    found = torch.randn(size[::-1] if is_transposed else size, device="cuda").to(getattr(torch, dtype))
    return found.t() if is_transposed else found


def torch_call(a: Any, b: Any, c: Any) -> Callable[[], Any] | None:
    """The same product by torch; None where it has none."""
    import torch

    if a.dtype == torch.bfloat16:
        return lambda: torch.mm(a, b.t(), out=c)
    one = torch.ones((), device="cuda")

    def scaled() -> None:
        torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=True, out=c)

    try:
        scaled()
    except (RuntimeError, TypeError):
        return None
    return scaled


def error(found: Any, expected: Any) -> float:
    """The relative error of a part of C."""
    return float((found.double() - expected).norm() / expected.norm())


def times(
    calls: Sequence[Callable[[], Any]], rounds: int, *, is_short: bool = False, ahead: int = AHEAD
) -> list[float]:
    """Milliseconds of each call on the device."""
    launches = SHORT_LAUNCHES if is_short else LAUNCHES
    samples: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, found in zip(calls, samples, strict=True):
            found.append(milliseconds(call, launches, ahead * launches))
    return [statistics.median(found) for found in samples]


if __name__ == "__main__":
    sys.exit(main())
