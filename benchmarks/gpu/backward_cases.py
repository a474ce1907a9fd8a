"""Attention backward: TFLOP/s, all kernels of it, beside torch's cuDNN and flash kernels."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product
from typing import Any

from figures import record
from offline import medians
from run_examples import load_example

BATCH, HEADS, LAUNCHES, LIMIT = 4, 16, 3, 2e-2
DEPTHS = (64, 128)
SIZES = ((2048, 16, False), (2048, 16, True), (8192, 16, False), (8192, 16, True), (8192, 4, True))
"""Queries and keys, heads of keys, and whether a query sees those before it alone."""
NAMES = ("FlyDSL", "in order", "cuDNN", "flash")
ODD = ((1, 1, 2, 3), (2, 2, 128, 128), (3, 1, 129, 257), (6, 2, 1333, 517), (4, 1, 200, 1100), (2, 2, 700, 700))


class Backward:
    """Tensors of a call, (heads, length, depth), and gradients that are full of NaN."""

    def __init__(self, depth: int, heads: int, of_keys: int, queries: int, keys: int, causal: bool) -> None:
        import torch

        options: dict[str, Any] = {"device": "cuda", "dtype": torch.bfloat16}
        self.depth, self.causal = depth, causal
        self.function = load_example("cuda_06_attention_backward").attention_backward
        self.q, self.do = (torch.randn(heads, queries, depth, **options) for _ in range(2))
        self.k, self.v = (torch.randn(of_keys, keys, depth, **options) for _ in range(2))
        self.o = torch.full_like(self.q, math.nan)
        self.lse = torch.full((heads, queries), math.nan, device="cuda")
        load_example("cuda_03_attention").attention(self.q, self.k, self.v, self.o, causal, self.lse, depth)
        self.gradients = [torch.full_like(x, math.nan) for x in (self.q, self.k, self.v)]
        *shapes, of_turns = load_example("cuda_06_attention_backward").scratch_shapes(heads, queries, depth)
        self.scratch = [torch.full(shape, math.nan, device="cuda") for shape in shapes]
        self.turns = torch.full(of_turns, -1, device="cuda", dtype=torch.int32)

    def flydsl(self, in_order: bool = False) -> list[Any]:
        """Gradients of q, k and v by FlyDSL."""
        inputs = self.q, self.k, self.v, self.o, self.do, self.lse
        turns = self.turns if in_order else None
        self.function(*inputs, *self.gradients, *self.scratch, turns, self.causal, self.depth)
        return self.gradients

    def differs(self) -> bool:
        """Whether two runs in order do."""
        first = [x.clone() for x in self.flydsl(in_order=True)]
        return any(not one.equal(other) for one, other in zip(first, self.flydsl(in_order=True), strict=True))

    def expected(self) -> tuple[Any, list[Any]]:
        """The result and the gradients in float64, these of what the kernels are given.

        That is the rounded result: its rounding is most of what few queries sum.
        """
        import torch

        q, k, v, o, do = (x.double() for x in (self.q, self.k, self.v, self.o, self.do))
        group, scale = len(q) // len(k), 1 / math.sqrt(self.depth)
        k, v = (x.repeat_interleave(group, 0) for x in (k, v))
        scores = q @ k.mT * scale
        if self.causal:
            scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -math.inf)
        weights = scores.softmax(-1)
        of_scores = weights * (do @ v.mT - (do * o).sum(-1, keepdim=True)) * scale
        of_keys = (x.unflatten(0, (-1, group)).sum(1) for x in (of_scores.mT @ q, weights.mT @ do))
        return weights @ v, [of_scores @ k, *of_keys]


def difference(found: list[Any], right: list[Any]) -> float:
    """The largest one, relative to the largest value of its tensor; NaN counts as infinite."""
    errors = [
        ((a.double() - b.double()).abs().max() / b.double().abs().max()).item()
        for a, b in zip(found, right, strict=True)
    ]
    return math.inf if any(map(math.isnan, errors)) else max(errors)


def wrong() -> int:
    """Small and odd sizes, of which none may be wrong."""
    failed = 0
    for depth, shape, causal in product(DEPTHS, ODD, (False, True)):
        case = Backward(depth, *shape, causal)
        result, right = case.expected()
        forward = difference([case.o], [result])
        error, in_order = (difference(case.flydsl(order), right) for order in (False, True))
        failed += not max(forward, error, in_order) < LIMIT or case.differs()
        words = f"error {error:.2e}, {in_order:.2e} in order, of the result {forward:.2e}"
        print(f"backward of {depth} {shape}{', causal' * causal}: {words}", flush=True)
    return failed


def torch_by(backend: Any, case: Backward) -> Callable[[], list[Any]]:
    """The backward pass alone of torch's attention by one of its kernels."""
    import torch
    from torch.nn.attention import sdpa_kernel

    q, k, v = (x.unflatten(0, (BATCH, -1)).detach().requires_grad_() for x in (case.q, case.k, case.v))
    with sdpa_kernel(backend):
        o = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=case.causal, enable_gqa=len(k[0]) < HEADS
        )
    do = case.do.unflatten(0, (BATCH, -1))
    return lambda: [x.flatten(0, 1) for x in torch.autograd.grad(o, (q, k, v), do, retain_graph=True)]


