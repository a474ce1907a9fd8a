"""Kernels that do every operation and conversion of a numeric type to many numbers at once, against the exact oracle.

One kernel holds all operations of a type, as scalars and as vectors, so that compiling it is paid once. Its results
travel as 64-bit integers and as doubles, which have every value of narrower floats.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

import numpy as np
from support.arithmetic_rules import Rule, converted, rules_of
from support.exact_numbers import KINDS, Kind, Number, core_numbers, random_number, special_numbers

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 64
SOME_FORMS = ("construction", "vector.to")
"""Forms of conversions that the others are made of."""
Pair = tuple[Number, Number]
_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class _Row:
    """One result of a kernel: what is computed of two numbers, and what it has to be."""

    name: str
    computed: Callable[[Any, Any], Any]
    kind: Kind
    expected: Callable[[Number, Number], Number | None]
    either_zero: bool = False


def pairs_of(kind: Kind, seed: int, count: int) -> list[Pair]:
    """All pairs of the most special numbers, and `count` of special and random ones, the same for the same seed."""
    rng, special, core = _random(kind, seed), special_numbers(kind), core_numbers(kind)

    def one() -> Number:
        return rng.choice(special) if rng.random() < 0.7 else random_number(kind, rng)

    return [*product(core, core), *((a, a if rng.random() < 0.05 else one()) for a in (one() for _ in range(count)))]


def numbers_of(kind: Kind, seed: int, count: int) -> list[Pair]:
    """Every special number and `count` random ones, each beside another."""
    rng = _random(kind, seed)
    numbers = [*special_numbers(kind), *(random_number(kind, rng) for _ in range(count))]
    return [(number, rng.choice(numbers)) for number in numbers]


def _random(kind: Kind, seed: int) -> Random:
    return Random(f"{kind.name} {seed}")


def wrong_operations(kind: Kind, seed: int, count: int, *, wide: bool = True, run: Any = None) -> list[str]:
    """What is wrong among the operations of a kind at run time, as text; `run` launches (None: by a call)."""
    rng = Random(seed)
    rows = [row for rule in rules_of(kind, wide=wide) for row in _operation_rows(kind, rule, rng)]
    return _wrong(kind, rows, pairs_of(kind, seed, count), f"seed {seed}", run)


def wrong_conversions(
    kind: Kind, targets: Sequence[Kind], seed: int, count: int, *, forms: Sequence[str] = (), run: Any = None
) -> list[str]:
    """The same of conversions to `targets`, in all forms or the named ones."""
    rows = [row for target in targets for row in _conversion_rows(kind, target, forms)]
    return _wrong(kind, rows, numbers_of(kind, seed, count), f"seed {seed}", run)


def wrong_static(kind: Kind, seed: int, count: int) -> list[str]:
    """The same of operations and conversions of numbers that are known while tracing."""
    dtype, wrong = getattr(fx, kind.name), []
    for a, b in (*pairs_of(kind, seed, count), *numbers_of(kind, seed, count)):
        x, y = dtype.wrap(_python(kind, a)), dtype.wrap(_python(kind, b))
        for rule in rules_of(kind):
            expected = rule.meaning(kind, a, b)
            if expected is None or (rule.name == "**" and b < 0):
                continue
            result = rule.written(x, y)
            is_kind = result.dtype is getattr(fx, rule.result(kind).name)
            if not is_kind or not _is_same(result.value, expected, rule.either_zero):
                wrong.append(f"{kind.name}: {a!r} {rule.name} {b!r} is {result!r}, not {expected!r} (seed {seed})")
        for target in KINDS.values():
            expected = converted(kind, target, a)
            if expected is not None and not _is_same(getattr(fx, target.name)(x).value, expected):
                wrong.append(f"{target.name}({x!r}) is {getattr(fx, target.name)(x)!r}, not {expected!r} (seed {seed})")
    return wrong


def _operation_rows(kind: Kind, rule: Rule, rng: Random) -> Iterator[_Row]:
    """Of two numbers of run time, of vectors of them, and with one that is known while tracing."""
    written, dtype = rule.written, getattr(fx, kind.name)  # alone: what a kernel reads is watched for changes
    known = rng.choice(special_numbers(kind))
    constant = _python(kind, known)

    def of_vector(a: Any, b: Any) -> Any:
        return written(fx.Vector.from_elements([b, a, a]), fx.Vector.from_elements([a, b, b]))[1]

    def with_known(a: Any, b: Any) -> Any:
        return written(a, dtype.wrap(constant))

    def meaning(a: Number, b: Number) -> Number | None:
        return rule.meaning(kind, a, b)

    def meaning_with_known(a: Number, b: Number) -> Number | None:
        return None if rule.name == "**" and known < 0 else rule.meaning(kind, a, known)

    result, zeros = rule.result(kind), rule.either_zero
    yield _Row(f"scalar {rule.name}", written, result, meaning, zeros)
    yield _Row(f"vector {rule.name}", of_vector, result, meaning, zeros)
    yield _Row(f"{rule.name} {known!r}", with_known, result, meaning_with_known, zeros)


def _conversion_rows(source: Kind, target: Kind, wanted: Sequence[str]) -> Iterator[_Row]:
    dtype = getattr(fx, target.name)

    def through_registers(a: Any, b: Any) -> Any:
        registers = fx.make_rmem_tensor(1, dtype)
        registers[0] = a
        return registers[0]

    forms: dict[str, Callable[[Any, Any], Any]] = {
        "construction": lambda a, b: dtype(a),
        "vector.to": lambda a, b: fx.Vector.from_elements([b, a, b]).to(dtype)[1],
        "full": lambda a, b: fx.full((2,), a, dtype)[1],
    }
    if target.bits >= 8:
        forms["register"] = through_registers
    for form, computed in forms.items():
        if wanted and form not in wanted:
            continue
        yield _Row(f"{form} to {target.name}", computed, target, lambda a, b: converted(source, target, a))


def _wrong(kind: Kind, rows: Sequence[_Row], pairs: Sequence[Pair], label: str, run: Any) -> list[str]:
    padded = [*pairs, *[pairs[-1]] * (-len(pairs) % THREADS)]
    found = _results(kind, rows, padded, run)
    wrong = []
    for row, values in zip(rows, found, strict=True):
        for (a, b), value in zip(pairs, values, strict=False):
            expected = row.expected(a, b)
            if expected is not None and not _is_same(value, expected, row.either_zero):
                wrong.append(f"{kind.name}: {row.name} of {a!r} and {b!r} is {value!r}, not {expected!r} ({label})")
    return wrong


def _results(kind: Kind, rows: Sequence[_Row], pairs: Sequence[Pair], run: Any) -> list[list[Number]]:
    """What a kernel computes of all pairs, row by row."""
    dtype, count = getattr(fx, kind.name), len(pairs)
    defined = np.array([[row.expected(a, b) is not None for a, b in pairs] for row in rows])
    computed = [(row.computed, row.kind.name, row.kind.bits) for row in rows]
    bits, guarded = kind.bits, [kind.is_float and not all(of_row) for of_row in defined.tolist()]

    @flyc.kernel
    def kernel(x: fx.Tensor, defined: fx.Tensor, ints: fx.Tensor, floats: fx.Tensor):
        i = fx.block_idx.x * THREADS + fx.thread_idx.x
        a, b = _read(bits, dtype, x, 0, i), _read(bits, dtype, x, 1, i)
        for row in fx.range_constexpr(len(computed)):
            if fx.const_expr(not guarded[row]) or defined[row, i]:
                _write(*computed[row], a, b, ints, floats, row, i)

    @flyc.jit
    def host(x: fx.Tensor, defined: fx.Tensor, ints: fx.Tensor, floats: fx.Tensor):
        kernel(x, defined, ints, floats).launch(grid=count // THREADS, block=THREADS)

    ints, floats = np.zeros((2 * len(rows), count), np.int64), np.zeros((len(rows), count))
    (run or _called)(host, _memory(kind, pairs), defined, ints, floats)
    return [_decoded(row.kind, index, ints, floats) for index, row in enumerate(rows)]


def _called(host: Any, *arrays: np.ndarray) -> None:
    host(*arrays)


def _read(bits: int, dtype: Any, x: Any, row: int, i: Any) -> Any:
    """An operand: types that no array has come from parts, or from wider numbers."""
    if bits == 128:
        return (dtype(x[2 * row + 1, i]) << 64) | dtype(fx.Uint64(x[2 * row, i]))
    return dtype(x[row, i])


def _memory(kind: Kind, pairs: Sequence[Pair]) -> np.ndarray:
    columns = list(zip(*pairs, strict=True))
    if kind.bits == 128:
        halves = [[(int(v) >> shift) & _MASK for v in column] for column in columns for shift in (0, 64)]
        return np.array(halves, np.uint64).view(np.int64)
    storage = {"Index": np.uint64, "Int4": np.int8}.get(kind.name, kind.storage)
    if kind.is_float and kind.bits < 8:
        storage = np.float32
    if not kind.is_float:
        return np.array([[int(v) for v in column] for column in columns], storage)
    with np.errstate(all="ignore"):
        return np.array(columns, np.float64).astype(storage)


def _write(computed: Any, name: str, bits: int, a: Any, b: Any, ints: Any, floats: Any, row: int, i: Any) -> None:
    result = computed(a, b)
    assert result.dtype is getattr(fx, name), f"{result.dtype.__name__} in place of {name}"
    if result.dtype.is_float:
        floats[row, i] = fx.Float64(result)
        return
    ints[2 * row, i] = fx.Int64(result)
    if bits == 128:
        ints[2 * row + 1, i] = fx.Int64(result >> 64)


def _decoded(kind: Kind, row: int, ints: np.ndarray, floats: np.ndarray) -> list[Number]:
    if kind.is_float:
        return floats[row].tolist()  # type: ignore[no-any-return]
    low, high = (ints[2 * row + part].tolist() for part in (0, 1))
    if kind.bits == 128:
        return [kind.wrap((b << 64) | (a & _MASK)) for a, b in zip(low, high, strict=True)]
    # what is written is extended by its own sign, so that every bit counts
    return [a if kind.signed or kind.bits < 64 else a & _MASK for a in low]


def _python(kind: Kind, value: Number) -> Any:
    return bool(value) if kind.name == "Boolean" else value


def _is_same(found: Any, expected: Number, either_zero: bool = False) -> bool:
    """Equal, with the sign of zero; NaN equals NaN."""
    if isinstance(expected, int):
        return bool(found == expected)
    if expected != expected:
        return bool(found != found)
    return found == expected and (either_zero or expected != 0 or math.copysign(1, found) == math.copysign(1, expected))
