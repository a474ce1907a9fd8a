"""Random kernels of typed arithmetic, conversions, shuffles and shared memory, checked bit for bit against NumPy.

A program is the text of a function. As a kernel, each variable is a number of one thread; as Python, an array with the
numbers of all threads. Control flow is the same for all threads, so that both understand it. All operations are exact,
or rounded once: there is one right result.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
from support.source_modules import module_of

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCKS, THREADS, GROUP, INPUTS = 2, 64, 16, 4
"""`GROUP` lanes exchange values: a part of the waves of all targets."""
_FILES = itertools.count()
_INTEGERS = ("Int8", "Int16", "Int32", "Int64", "Uint8", "Uint16", "Uint32", "Uint64")
_FLOATS = ("Float16", "BFloat16", "Float32", "Float64")
_NARROW = ("Float8E4M3FN", "Float8E5M2")
_DTYPES = {
    **{name: np.dtype(name.lower()) for name in _INTEGERS},
    **{"Float16": np.dtype(np.float16), "Float32": np.dtype(np.float32), "Float64": np.dtype(np.float64)},
    **{"BFloat16": np.dtype(ml_dtypes.bfloat16)},
    **{"Float8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn), "Float8E5M2": np.dtype(ml_dtypes.float8_e5m2)},
}
_RANGES = {
    name: (float(max(np.iinfo(name.lower()).min, -(1 << 23))), float(min(np.iinfo(name.lower()).max, 1 << 23)))
    for name in _INTEGERS
}
"""Of integers that a type and 24 bits hold."""
_TO_FLOAT = {"Float64": (*_INTEGERS, "Float16", "BFloat16", "Float32"), "Float32": (*_INTEGERS, *_FLOATS)}
"""What is rounded once on its way to each type, in NumPy too."""
_TO_FLOAT |= {"Float16": ("Float32", "Float64", "BFloat16"), "BFloat16": ("Float32", "Float16")}


class _Program:
    """The lines of one program; `kinds` has the type of each variable."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.lines, self.kinds = rng, [], {}  # type: ignore[var-annotated]
        for name in (*_INTEGERS, *_FLOATS, rng.choice(_INTEGERS), rng.choice(_FLOATS)):
            variable = f"v{len(self.kinds)}"
            source = f"x[{rng.randrange(INPUTS)}, t]"
            self.kinds[variable] = name
            self.lines.append(f"{variable} = {name}({source if name in _INTEGERS else f'Float32({source}) / 2.0**24'})")

    def text(self) -> str:
        self.lines += self.block(2, ())
        for row, (variable, name) in enumerate(self.kinds.items()):
            where = "ints" if name in _INTEGERS else "floats"
            self.lines.append(f"{where}[{row}, t] = {'Int64' if name in _INTEGERS else 'Float64'}({variable})")
        return "def body(x, ints, floats, n, t):\n" + _indented(self.lines)

    def block(self, depth: int, loops: tuple[str, ...]) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(2, 6)):
            roll = self.rng.random()
            if depth and roll < 0.2:
                k = f"k{len(loops)}"
                lines += [f"for {k} in range({self.rng.choice(['n', 'n & 3', '1, n + 2', '2'])}):"]
                lines += _indented(self.block(depth - 1, (*loops, k))).splitlines()
            elif depth and roll < 0.35:
                lines += [f"if {self.rng.choice(('n', *loops))} {self.rng.choice('<>')} {self.rng.randrange(4)}:"]
                lines += _indented(self.block(depth - 1, loops)).splitlines()
                if self.rng.random() < 0.5:
                    lines += ["else:", *_indented(self.block(depth - 1, loops)).splitlines()]
            else:
                lines.append(self.assignment(loops))
        return lines

    def assignment(self, loops: tuple[str, ...]) -> str:
        variable = self.rng.choice(list(self.kinds))
        name = self.kinds[variable]
        roll = self.rng.random()
        if roll < 0.12:
            value = (
                f"{self.rng.choice(['swap', 'above', 'below', 'lane'])}({self.one(name)}, {self.rng.randrange(GROUP)})"
            )
        elif roll < 0.2:
            value = f"exchanged({name}, {self.one(name)}, {self.rng.randrange(THREADS)})"
        elif roll < 0.3:
            a, b = (self.one(other) for other in [self.rng.choice(_INTEGERS + _FLOATS)] * 2)
            compare = self.rng.choice(["<", "<=", "==", "!=", ">", ">="])
            value = f"chosen({a} {compare} {b}, {self.one(name)}, {self.one(name)})"
        elif name in _INTEGERS:
            value = self.integer(name, loops)
        else:
            value = self.float(name)
        return f"{variable} = {value}" if name in _INTEGERS else f"{variable} = tame({name}, {value})"

    def integer(self, name: str, loops: tuple[str, ...]) -> str:
        rng, width = self.rng, _DTYPES[name].itemsize * 8
        a, b = self.one(name), self.one(name)
        way = rng.randrange(8)
        if way == 0:
            return f"{name}({self.one(rng.choice(_INTEGERS))})"
        if way == 1:
            return f"whole({name}, {self.one(rng.choice(('Float32', 'Float64')))})"
        if way == 2:
            return f"{name}({a} {rng.choice(['<<', '>>'])} ({b} & {name}({width - 1})))"
        if way == 3:
            divisor = rng.choice([f"(({b} & {name}(31)) + {name}(1))", f"{name}(7)"])
            return f"{name}({a} // {divisor})" if rng.random() < 0.5 else f"{name}(rest({a}, {divisor}))"
        if way == 4:
            return f"{name}({rng.choice(['least', 'most'])}({a}, {b}))"
        if way == 5:
            number = rng.choice(loops) if loops else str(rng.randrange(100))
            return f"{name}({a} {rng.choice('+-*')} {name}({number}))"
        if way == 6:
            return f"{name}({rng.choice('-~')}{a})"
        return f"{name}({a} {rng.choice('+-*&|^')} {b})"

    def float(self, name: str) -> str:
        rng, a, b = self.rng, self.one(name), self.one(name)
        way = rng.randrange(7)
        if way == 0:
            return f"{name}({self.one(rng.choice(_TO_FLOAT[name]))})"
        if way == 1:
            return f"{name}({a} / (magnitude({b}) + {name}(1)))"
        if way == 2:
            return f"{name}({rng.choice(['least', 'most'])}({a}, {b}))"
        if way == 3 and name in ("Float32", "Float64"):
            return f"{name}(root(magnitude({a})))"
        if way == 4 and name == "Float32":
            return f"narrow({rng.choice(_NARROW)}, {a})"
        if way == 5:
            return f"{name}({a} * {b} + {self.one(name)})"
        return f"{name}({a} {rng.choice('+-*')} {b})"

    def one(self, name: str) -> str:
        """A variable of a type."""
        return self.rng.choice([variable for variable, kind in self.kinds.items() if kind == name])


