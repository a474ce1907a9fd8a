"""Attention on a GPU: speed of FlyDSL and of torch's cuDNN and flash kernels, and that FlyDSL's results are right.

Forward and backward, `backward_cases`, in TFLOP/s; the newest tokens of sequences over paged keys and values,
`decode_cases`, in TB/s that are read.

    python benchmarks/gpu/bench_attention.py                # where FlyDSL is installed with a compiler
    python benchmarks/gpu/bench_attention.py fill FOLDER    # where there is no GPU: compiles everything into FOLDER,
    python benchmarks/gpu/bench_attention.py run FOLDER     # which this runs where there is no compiler

Options: `--only forward`, `backward` or `decode`, `--rounds N`, `--check` (the results only). Medians of rounds in
which all take turns. Before that small and odd sizes are compared with float64, and each measured size with torch's
result: `error` is the largest difference, relative to the largest value. Outputs are filled with NaN.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import backward_cases
import decode_cases
from figures import record
from offline import medians, parser, run_or_fill
from run_examples import load_example

BATCH, HEADS = 4, 16
DEPTHS = (64, 96, 128, 256)
SIZES = tuple((depth, length, causal) for depth in DEPTHS for length in (2048, 8192) for causal in (False, True))
ODD = (
    (1, 1, 1, 1, False), (2, 2, 128, 128, False), (3, 1, 129, 257, False), (4, 2, 333, 517, False),
    (140, 70, 250, 517, False),
)  # fmt: skip
ODD_CAUSAL = ((1, 1, 1, 1, True), (2, 1, 128, 128, True), (6, 2, 333, 333, True), (2, 2, 700, 700, True))
LIMIT = 2e-2
LAUNCHES = 3
NAMES = ("FlyDSL", "cuDNN", "flash", "Triton")
TRITON_DEPTHS = (64, 128)  # powers of two; of 256 its blocks do not fit into shared memory


def attention() -> Any:
    """The function of the example."""
    return load_example("cuda_03_attention").attention


def flydsl(q: Any, k: Any, v: Any, causal: bool) -> Any:
    """FlyDSL's, of tensors (..., heads, length, depth), in a new tensor that was full of NaN."""
    import torch

    o = torch.full_like(q, math.nan)
    attention()(*(t.reshape(-1, *t.shape[-2:]) for t in (q, k, v, o)), causal, None, q.shape[-1])
    return o


def expected(q: Any, k: Any, v: Any, causal: bool) -> Any:
    """In float64."""
    import torch

    times = q.shape[0] // k.shape[0]
    q, k, v = (t.double() for t in (q, k.repeat_interleave(times, 0), v.repeat_interleave(times, 0)))
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
    return scores.softmax(-1) @ v


def difference(found: Any, right: Any) -> float:
    """The largest one, relative to the largest value; NaN counts as infinite."""
    error = ((found.double() - right.double()).abs().max() / right.double().abs().max()).item()
    return math.inf if math.isnan(error) else error


def wrong() -> int:
    """Small and odd sizes, of which none may be wrong."""
    import torch

    failed = 0
    for depth, (heads, of_keys, queries, keys, causal) in product(DEPTHS, (*ODD, *ODD_CAUSAL)):
        shapes = ((heads, queries), (of_keys, keys), (of_keys, keys))
        q, k, v = (torch.randn(*shape, depth, device="cuda", dtype=torch.bfloat16) for shape in shapes)
        error = difference(flydsl(q, k, v, causal), expected(q, k, v, causal))
        failed += not error < LIMIT
        words = f"{heads} heads of {depth}, {of_keys} of keys, {queries} x {keys}{', causal' * causal}"
        print(f"{words}: error {error:.2e}", flush=True)
    return failed


def measure(depth: int, length: int, causal: bool, rounds: int) -> int:
    """Print the row of a size; 1 when the result is wrong."""
    import torch
    from attention_triton import triton_attention
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = (torch.randn(BATCH, HEADS, length, depth, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    o = torch.empty_like(q)
    flat = [t.reshape(-1, length, depth) for t in (q, k, v, o)]

    def torch_by(backend: Any) -> Callable[[], Any]:
        def call() -> Any:
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)

        return call

    own = attention()
    ways: dict[str, Callable[[], Any]] = {"FlyDSL": lambda: own(*flat, causal, None, depth)}
    ways |= {"cuDNN": torch_by(SDPBackend.CUDNN_ATTENTION), "flash": torch_by(SDPBackend.FLASH_ATTENTION)}
    if depth in TRITON_DEPTHS:
        ways["Triton"] = lambda: triton_attention(*flat, causal)
    error = difference(flydsl(q, k, v, causal), ways["cuDNN"]())
    flops = 4 * BATCH * HEADS * length * length * depth / (2 if causal else 1)
    rates = {name: flops / taken / 1e9 for name, taken in medians(ways, rounds, LAUNCHES).items()}
    record("attention", f"{depth} {length} {'causal' if causal else 'full'}", "TFLOP/s", rates)
    ratio = rates["FlyDSL"] / max(rate for name, rate in rates.items() if name != "FlyDSL")
    cells = " ".join(f"{rates[name]:>8.0f}" if name in rates else f"{'-':>8}" for name in NAMES)
    print(
        f"{depth:>5} {length:>6} {'causal' if causal else 'full':<7} {cells}  ratio {ratio:.3f}  error {error:.1e}",
        flush=True,
    )
    return not error < LIMIT


def measure_all(rounds: int) -> int:
    """Print the table; the number of sizes that are wrong."""
    print(f"{'depth':>5} {'length':>6} {'':<7} {' '.join(f'{name:>8}' for name in NAMES)}   TFLOP/s")
    return sum(measure(*size, rounds) for size in SIZES)


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--only", choices=("forward", "backward", "decode"), help="one of the tables")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--check", action="store_true", help="the results only")
    return run_or_fill(options, run, compile_cases)


def compile_cases(given: argparse.Namespace) -> None:
    """Both kernels; sizes need no code of their own."""
    from memory import Memory

    for depth, causal in product(DEPTHS, (False, True)):
        q, k, v, o = (Memory((BATCH * HEADS, 256, depth), "bfloat16") for _ in range(4))
        attention()(q, k, v, o, causal, None, depth)
        print(f"compiled attention of {depth}{', causal' * causal} for {given.arch}", flush=True)
    backward_cases.compile_cases(given.arch)
    decode_cases.compile_cases(given.arch)


def run(given: argparse.Namespace) -> int:
    """Compare, measure, and print the table; the number of sizes that are wrong."""
    import torch

    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    failed = 0
    for name, check, measured in (
        ("forward", wrong, measure_all),
        ("backward", backward_cases.wrong, backward_cases.measure_all),
        ("decode", decode_cases.wrong, decode_cases.measure_all),
    ):
        if given.only in (None, name):
            failed += check()
            failed += 0 if given.check else measured(given.rounds)
    print(f"{failed} wrong")
    return failed


if __name__ == "__main__":
    sys.exit(main())
