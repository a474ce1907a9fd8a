"""Memory-bound kernels of the examples with the sizes that they are measured at, in several ways each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memory import Memory
from run_examples import load_example

__all__ = ["Case", "cases"]

ELEMENTS = 1 << 28  # of every large tensor: several times what the second-level cache holds
SIDE, BINS = 1 << 14, 256
SHARED_BYTES = 227 << 10  # that a block of an H200 may have
ROW_KERNELS = ("softmax", "log_softmax", "rmsnorm", "layernorm")
WIDTHS = (1024, 4096, 8192, 32768, 131072)
SCANS = (
    (1024, 4, 132),
    (1024, 6, 132),
    (512, 8, 132),
    (512, 12, 132),
    (512, 4, 264),
    (512, 6, 264),
    (256, 4, 528),
    (256, 8, 396),
)
"""Threads of a block, vectors of each, and blocks, of a running sum."""
Tensors = Mapping[str, Any]
Call = Callable[[], None]


@dataclass(frozen=True)
class Case:
    """A kernel at a size: its tensors, the bytes that it must move, and ways to launch it."""

    name: str
    label: str
    moved: int
    tensors: dict[str, tuple[tuple[int, ...], str]]
    ways: dict[str, Callable[[Tensors], Call]] = field(default_factory=dict)
    output: str = "y"

    def nothing(self) -> dict[str, Memory]:
        """Its tensors, to compile for."""
        return {name: Memory(shape, dtype) for name, (shape, dtype) in self.tensors.items()}


def cases(width: int = 0) -> Iterator[Case]:
    """All of them; of rows only those of `width`, whichever it is, if there is one."""
    yield from (_streaming(name) for name in ("copy", "add"))
    for columns in (width,) if width else WIDTHS:
        yield from (_rows(name, columns) for name in ROW_KERNELS)
    yield _transpose()
    yield _running_sum()
    yield _histogram()


def _streaming(name: str) -> Case:
    module = load_example("14_streaming")
    tensors = dict.fromkeys(("a", "y") if name == "copy" else ("a", "b", "y"), ((ELEMENTS,), "float32"))
    function = getattr(module, name)

    def prepare(given: Tensors) -> Call:
        arguments = [module.marked(given[tensor], 4) for tensor in tensors]
        return lambda: function(*arguments)

    return Case(name, "fp32 1 GiB", 4 * ELEMENTS * len(tensors), tensors, {"256 x 16 B": prepare})


def _plans(name: str, columns: int) -> list[Any]:
    """Ways to spread a row: threads, vectors in registers and in shared memory, vectors at a time, threads of a block.

    Up to 8192 columns the row is in registers, of softmax also in shared memory. Longer ones are there, or are read
    again. The first cache is told in some that rows are read and written once, the second to keep what is read.
    """
    has_weights, once = "norm" in name, ("no_allocate", "evict_first")
    given: dict[int, list[tuple[Any, ...]]] = {
        1024: [(32, 64, 0, 4, 128), (64,), (128,)],
        4096: [(64,), (128,), (256,), (512,)],
        8192: [(128,), (256,), (512,), (1024,)],
        32768: [(512, 0, 8, 2), (256, 0, 16), (1024, 0, 4), (512, 0), (1024, 0), (512, 4, 4), (512,), (1024,)],
        131072: [(1024, 0, 12), (1024, 4, 12), (1024, 2, 12, 2), (1024, 0, 0, 2), (512, 4, 24)],
    }
    module = load_example("15_rows_in_registers")
    plan = module.RowPlan
    if has_weights:
        chosen = module.plan_for_norm(columns, 2, SHARED_BYTES, weights=1 if name == "rmsnorm" else 2)
    else:
        chosen = module.plan_for(columns, 2, SHARED_BYTES, paced=True)
    usual = module.plan_for(columns, 2, SHARED_BYTES)
    by_width = [chosen, usual, replace(chosen, cache=once)]
    by_width += [module.plan_for(columns, 2, SHARED_BYTES, paced=not has_weights, cache=once)]
    plans = [*by_width, *(replace(one, lasting=not one.lasting) for one in by_width)]
    plans += [replace(one, unroll=1) for one in plans if one.unroll > 1]
    plans += [plan(columns, *numbers) for numbers in given.get(columns, [])]
    if columns == 32768:
        plans.append(plan(columns, 512, cache=once))
    if columns == 8192:
        plans += [plan(columns, 512, 0, 2, 1, lasting=True), plan(columns, 256, 0, 4, 1, lasting=True)]
    if has_weights and columns <= 8192:
        plans += [replace(one, early=True) for one in plans if one.held]
    return list(dict.fromkeys(plans))


def _rows(name: str, columns: int) -> Case:
    module, rows = load_example("15_rows_in_registers"), ELEMENTS // columns
    wide, narrow = ((rows, columns), "bfloat16"), ((columns,), "bfloat16")
    tensors = {"x": wide, "weight": narrow, "bias": narrow, "y": wide}

    def way(plan: Any) -> Callable[[Tensors], Call]:
        def prepare(given: Tensors) -> Call:
            arguments = [module.marked(given[tensor], 2) for tensor in tensors]
            return lambda: module.run(name, *arguments, plan)

        return prepare

    ways = {
        f"{p.threads} threads, {p.held}+{p.shared} held, {p.piece} at once, block {p.size}{', early' * p.early}"
        f"{', paced' * p.paced}{', cache' * any(p.cache)}{', lasting' * p.lasting}"
        f"{f', by {p.unroll}' * (p.unroll > 1)}": way(p)
        for p in _plans(name, columns)
    }
    return Case(name, f"bf16 {rows} x {columns}", 4 * ELEMENTS, tensors, ways)


def _transpose() -> Case:
    module, shape = load_example("16_wide_transpose"), (SIDE, SIDE)
    tensors = {"x": (shape, "float32"), "y": (shape, "float32")}

    def prepare(given: Tensors) -> Call:
        arguments = [module.marked(given[tensor]) for tensor in tensors]
        return lambda: module.transpose(*arguments)

    return Case("transpose", f"fp32 {SIDE} x {SIDE}", 8 * SIDE * SIDE, tensors, {"64 x 64": prepare})


def _running_sum() -> Case:
    module = load_example("17_running_sum")
    plans = [module.ScanPlan(*numbers) for numbers in SCANS]
    most = max(module.words_for(ELEMENTS, plan) for plan in plans)
    tensors = {"x": ((ELEMENTS,), "float32"), "y": ((ELEMENTS,), "float32"), "words": ((most,), "int64")}

    def way(plan: Any) -> Callable[[Tensors], Call]:
        def prepare(given: Tensors) -> Call:
            x, y = (module.marked(given[tensor]) for tensor in ("x", "y"))
            words = given["words"].first(module.words_for(ELEMENTS, plan))
            return lambda: module.running_sum(x, y, words, plan)

        return prepare

    ways = {f"{plan.blocks} x {plan.threads} threads x {plan.vectors}": way(plan) for plan in plans}
    return Case("cumsum", "fp32 2^28", 8 * ELEMENTS, tensors, ways)


def _histogram() -> Case:
    module = load_example("18_histogram")
    tensors = {"x": ((ELEMENTS,), "float32"), "y": ((BINS,), "int32")}

    def way(blocks: int) -> Callable[[Tensors], Call]:
        def prepare(given: Tensors) -> Call:
            x = module.marked(given["x"])
            return lambda: module.histogram(x, given["y"], 0.0, 1.0, blocks)

        return prepare

    ways = {f"{blocks} blocks": way(blocks) for blocks in (132 * 8, 132 * 6, 132 * 16)}
    return Case("histogram", "fp32 2^28, 256 bins", 4 * ELEMENTS, tensors, ways)
