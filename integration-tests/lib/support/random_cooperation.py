"""Random calls of `fx.coop` as kernels, and what NumPy says of them: collectives, types, sizes and data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCKS = (1, 2, 7, 20, 29, 31, 32, 33, 45, 48, 64, 65, 96, 100, 127, 128)
INTEGERS = (fx.Int8, fx.Uint8, fx.Int16, fx.Int32, fx.Uint32, fx.Int64)
FLOATS = (fx.Float16, fx.BFloat16, fx.Float32, fx.Float64)
SUMMED = (fx.Int32, fx.Uint32, fx.Int64, fx.Float32, fx.Float64)
Op = fx.ReductionOp
REDUCTIONS: dict[Any, Any] = {Op.ADD: np.add, Op.MAX: np.maximum, Op.MIN: np.minimum}
NARROW = {fx.BFloat16: ml_dtypes.bfloat16}


@dataclass(frozen=True, slots=True)
class Case:
    """One kernel: `name` of the collective, the type, threads of a block, items of each, and the seed of its data."""

    name: str
    dtype: Any
    block: int
    items: int
    is_dynamic: bool
    seed: int

    def __str__(self) -> str:
        launch = "a size of run time" if self.is_dynamic else "a known size"
        return f"{self.name} of {self.dtype.__name__}, block {self.block} ({launch}), {self.items} items, {self.seed}"


def random_cases(seed: int, count: int) -> list[Case]:
    """Cases, the same for a seed."""
    rng = np.random.default_rng(seed)
    found = []
    for index in range(count):
        name = list(COLLECTIVES)[rng.integers(len(COLLECTIVES))]
        dtypes = COLLECTIVES[name].dtypes
        items = int(rng.choice((1, 2, 4) if "warp_sort" in name else (1, 2, 3)))
        dtype, block = dtypes[rng.integers(len(dtypes))], int(rng.choice(BLOCKS))
        found.append(Case(name, dtype, block, items, bool(rng.integers(2)), seed * 100_003 + index))
    return found


def failure(case: Case, wave: int, run: Callable[[Any], Any]) -> str:
    """What is wrong with what a case computes in waves of so many threads; nothing where NumPy says the same."""
    collective, count = COLLECTIVES[case.name], case.block * case.items
    x = _data(case, count)
    y, places = np.zeros_like(x), np.zeros(count, np.int32)
    try:
        run(_host(case, collective.body))(x, y, places, case.block)
    except Exception as error:
        return f"{case}: {type(error).__name__}: {str(error)[:300]}"
    expected, order = collective.expected(x, case, wave)
    if y.tobytes() != expected.astype(x.dtype).tobytes():
        return f"{case}: {y.tolist()} instead of {expected.tolist()}, of {x.tolist()}"
    if order is not None and places.tolist() != order.tolist():
        return f"{case}: from {places.tolist()} instead of {order.tolist()}, of {x.tolist()}"
    return ""


def _host(case: Case, body: Any) -> Any:
    block, items, dtype = case.block, case.items, case.dtype

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, places: fx.Tensor):
        body(x, y, places, dtype, block, items)

    @flyc.jit
    def known(x: fx.Tensor, y: fx.Tensor, places: fx.Tensor, n: fx.Int32):
        kernel(x, y, places).launch(grid=1, block=block)

    @flyc.jit
    def at_run_time(x: fx.Tensor, y: fx.Tensor, places: fx.Tensor, n: fx.Int32):
        kernel(x, y, places).launch(grid=1, block=n)

    return at_run_time if case.is_dynamic else known


def _data(case: Case, count: int) -> np.ndarray:
    """Few different values, so that there are equal ones; of floats of sorts some are NaN or a zero with a sign."""
    rng = np.random.default_rng(case.seed)
    kind = NARROW.get(case.dtype) or case.dtype.numpy_dtype
    low = -9 if case.dtype.is_signed or case.dtype.is_float else 0
    x = rng.integers(low, 10, count).astype(kind)
    if case.dtype.is_float and "sort" in case.name:
        x[rng.random(count) < 0.2] = np.nan
        if case.name != "radix_sort":  # which tells zeros, and NaNs, by their bits
            x[rng.random(count) < 0.1] = -0.0
    return x


def _reduced(op: Any, of_block: bool) -> Any:
    def body(x: Any, y: Any, places: Any, dtype: Any, block: Any, items: Any) -> None:
        i = fx.thread_idx.x
        values = [x[i * items + k] for k in range(items)]
        reduce = fx.coop.BlockReduce[dtype, block] if of_block else fx.coop.warp_reduce
        total = reduce(tuple(values) if of_block else values[0], op)
        for k in range(items):
            y[i * items + k] = total

    return body


def _expected_reduced(op: Any, of_block: bool) -> Any:
    def expected(x: np.ndarray, case: Case, wave: int) -> tuple[np.ndarray, None]:
        rows = x.reshape(case.block, case.items)
        if of_block:
            return np.full(x.size, REDUCTIONS[op].reduce(x, dtype=x.dtype)), None
        groups = [rows[start : start + wave, 0] for start in range(0, case.block, wave)]
        totals = [np.full(group.size, REDUCTIONS[op].reduce(group, dtype=x.dtype)) for group in groups]
        return np.repeat(np.concatenate(totals), case.items), None

    return expected


def _scanned(of_block: bool) -> Any:
    def body(x: Any, y: Any, places: Any, dtype: Any, block: Any, items: Any) -> None:
        i = fx.thread_idx.x
        values = tuple(x[i * items + k] for k in range(items))
        if of_block:
            values = fx.coop.BlockScan[dtype, block].inclusive(values, Op.ADD)
        else:
            values = (fx.coop.warp_inclusive_scan(values[0], Op.ADD), *values[1:])
        for k in range(items):
            y[i * items + k] = values[k]

    return body


def _expected_scanned(of_block: bool) -> Any:
    def expected(x: np.ndarray, case: Case, wave: int) -> tuple[np.ndarray, None]:
        if of_block:
            return np.add.accumulate(x, dtype=x.dtype), None
        rows = x.reshape(case.block, case.items).copy()
        for start in range(0, case.block, wave):
            rows[start : start + wave, 0] = np.add.accumulate(rows[start : start + wave, 0], dtype=x.dtype)
        return rows.reshape(-1), None

    return expected


def _block_sorted(radix: bool) -> Any:
    def body(x: Any, y: Any, places: Any, dtype: Any, block: Any, items: Any) -> None:
        i = fx.thread_idx.x
        form: Any = fx.coop.BlockRadixSort if radix else fx.coop.BlockMergeSort
        P = form[(dtype, fx.Int32), block, items]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        keys = tuple(x[i * items + k] for k in range(items))
        own = tuple(fx.Int32(i * items + k) for k in range(items))
        keys, own = P(keys, own, storage=storage) if radix else P.sort(keys, own, storage=storage)
        for k in range(items):
            y[i * items + k], places[i * items + k] = keys[k], own[k]

    return body


def _warp_sorted(x: Any, y: Any, places: Any, dtype: Any, block: Any, items: Any) -> None:
    i = fx.thread_idx.x
    keys = tuple(x[i * items + k] for k in range(items))
    own = tuple(fx.Int32(i * items + k) for k in range(items))
    keys, own = fx.coop.warp_merge_sort(keys, own)
    for k in range(items):
        y[i * items + k], places[i * items + k] = keys[k], own[k]


def _exchanged(x: Any, y: Any, places: Any, dtype: Any, block: Any, items: Any) -> None:
    i = fx.thread_idx.x
    P = fx.coop.BlockExchange[dtype, block, items]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    striped = P.blocked_to_striped(tuple(x[i * items + k] for k in range(items)), storage=storage)
    fx.barrier()
    moved = P.blocked_to_warp_striped(striped, storage=storage)
    fx.barrier()
    back = P.warp_striped_to_blocked(moved, storage=storage)
    for k in range(items):
        y[i * items + k] = back[k]


def _ranked(x: Any, y: Any, places: Any, dtype: Any, block: Any, items: Any) -> None:
    i = fx.thread_idx.x
    P = fx.coop.BlockRadixRank[dtype, block, items]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    keys = tuple(x[i * items + k] for k in range(items))
    ranks = P.rank(keys, storage=storage, begin_bit=1)
    for k in range(items):
        y[i * items + k], places[i * items + k] = keys[k], ranks[k]


def _expected_ranked(x: np.ndarray, case: Case, wave: int) -> tuple[np.ndarray, np.ndarray]:
    """Digits of 4 bits, or of as many as make 8192 counters of all threads."""
    bits = min(4, (8192 // case.block).bit_length() - 1)
    least = np.iinfo(x.dtype).min
    digits = (x.astype(object) - least) // 2 % (1 << bits)
    ranks = np.empty(x.size, np.int32)
    ranks[np.argsort(digits.astype(np.int64), kind="stable")] = np.arange(x.size)
    return x, ranks


def _decoded(x: Any, y: Any, places: Any, dtype: Any, block: Any, items: Any) -> None:
    i = fx.thread_idx.x
    P = fx.coop.BlockRunLengthDecode[dtype, block, items, items]
    storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
    values = tuple(x[i * items + k] for k in range(items))
    lengths = tuple(fx.Int32(i + k) % 3 for k in range(items))
    decoder = P.init_with_run_lengths(values, lengths, storage=storage)
    decoded, offsets = decoder.decode(1, with_offsets=True)
    for k in range(items):
        is_there = i * items + k + 1 < decoder.total
        y[i * items + k] = is_there.select(decoded[k], dtype(0))
        places[i * items + k] = is_there.select(offsets[k], decoder.total)


def _expected_decoded(x: np.ndarray, case: Case, wave: int) -> tuple[np.ndarray, np.ndarray]:
    lengths = [(thread + k) % 3 for thread in range(case.block) for k in range(case.items)]
    offsets = np.concatenate([np.arange(length) for length in lengths])
    decoded, total = np.repeat(x, lengths)[1 : x.size + 1], sum(lengths)
    y, places = np.zeros_like(x), np.full(x.size, total)
    y[: decoded.size], places[: decoded.size] = decoded, offsets[1 : x.size + 1]
    return y, places


def _order(x: np.ndarray, size: int) -> np.ndarray:
    runs = [np.argsort(x[start : start + size], kind="stable") + start for start in range(0, x.size, size)]
    return np.concatenate(runs)


def _expected_sorted(x: np.ndarray, case: Case, wave: int) -> tuple[np.ndarray, np.ndarray]:
    wide = x.astype(np.float64) if case.dtype.is_float else x
    order = _order(wide, wave * case.items if case.name == "warp_sort" else x.size)
    return x[order], order


def _expected_exchanged(x: np.ndarray, case: Case, wave: int) -> tuple[np.ndarray, None]:
    return x.reshape(case.items, case.block).T.reshape(-1), None


@dataclass(frozen=True, slots=True)
class _Collective:
    body: Any
    expected: Callable[[np.ndarray, Case, int], tuple[np.ndarray, np.ndarray | None]]
    dtypes: tuple[Any, ...]


def _collectives() -> dict[str, _Collective]:
    found = {}
    for place, of_block in (("warp", False), ("block", True)):
        for op in REDUCTIONS:
            dtypes = SUMMED if op is Op.ADD else (*INTEGERS, fx.Float32, fx.Float64)
            body = _reduced(op, of_block)
            found[f"{place}_reduce_{op.name}"] = _Collective(body, _expected_reduced(op, of_block), dtypes)
        found[f"{place}_scan"] = _Collective(_scanned(of_block), _expected_scanned(of_block), SUMMED)
    keys = (*INTEGERS, *FLOATS)
    found["merge_sort"] = _Collective(_block_sorted(radix=False), _expected_sorted, keys)
    found["radix_sort"] = _Collective(_block_sorted(radix=True), _expected_sorted, keys)
    found["warp_sort"] = _Collective(_warp_sorted, _expected_sorted, keys)
    found["radix_rank"] = _Collective(_ranked, _expected_ranked, INTEGERS)
    found["run_length_decode"] = _Collective(_decoded, _expected_decoded, (*INTEGERS, fx.Float32))
    found["exchange"] = _Collective(_exchanged, _expected_exchanged, keys)
    return found


COLLECTIVES = _collectives()
