"""Products of groups of rows with a matrix each, of bf16 on a GPU: FlyDSL's beside torch._grouped_mm.

    python benchmarks/gpu/bench_grouped_gemm.py                # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_grouped_gemm.py fill FOLDER    # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/bench_grouped_gemm.py run FOLDER     # which this runs where there is no compiler

Groups are equal, or as random as a router makes them. TFLOP/s, medians of rounds in which all take turns; C is filled
with NaN, `error` is the relative one against float64.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from bench_gemm import BF16, MOST_ERROR, PROCESSORS, SHORT, error, matrix, times
from figures import OWN, record
from offline import parser, run_or_fill
from run_examples import load_example

EXAMPLE = "cuda_09_grouped_gemm"
WAYS = (256, 1), (256, 2), (256, 4), (128, 1), (64, 1)  # columns of a tile, and parts of the last ones


class Case(NamedTuple):
    """Groups, the rows of all of them, a matrix's extents, and whether groups differ."""

    groups: int
    rows: int
    n: int
    k: int
    is_jagged: bool = True


CASES = (
    Case(3, 1000, 776, 520),
    Case(8, 8192, 4096, 4096, is_jagged=False),
    Case(8, 8192, 4096, 4096),
    Case(8, 32768, 4096, 4096),
    Case(64, 16384, 2816, 2048),
    Case(128, 32768, 1536, 4096),
    Case(32, 1024, 4096, 2048),
)


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=9)
    return run_or_fill(options, run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """Every case in every way."""
    from memory import Memory

    for case in CASES:
        a, b = Memory((case.rows, case.k), BF16), Memory((case.groups, case.n, case.k), BF16)
        ends, c = Memory((case.groups,), "int32"), Memory((case.rows, case.n), BF16)
        for columns, cut in WAYS:
            product(columns, cut)(a, b, ends, c, PROCESSORS)
        print(f"compiled {case} for {given.arch}", flush=True)


def product(columns: int, cut: int) -> Callable[..., Any]:
    """The function of the example for a way."""
    example = load_example(EXAMPLE)
    return lambda *given: example.grouped_gemm(*given, columns, example.plain, cut)


def run(given: argparse.Namespace) -> int:
    """Measure, and print the table; the number of products that are wrong."""
    import torch

    processors = torch.cuda.get_device_properties(0).multi_processor_count
    names = ("FlyDSL", "torch", "ratio", "us", "error", "torch", "NaN")
    print(
        f"{'groups, rows, n, k':<36} "
        + " ".join(f"{name:>9}" for name in names)
        + "  by columns of a tile / parts of the last"
    )
    wrong = 0
    for case in CASES:
        line, is_right = measured(case, given.rounds, processors)
        wrong += not is_right
        kind = "jagged" if case.is_jagged else "equal"
        print(f"{','.join(map(str, case[:4])) + ' ' + kind:<36} {line}{'' if is_right else '  WRONG'}", flush=True)
    print(f"{wrong} wrong")
    return min(wrong, 100)


def measured(case: Case, rounds: int, processors: int) -> tuple[str, bool]:
    """The row of a case, and whether the result is right in each way."""
    import torch
    from memory import Memory

    torch.manual_seed(sum(case))
    a = matrix((case.rows, case.k), BF16, False)
    b = torch.randn((case.groups, case.n, case.k), device="cuda").to(torch.bfloat16)
    ends = ends_of(case)
    c, example = torch.empty((case.rows, case.n), device="cuda", dtype=torch.bfloat16), load_example(EXAMPLE)
    given = [Memory.of(tensor) for tensor in (a, b, ends, c)]
    calls = [partial(product(*way), *given, processors) for way in WAYS]
    bounds = [0, *ends.tolist()]
    expected = torch.cat([a[bounds[g] : bounds[g + 1]].double() @ b[g].double().t() for g in range(case.groups)])
    worst, missing = 0.0, 0
    for call in calls:
        c.fill_(float("nan"))
        call()
        worst, missing = max(worst, error(c, expected)), missing + int(torch.isnan(c).sum())

    def peer() -> Any:
        return torch._grouped_mm(a, b.transpose(-2, -1), offs=ends)

    theirs_wrong = error(peer(), expected)
    del expected
    *ours, theirs = times([*calls, peer], rounds, is_short=case.rows * case.n * case.k < SHORT)
    work = 2 * case.rows * case.n * case.k / 1e9
    own = ours[WAYS.index(example.way_for(case.groups))]
    kind = "jagged" if case.is_jagged else "equal"
    record(
        "grouped product",
        f"{','.join(map(str, case[:4]))} {kind}",
        "TFLOP/s",
        {OWN: work / own, "torch": work / theirs},
    )
    row = f"{work / own:>9.1f} {work / theirs:>9.1f} {theirs / own:>9.3f} {1000 * own:>9.1f} "
    row += f"{worst:>9.2e} {theirs_wrong:>9.2e} {missing:>9}  "
    row += " ".join(f"{columns}/{cut}: {work / took:.1f}" for (columns, cut), took in zip(WAYS, ours, strict=True))
    return row, worst < MOST_ERROR and not missing


def ends_of(case: Case) -> Any:
    """Where groups end."""
    import torch

    if not case.is_jagged:
        return torch.arange(1, case.groups + 1, device="cuda", dtype=torch.int32) * (case.rows // case.groups)
    group = torch.randn(case.groups, device="cuda").exp()
    cuts = (group.cumsum(0) / group.sum() * case.rows).round().to(torch.int32)
    cuts[-1] = case.rows
    return cuts


if __name__ == "__main__":
    sys.exit(main())