def _indented(lines: list[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)


def program(seed: int) -> tuple[str, dict[str, str], int]:
    """The text of a program, its variables with their types, and the number that its control flow depends on."""
    rng = Random(seed)
    made = _Program(rng)
    return made.text(), made.kinds, rng.randrange(5)


def prepared(seed: int, folder: Path) -> tuple[Any, tuple[Any, ...]]:
    """The program of a seed as a `@jit` function, and arguments: random numbers, its results, how many turns."""
    text, kinds, n = program(seed)
    x = np.random.default_rng(seed).integers(-(1 << 31), 1 << 31, (INPUTS, BLOCKS * THREADS)).astype(np.int32)
    return _host(_load(text, folder)), (x, *_results(len(kinds)), n)


def check(seed: int, folder: Path) -> None:
    """The program of a seed gives the same as a kernel and as Python."""
    text, kinds, _ = program(seed)
    host, (x, *found, n) = prepared(seed, folder)
    expected = _results(len(kinds))
    host(x, *found, n)
    with np.errstate(all="ignore"):
        module = _load(text, folder)
        vars(module).update(_OF_ARRAYS)
        module.body(x, *expected, n, np.arange(BLOCKS * THREADS))
    for kind, one, other in zip(("integers", "floats"), found, expected, strict=True):
        np.testing.assert_array_equal(one, other, f"{kind} of seed {seed}, n = {n}, {kinds}:\n{text}")


def _results(rows: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((rows, BLOCKS * THREADS), np.int64), np.zeros((rows, BLOCKS * THREADS))


def _load(text: str, folder: Path) -> ModuleType:
    path = folder / f"arithmetic_{next(_FILES)}.py"
    path.write_text(text)
    return module_of(path)


def _host(module: ModuleType) -> Any:
    vars(module).update(_OF_THREADS)
    body = module.body

    @flyc.kernel
    def kernel(x: fx.Tensor, ints: fx.Tensor, floats: fx.Tensor, n: fx.Int32):
        body(x, ints, floats, n, fx.block_idx.x * THREADS + fx.thread_idx.x)

    @flyc.jit
    def host(x: fx.Tensor, ints: fx.Tensor, floats: fx.Tensor, n: fx.Int32):
        kernel(x, ints, floats, n).launch(grid=BLOCKS, block=THREADS)

    return host


def _exchanged(dtype: Any, value: Any, shift: int) -> Any:
    """What another thread of the block has: thread 5 t + shift."""
    shared = fx.SharedAllocator().allocate(fx.Array[dtype, THREADS])
    fx.barrier()  # the memory of an exchange in a loop is that of the turn before
    shared[fx.thread_idx.x] = value
    fx.barrier()
    return shared[(fx.thread_idx.x * 5 + shift) % THREADS]


def _whole(dtype: Any, value: Any) -> Any:
    """The integer below a float, cut to what the type and 24 bits hold."""
    low, high = _RANGES[dtype.__name__]
    return dtype(fx.max(fx.min(value, value.dtype(high)), value.dtype(low)))


def _tame(dtype: Any, value: Any) -> Any:
    """Nothing that a later operation makes infinite."""
    magnitude = fx.max(value, -value)
    return (magnitude < dtype(1000.0)).select(value, dtype(0.375))


_OF_THREADS: dict[str, Any] = {
    **{name: getattr(fx, name) for name in _DTYPES},
    "chosen": lambda condition, a, b: condition.select(a, b),
    "least": lambda a, b: fx.min(a, b),
    "most": lambda a, b: fx.max(a, b),
    "rest": lambda a, b: a % b,
    "magnitude": lambda a: fx.max(a, -a),
    "root": lambda a: fx.sqrt(a),
    "swap": lambda v, k: fx.shuffle_xor(v, k, GROUP),
    "above": lambda v, k: fx.shuffle_down(v, k, GROUP),
    "below": lambda v, k: fx.shuffle_up(v, k, GROUP),
    "lane": lambda v, k: fx.shuffle_idx(v, k, GROUP),
    "exchanged": _exchanged,
    "whole": _whole,
    "tame": _tame,
    "narrow": lambda dtype, v: fx.Float32(dtype(fx.max(fx.min(v, fx.Float32(240.0)), fx.Float32(-240.0)))),
}
"""The functions of a program for the numbers of one thread."""


def _as(name: str, value: Any) -> np.ndarray:
    return np.asarray(value).astype(_DTYPES[name])


def _lanes(of: Callable[[np.ndarray, int], np.ndarray], value: np.ndarray, k: int) -> np.ndarray:
    """The values of other lanes of a group; of one that is not in it, the lane's own."""
    lane = np.arange(GROUP)
    source = of(lane, k)
    inside = np.where((source >= 0) & (source < GROUP), source, lane)
    return value.reshape(-1, GROUP)[:, inside].reshape(-1)


def _tame_array(dtype: Any, value: np.ndarray) -> np.ndarray:
    return np.where(np.maximum(value, -value) < dtype(1000.0), value, dtype(0.375))


def _whole_array(dtype: Any, value: np.ndarray) -> np.ndarray:
    low, high = _RANGES[dtype.args[0]]
    return dtype(np.clip(value, value.dtype.type(low), value.dtype.type(high)))


def _exchanged_array(dtype: Any, value: np.ndarray, shift: int) -> np.ndarray:
    return value.reshape(BLOCKS, THREADS)[:, (np.arange(THREADS) * 5 + shift) % THREADS].reshape(-1)


_OF_ARRAYS: dict[str, Any] = {
    **{name: partial(_as, name) for name in _DTYPES},
    "chosen": np.where,
    "least": np.minimum,
    "most": np.maximum,
    "rest": np.fmod,
    "magnitude": lambda a: np.maximum(a, -a),
    "root": np.sqrt,
    "swap": partial(_lanes, lambda lane, k: lane ^ k),
    "above": partial(_lanes, lambda lane, k: lane + k),
    "below": partial(_lanes, lambda lane, k: lane - k),
    "lane": partial(_lanes, lambda lane, k: np.full_like(lane, k)),
    "exchanged": _exchanged_array,
    "whole": _whole_array,
    "tame": _tame_array,
    "narrow": lambda dtype, v: dtype(np.clip(v, np.float32(-240.0), np.float32(240.0))).astype(np.float32),
}
"""The same for arrays of the numbers of all threads."""
