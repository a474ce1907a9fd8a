"""Memory-bound kernels on a GPU: TB/s of FlyDSL, torch, torch.compile and Triton, and that FlyDSL's results are right.

    python benchmarks/gpu/bench_memory.py                     # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_memory.py fill FOLDER         # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/bench_memory.py run FOLDER          # which this runs where there is no compiler

Options: `--only NAME,NAME` (names of kernels), `--width N` (rows of that length), `--rounds N`, `--no-compile` (leaves
out torch.compile), `--ways` (every way of FlyDSL and of Triton, not only the fastest).

Every tensor is several times what the second-level cache holds. Medians of rounds, in each of which all take turns; a
launch before each measurement keeps the GPU at work, so that the time is the device's. Outputs are filled with NaN, and
compared with float64: `error` is the largest one in units of what rounding may give, and must be below 1.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from figures import OWN, record
from offline import milliseconds, parser, run_or_fill

LAUNCHES = 4  # of one measurement
FLYDSL, TORCH, COMPILE, TRITON = OWN, "torch", "torch.compile", "Triton"


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--only", default="")
    options.add_argument("--width", type=int, default=0)
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--no-compile", action="store_true")
    options.add_argument("--ways", action="store_true")
    return run_or_fill(options, run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """Every way of every case."""
    from memory_cases import cases

    for case in cases():
        for way in case.ways.values():
            way(case.nothing())()
        print(f"compiled {case.name} {case.label} for {given.arch}", flush=True)


def run(given: argparse.Namespace) -> int:
    """Measure, and print the table; the number of cases that are wrong."""
    import torch
    from memory_cases import cases

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    columns = (FLYDSL, TORCH, COMPILE, TRITON)
    print(
        f"{'kernel':<12} {'shape':<22} "
        + " ".join(f"{c:>13}" for c in columns)
        + f" {'ratio':>6} {'error':>7}  fastest"
    )
    wrong = 0
    for case in cases(given.width):
        if given.only and case.name not in given.only.split(","):
            continue
        try:
            best, ways, error = measure(case, given)
        except Exception as failure:
            wrong += 1
            print(f"{case.name:<12} {case.label:<22} {type(failure).__name__}: {' '.join(str(failure).split())[:300]}")
            continue
        wrong += not error < 1
        record(case.name, case.label, "TB/s", best)
        others = max((best[name] for name in columns[1:] if name in best), default=float("nan"))
        cells = " ".join(f"{best[name]:>13.3f}" if name in best else f"{'-':>13}" for name in columns)
        fastest = max(ways[FLYDSL], key=lambda label: ways[FLYDSL][label])
        print(
            f"{case.name:<12} {case.label:<22} {cells} {best[FLYDSL] / others:>6.3f} {error:>7.3f}  {fastest}",
            flush=True,
        )
        if given.ways:
            for name in (FLYDSL, TRITON):
                for label, speed in sorted(ways.get(name, {}).items(), key=lambda item: -item[1]):
                    print(f"{'':<12} {name:<8} {speed:>6.3f}  {label}", flush=True)
        torch.cuda.empty_cache()
    print(f"{wrong} wrong")
    return min(wrong, 100)


def measure(case: Any, given: argparse.Namespace) -> tuple[dict[str, float], dict[str, dict[str, float]], float]:
    """TB/s by whom; of each way; and the largest error of ours."""
    import memory_peers as peers
    import torch
    from memory import Memory

    torch.manual_seed(torch.seed() % 2**32)
    tensors = {
        name: torch.empty(shape, dtype=getattr(torch, dtype), device="cuda")
        for name, (shape, dtype) in case.tensors.items()
    }
    peers.fill_inputs(case, tensors)
    memory = {name: Memory.of(tensor) for name, tensor in tensors.items()}
    calls: dict[tuple[str, str], Callable[[], Any]] = {}
    error = 0.0
    for label, way in case.ways.items():
        calls[FLYDSL, label] = call = way(memory)
        peers.poison(tensors)
        call()
        torch.cuda.synchronize()
        error = max(error, peers.error(case, tensors, tensors["y"]))
    calls[TORCH, ""] = peers.eager(case, tensors)
    compiled = None if given.no_compile else peers.compiled(case, tensors)
    if compiled:
        calls[COMPILE, ""] = compiled
    calls |= {(TRITON, label): call for label, call in peers.triton_calls(case, tensors).items()}
    times = timed(calls, given.rounds)
    ways: dict[str, dict[str, float]] = {}
    for (name, label), duration in times.items():
        ways.setdefault(name, {})[label] = case.moved / duration / 1e9
    return {name: max(speeds.values()) for name, speeds in ways.items()}, ways, error


def timed(calls: dict[tuple[str, str], Callable[[], Any]], rounds: int) -> dict[tuple[str, str], float]:
    """Milliseconds of each call on the device: medians over rounds in which all take turns."""
    import torch

    for key, call in list(calls.items()):
        try:
            for _ in range(2):
                call()
            torch.cuda.synchronize()
        except Exception as failure:
            if key[0] == FLYDSL:
                raise
            print(f"  left out: {key}: {type(failure).__name__}: {' '.join(str(failure).split())[:100]}", flush=True)
            del calls[key]
    samples: dict[tuple[str, str], list[float]] = {key: [] for key in calls}
    for _ in range(rounds):
        for key, call in calls.items():
            samples[key].append(milliseconds(call, LAUNCHES))
    return {key: statistics.median(values) for key, values in samples.items()}


if __name__ == "__main__":
    sys.exit(main())
