"""Attention by warp groups: its instructions, registers and loops, and no word of the assembler that it had to wait
where the program does not."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example

import flydsl.expr as fx
from flydsl_cuda.code_object import CodeObject
from flydsl_cuda.report.sass import Body, disassemble, functions, loops


class Kernel(NamedTuple):
    """The kernel for heads of so many channels, as compiled."""

    depth: int
    code: CodeObject

    @property
    def keys(self) -> int:
        """That are brought at once."""
        return int(load_example("attention_tiles").PLANS[self.depth].keys)


def compiled(depth: int, causal: bool) -> Kernel:
    q, k = (np.zeros((heads, 256, depth), ml_dtypes.bfloat16) for heads in (4, 2))
    function = load_example("cuda_03_attention").attention
    traced = function.trace(q, k, k, q, causal, None, depth, backend="cuda", arch="sm_90a")
    return Kernel(depth, CodeObject.from_bytes(traced.lower().compile().device))


@pytest.fixture(scope="module", params=[64, 96, 128, 256])
def full(request: pytest.FixtureRequest) -> Kernel:
    return compiled(request.param, causal=False)


@pytest.fixture(scope="module", params=[(64, False), (128, False), (128, True)], ids=str)
def kernel(request: pytest.FixtureRequest) -> Kernel:
    return compiled(*request.param)


def test_scores_stay_in_registers_and_nothing_is_spilled(full: Kernel) -> None:
    columns = Counter(re.findall(r"m64n(\d+)k16\.f32\.bf16\.bf16 ", full.code.ptx))
    steps = {full.keys: 2 * full.depth // 16}  # of the first keys and of keys in the loop
    steps[full.depth] = steps.get(full.depth, 0) + 2 * full.keys // 16  # of values in the loop and of the last ones
    assert {int(n): count for n, count in columns.items()} == steps
    for one in full.code.kernels.values():
        assert (one.spill_stores, one.spill_loads, one.stack) == (0, 0, 0)
        assert one.registers == (128 if full.depth == 64 else 168)  # three groups of warps multiply, or two


def innermost(body: Body) -> list[str]:
    """The names of the instructions of the loop over keys; blocks that stay have one around it."""
    every = ([one.name for one in loop] for loop in loops(body))
    return min((names for names in every if any(name.startswith("HGMMA") for name in names)), key=len)


def test_the_loop_multiplies_keys_and_values_and_touches_no_memory(kernel: Kernel) -> None:
    listing = disassemble(kernel.code.cubin)
    assert listing is not None
    (body,) = functions(listing).values()
    names = innermost(body)
    assert sum(name.startswith("HGMMA") for name in names) == kernel.depth // 16 + kernel.keys // 16
    weights = sum(name.startswith("MUFU.EX2") for name in names)
    assert weights % (kernel.keys // 2 + 2) == 0  # and two factors, with and without a mask
    assert not [name for name in names if name.startswith(("LDG", "LDS", "LDL", "ST", "RED", "ATOM", "MEMBAR", "CCTL"))]


def test_groups_of_blocks_that_stay_take_turns(full: Kernel) -> None:
    listing = disassemble(full.code.cubin)
    assert listing is not None
    (body,) = functions(listing).values()
    barriers = [name for name in innermost(body) if name.startswith("BAR")]
    assert len(barriers) == (2 if load_example("attention_tiles").PLANS[full.depth].stays else 0)


def cut(heads: int, queries: int, multiprocessors: int) -> tuple[int, int]:
    tiles = load_example("attention_tiles")
    whole, blocks = tiles.cut(tiles.PLANS[64], heads, queries, multiprocessors)
    return int(whole), int(blocks)


def time_of(lengths: Iterable[float], multiprocessors: int) -> float:
    """When blocks have ended that begin in this order, each as soon as a multiprocessor is free."""
    ends = [0.0] * multiprocessors
    for length in lengths:
        heapq.heapreplace(ends, ends[0] + length)
    return max(ends)


@pytest.mark.parametrize("multiprocessors", [4, 7, 132])
def test_short_blocks_have_all_queries_and_are_never_slower(multiprocessors: int) -> None:
    rng, shortened = np.random.default_rng(multiprocessors), 0
    for _ in range(300):
        heads, queries = int(rng.integers(1, 2 * multiprocessors)), int(rng.integers(1, 3000))
        whole, blocks = cut(heads, queries, multiprocessors)
        most = -(-queries // 192)
        assert whole == blocks == most or 0 <= whole * 192 + (blocks - whole) * 64 - queries < 64
        lengths = [1.0] * (heads * whole) + [0.5] * (heads * (blocks - whole))
        taken, at_most = time_of(lengths, multiprocessors), -(-heads * most // multiprocessors)
        assert taken <= at_most
        shortened += taken < at_most
    assert shortened > 20


def test_a_last_turn_of_few_blocks_becomes_a_short_one() -> None:
    assert cut(64, 2048, 132) == (10, 12)  # 640 long blocks, five turns, and 128 short ones
    assert cut(64, 8192, 132) == (43, 43)  # 21 turns with and without


@pytest.mark.parametrize(("depth", "causal"), [(64, False), (64, True), (128, False), (128, True)])
@pytest.mark.parametrize("queries", [1, 130, 250, 2048])
def test_parts_have_all_queries_once_and_long_ones_come_first(depth: int, causal: bool, queries: int) -> None:
    tiles, heads = load_example("attention_tiles"), 64
    plan = tiles.plan_of(depth, causal)
    whole, blocks = tiles.cut(plan, heads, queries, 132)
    parts = tiles.Parts(plan, causal, 1000, whole, fx.nvvm.TileScheduler(heads, blocks, 3 if causal else 1))
    tasks = [parts.task(fx.Int32(number)) for number in range(heads * int(blocks))]
    found = [(int(task.head), int(task.first) + group) for task in tasks for group in range(int(task.groups))]
    assert len(set(found)) == len(found)
    assert {(head, first) for head in range(heads) for first in range(-(-queries // 64))} <= set(found)
    sizes = [int(task.groups) for task in tasks]
    assert sizes == sorted(sizes, reverse=True)
    assert {head for head, _ in found} == set(range(heads))
    assert max(first for _, first in found) < int(blocks) * plan.groups
    assert (1 in sizes) == (
        depth == 64 and not causal and queries in (1, 2048)
    )  # others begin at once, or are too many


def test_the_assembler_serialises_nothing(full: Kernel, lost_speed: Callable[[str], list[str]]) -> None:
    assert lost_speed(full.code.ptx) == []


def test_heads_of_other_sizes_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="heads of 64, 96, 128, 256 channels, found 80"):
        compiled(80, causal=False)
