"""Attention of the newest tokens over paged keys and values: TB/s of keys and values that are read.

The peers read contiguous keys and values, which nobody had to gather; Triton's kernel reads the same pages.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from figures import record
from offline import medians
from run_examples import load_example

DEPTH, LIMIT, LAUNCHES = 128, 2e-2, 5


class Case(NamedTuple):
    """Sequences of `length` tokens, or of random lengths up to it."""

    sequences: int
    length: int
    heads: tuple[int, int] = (32, 8)
    page: int = 64
    tokens: int = 1
    is_random: bool = False
    depth: int = DEPTH


CASES = (
    Case(64, 4096),
    Case(16, 32768),
    Case(256, 1024),
    Case(64, 4096, page=16),
    Case(64, 8192, is_random=True),
    Case(64, 4096, tokens=4),
    Case(128, 4096, depth=64),
    Case(1, 32768),
)
ODD = (
    Case(3, 1, (1, 1)),
    Case(5, 777, (8, 2), is_random=True),
    Case(4, 3001, (8, 1), 16, 2, is_random=True),
    Case(3, 2049, (12, 4), 256, 5, is_random=True),
    Case(7, 999, (64, 4), 32, 1, is_random=True, depth=64),
)


class Cache:
    """Random keys and values in pages at random places, their table, and the newest tokens' queries."""

    def __init__(self, case: Case) -> None:
        import torch

        of_queries, of_keys = case.heads
        lengths = torch.full((case.sequences,), case.length)
        if case.is_random:
            lengths = torch.randint(case.tokens, case.length + 1, (case.sequences,))
        self.case, self.total, self.longest = case, int(lengths.sum()), int(lengths.max())
        most = -(-self.longest // case.page)
        pages = case.sequences * most
        self.table = torch.randperm(pages).reshape(case.sequences, most).int().cuda()
        self.lengths = lengths.int().cuda()
        options: dict[str, Any] = {"device": "cuda", "dtype": torch.bfloat16}
        self.keys, self.values = (torch.randn(pages, case.page, of_keys, case.depth, **options) for _ in range(2))
        self.q = torch.randn(case.sequences, case.tokens, of_queries, case.depth, **options)
        example = load_example("cuda_05_decode")
        self.function = example.paged_decode
        rows_of_head = case.tokens * of_queries // of_keys
        self.part_tokens = example.part_tokens_for(case.sequences, of_keys, self.longest, rows_of_head)
        rows = *self.q.shape[:3], -(-self.longest // self.part_tokens)
        self.parts = torch.full((*rows, case.depth), math.nan, device="cuda")
        self.states = torch.full(rows, math.nan, device="cuda")
        self.out = torch.full_like(self.q, math.nan)

    def flydsl(self) -> Any:
        """The result by FlyDSL."""
        tensors = self.q, self.keys, self.values, self.table, self.lengths, self.parts, self.states, self.out
        self.function(*tensors, self.part_tokens, self.case.depth, self.case.page)
        return self.out

    def gathered(self) -> tuple[Any, ...]:
        """Keys and values as (sequence, head, token, channel), with what is behind short sequences."""
        return tuple(
            pages[self.table.long()].flatten(1, 2)[:, : self.longest].transpose(1, 2).contiguous()
            for pages in (self.keys, self.values)
        )

    def expected(self) -> Any:
        """The result in float64, one sequence at a time."""
        import torch

        found, group = torch.empty_like(self.q, dtype=torch.float64), self.case.heads[0] // self.case.heads[1]
        for number, length in enumerate(self.lengths.tolist()):
            pages = self.table[number].long()
            k, v = (t[pages].flatten(0, 1)[:length].transpose(0, 1).double() for t in (self.keys, self.values))
            q = self.q[number].transpose(0, 1).double()
            scores = q @ k.repeat_interleave(group, 0).mT / math.sqrt(self.case.depth)
            behind = torch.ones_like(scores, dtype=torch.bool).triu(length - self.case.tokens + 1)
            weights = scores.masked_fill(behind, -math.inf).softmax(-1)
            found[number] = (weights @ v.repeat_interleave(group, 0)).transpose(0, 1)
        return found


def difference(found: Any, right: Any) -> float:
    """The largest one, relative to the largest value; NaN counts as infinite."""
    error = ((found.double() - right.double()).abs().max() / right.double().abs().max()).item()
    return math.inf if math.isnan(error) else error


def wrong() -> int:
    """Small and odd sizes, of which none may be wrong."""
    failed = 0
    for case in ODD:
        cache = Cache(case)
        for number, length in enumerate(cache.lengths.tolist()):  # nobody may read what is behind a sequence
            last = cache.table[number, length // case.page] if length % case.page else None
            for pages in (cache.keys, cache.values) if last is not None else ():
                pages[last, length % case.page :] = math.nan
        error = difference(cache.flydsl(), cache.expected())
        failed += not error < LIMIT
        print(f"decode {tuple(case)}: error {error:.2e}", flush=True)
    return failed


def peers(cache: Cache) -> dict[str, Callable[[], Any]]:
    """What else computes a case: nothing of torch's takes random lengths, or several tokens that see each other."""
    import torch
    from decode_triton import triton_decode
    from torch.nn.attention import SDPBackend, sdpa_kernel

    case, found = cache.case, dict[str, Callable[[], Any]]()
    if not case.is_random and case.tokens == 1:
        k, v = cache.gathered()
        q = cache.q.transpose(1, 2).contiguous()

        def torch_by(backend: Any) -> Callable[[], Any]:
            def call() -> Any:
                with sdpa_kernel(backend):
                    return torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True).transpose(1, 2)

            return call

        found |= {"cuDNN": torch_by(SDPBackend.CUDNN_ATTENTION), "flash": torch_by(SDPBackend.FLASH_ATTENTION)}
    if case.tokens == 1:
        out = torch.empty_like(cache.q)
        found["Triton"] = lambda: triton_decode(cache, out)
    return found


def measure(case: Case, rounds: int) -> int:
    """Print the row of a case; 1 when the result is wrong."""
    cache = Cache(case)
    ways = {"FlyDSL": cache.flydsl, **peers(cache)}
    error = difference(cache.flydsl(), cache.expected())
    for name in list(ways):
        try:
            ways[name]()
        except Exception as failure:  # a peer that does not take the case
            print(f"{name}: {str(failure).splitlines()[0][:100]}")
            del ways[name]
    size = 2 * 2 * cache.total * case.heads[1] * case.depth
    rates = {name: size / taken / 1e9 for name, taken in medians(ways, rounds, LAUNCHES).items()}
    cells = " ".join(f"{rates[name]:>7.2f}" if name in rates else f"{'-':>7}" for name in NAMES)
    best = max((rate for name, rate in rates.items() if name != "FlyDSL"), default=math.nan)
    words = f"{case.sequences} x {case.length}, pages of {case.page}{', random lengths' * case.is_random}"
    words += f", {case.tokens} tokens" * (case.tokens > 1) + f", depth {case.depth}" * (case.depth != DEPTH)
    record("decode", words, "TB/s", rates)
    print(f"{words:<40} {cells}  ratio {rates['FlyDSL'] / best:.2f}  error {error:.1e}", flush=True)
    return not error < LIMIT


NAMES = ("FlyDSL", "cuDNN", "flash", "Triton")


def measure_all(rounds: int) -> int:
    """Print the table; the number of cases that are wrong."""
    print(f"{'decode, 32 heads on 8':<40} " + " ".join(f"{name:>7}" for name in NAMES) + "   TB/s of keys and values")
    return sum(measure(case, rounds) for case in CASES)


def compile_cases(arch: str) -> None:
    """All depths and pages; other sizes need no code of their own."""
    from memory import Memory

    function = load_example("cuda_05_decode").paged_decode
    for depth, page in sorted({(case.depth, case.page) for case in (*CASES, *ODD)}):
        q, cache = Memory((2, 1, 8, depth), "bfloat16"), Memory((8, page, 2, depth), "bfloat16")
        table, lengths, parts = Memory((2, 4), "int32"), Memory((2,), "int32"), Memory((2, 1, 8, 3, depth), "float32")
        function(q, cache, cache, table, lengths, parts, Memory((2, 1, 8, 3), "float32"), q, 256, depth, page)
        print(f"compiled decode, depth {depth}, pages of {page}, for {arch}", flush=True)
