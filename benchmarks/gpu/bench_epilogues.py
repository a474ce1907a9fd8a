"""Products with an epilogue, of bf16 on a GPU: FlyDSL's beside the plain product, and torch's ways to do the same.

    python benchmarks/gpu/bench_epilogues.py                # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_epilogues.py fill FOLDER    # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/bench_epilogues.py run FOLDER     # which this runs where there is no compiler

`of plain` is the time of FlyDSL's plain product over that with the epilogue; torch: the plain product, eager, compiled,
and cuBLAS's own epilogue where it has one. TFLOP/s of the product alone, medians of rounds in which all take turns.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from bench_gemm import BF16, CHECKED_ROWS, EXAMPLE, MOST_ERROR, PROCESSORS, error, matrix, times
from figures import OWN, record
from offline import parser, run_or_fill
from run_examples import load_example

SHAPES = ((4096, 4096, 4096), (8192, 8192, 8192), (8192, 28672, 4096), (4096, 4096, 1024))
CASES = [(shape, name) for shape in SHAPES for name in ("bias", "bias_relu", "bias_gelu", "bias_gelu_residual")]
AHEAD = 1 << 20  # clocks of the device for each launch: compiled functions of torch take the host a while
SMALL = ((1000, 776, 520), "bias_gelu_residual")


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=9)
    return run_or_fill(options, run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """Every shape with every epilogue, and without."""
    from memory import Memory

    example = load_example(EXAMPLE)
    for (m, n, k), name in (SMALL, *CASES):
        a, b, c = (Memory(size, BF16) for size in ((m, k), (n, k), (m, n)))
        epilogue, _, names = example.EPILOGUES[name]
        extras = tuple({"bias": Memory((n,), BF16), "residual": Memory((m, n), BF16)}[kind] for kind in names)
        example.gemm(a, b, c, PROCESSORS, 256)
        example.gemm(a, b, c, PROCESSORS, 256, epilogue, extras)
        print(f"compiled {m},{n},{k} {name} for {given.arch}", flush=True)


def run(given: argparse.Namespace) -> int:
    """Measure, and print the table; the number of products that are wrong."""
    import torch

    processors = torch.cuda.get_device_properties(0).multi_processor_count
    names = ("FlyDSL", "plain", "of plain", "torch mm", "eager", "compiled", "cuBLAS ep", "to best", "error", "NaN")
    print(f"{'m,n,k, epilogue':<40} " + " ".join(f"{name:>9}" for name in names))
    wrong = 0
    for shape, name in (SMALL, *CASES):
        line, is_right = measured(shape, name, given.rounds, processors)
        wrong += not is_right
        print(f"{','.join(map(str, shape)) + ' ' + name:<40} {line}{'' if is_right else '  WRONG'}", flush=True)
    print(f"{wrong} wrong")
    return min(wrong, 100)


def measured(shape: tuple[int, int, int], name: str, rounds: int, processors: int) -> tuple[str, bool]:
    """The row of a case, and whether the result is right."""
    import torch
    from memory import Memory

    m, n, k = shape
    torch.manual_seed(m + n + k)
    a, b = matrix((m, k), BF16, False), matrix((n, k), BF16, False)
    found = {"bias": matrix((1, n), BF16, False)[0] * k**0.5, "residual": matrix((m, n), BF16, False)}
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16)
    example = load_example(EXAMPLE)
    epilogue, _, names = example.EPILOGUES[name]
    extras = tuple(found[kind] for kind in names)
    operands, given = [Memory.of(tensor) for tensor in (a, b, c)], tuple(Memory.of(extra) for extra in extras)
    rows = torch.randint(m, (min(m, CHECKED_ROWS),), device="cuda")
    example.gemm(*operands, processors, 256, epilogue, given)
    wide = [extra.double() if extra.dim() == 1 else extra[rows].double() for extra in extras]
    expected = in_torch(name)(a[rows].double() @ b.double().t(), *wide)
    wrong, missing = error(c[rows], expected), int(torch.isnan(c).sum())
    calls: list[Callable[[], Any]] = [
        lambda: example.gemm(*operands, processors, 256, epilogue, given),
        lambda: example.gemm(*operands, processors, 256),
        lambda: torch.mm(a, b.t()),
    ]
    peers = torch_calls(name, a, b, extras)
    took = times([*calls, *peers.values()], rounds, ahead=AHEAD)
    speeds = [2 * m * n * k / 1e9 / each for each in took]
    by_peer = dict(zip(peers, speeds[3:], strict=True))
    record("epilogue", f"{m},{n},{k} {name}", "TFLOP/s", {OWN: speeds[0], "plain": speeds[1], **by_peer})
    listed = [f"{by_peer.get(peer, float('nan')):>9.1f}" for peer in ("eager", "compiled", "own")]
    row = [f"{speeds[0]:>9.1f}", f"{speeds[1]:>9.1f}", f"{speeds[0] / speeds[1]:>9.3f}", f"{speeds[2]:>9.1f}", *listed]
    row += [f"{speeds[0] / max(by_peer.values()):>9.3f}", f"{wrong:>9.2e}", f"{missing:>9}"]
    return " ".join(row), wrong < MOST_ERROR and not missing


def in_torch(name: str) -> Callable[..., Any]:
    """The epilogue as a function of torch's tensors."""
    from torch.nn.functional import gelu, relu

    def activated(sums: Any, bias: Any, residual: Any = None) -> Any:
        found = sums + bias
        if "relu" in name:
            found = relu(found)
        if "gelu" in name:
            found = gelu(found, approximate="tanh")
        return found if residual is None else found + residual

    return activated


def torch_calls(name: str, a: Any, b: Any, extras: tuple[Any, ...]) -> dict[str, Callable[[], Any]]:
    """Ways of torch: eager, compiled, and by an epilogue of cuBLAS."""
    import torch

    def whole(a: Any, b: Any, *extras: Any) -> Any:
        return in_torch(name)(a @ b.t(), *extras)

    compiled = torch.compile(whole)
    found: dict[str, Callable[[], Any]] = {
        "eager": lambda: whole(a, b, *extras),
        "compiled": lambda: compiled(a, b, *extras),
    }
    if name == "bias":
        found["own"] = lambda: torch.addmm(extras[0], a, b.t())
    elif name in ("bias_relu", "bias_gelu"):
        found["own"] = lambda: torch._addmm_activation(extras[0], a, b.t(), use_gelu=name == "bias_gelu")
    for call in found.values():
        call()
    return found


if __name__ == "__main__":
    sys.exit(main())