def measure(depth: int, length: int, of_keys: int, causal: bool, rounds: int) -> int:
    """Print the row of a size; 1 when the result is wrong."""
    from torch.nn.attention import SDPBackend

    case = Backward(depth, BATCH * HEADS, BATCH * of_keys, length, length, causal)
    ways: dict[str, Callable[[], Any]] = {"FlyDSL": case.flydsl, "in order": lambda: case.flydsl(in_order=True)}
    for name, backend in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)):
        try:
            ways[name] = torch_by(backend, case)
        except RuntimeError as failure:
            print(f"{name}: {str(failure).splitlines()[0][:100]}")
    error = difference(case.flydsl(), ways["cuDNN"]())
    flops = 10 * BATCH * HEADS * length * length * depth / (2 if causal else 1)
    rates = {name: flops / taken / 1e9 for name, taken in medians(ways, rounds, LAUNCHES).items()}
    ratio = rates["FlyDSL"] / max(rate for name, rate in rates.items() if name not in NAMES[:2])
    cells = " ".join(f"{rates[name]:>8.0f}" if name in rates else f"{'-':>8}" for name in NAMES)
    words = f"{depth}: {length}, {of_keys} heads of keys, {'causal' if causal else 'full'}"
    record("attention backward", words, "TFLOP/s", rates)
    print(f"{words:<36} {cells}  ratio {ratio:.3f}  error {error:.1e}", flush=True)
    return not error < LIMIT


def measure_all(rounds: int) -> int:
    """Print the table; the number of sizes that are wrong."""
    print(f"{'backward':<36} {' '.join(f'{name:>8}' for name in NAMES)}   TFLOP/s")
    return sum(measure(depth, *size, rounds) for depth, size in product(DEPTHS, SIZES))


def compile_cases(arch: str) -> None:
    """Forward with logarithms, and backward; sizes need no code of their own."""
    from memory import Memory

    forward = load_example("cuda_03_attention").attention
    backward = load_example("cuda_06_attention_backward")
    for depth, causal, in_order in product(DEPTHS, (False, True), (False, True)):
        x, lse = Memory((4, 256, depth), "bfloat16"), Memory((4, 256), "float32")
        *shapes, of_turns = backward.scratch_shapes(4, 256, depth)
        scratch = [Memory(shape, "float32") for shape in shapes]
        turns = Memory(of_turns, "int32") if in_order else None
        forward(x, x, x, x, causal, lse, depth)
        backward.attention_backward(x, x, x, x, x, lse, x, x, x, *scratch, turns, causal, depth)
        print(f"compiled backward of {depth}{', causal' * causal}{', in order' * in_order} for {arch}", flush=True)
