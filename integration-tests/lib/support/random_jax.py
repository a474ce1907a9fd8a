"""Random functions of JAX: a kernel with arrays, numbers and compile-time values, and what NumPy makes of the same.

All values are small multiples of a half, so that each result is exact whatever the order of operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from support.source_modules import module_of

import flydsl.expr as fx
from flydsl.jax import call, jax_kernel

HEADER = "import numpy as np\n\nimport flydsl.compiler as flyc\nimport flydsl.expr as fx\n"
DTYPES = ("float32", "float16", "bfloat16", "int32", "uint8", "int16", "bool")
NUMBERS = ("Float32", "Int32", "Int64", "Uint8", "Float16", "Boolean")


class Mode(Enum):
    """A choice by name."""

    SLOW = 1
    FAST = 2


@dataclass(frozen=True)
class Scale:
    """A record."""

    by: float
    mode: Mode = Mode.FAST


CONSTANTS: dict[str, tuple[Callable[[np.random.Generator], Any], str]] = {
    "int": (lambda rng: int(rng.integers(-3, 4)), "{0}"),
    "float": (lambda rng: float(rng.choice([0.0, -0.0, 0.5, -1.5])), "{0}"),
    "bool": (lambda rng: bool(rng.integers(2)), "(3 if {0} else 5)"),
    "text": (lambda rng: "x" * int(rng.integers(4)), "len({0})"),
    "none": (lambda rng: [None, 1][int(rng.integers(2))], "(1 if {0} is None else 2)"),
    "tuple": (lambda rng: (int(rng.integers(4)), ("a", 0.5)), "{0}[0] + {0}[1][1]"),
    "member": (lambda rng: list(Mode)[int(rng.integers(2))], "{0}.value"),
    "record": (lambda rng: Scale(float(rng.integers(4)), list(Mode)[int(rng.integers(2))]), "{0}.by * {0}.mode.value"),
    "type of numpy": (lambda rng: [np.float32, np.int8][int(rng.integers(2))], "(2 if {0} is np.int8 else 4)"),
    "dtype of numpy": (lambda rng: np.dtype(["f4", "i2"][int(rng.integers(2))]), "{0}.itemsize"),
    "dtype": (lambda rng: [fx.Float32, fx.Int8][int(rng.integers(2))], "{0}.width"),
}
"""What makes a value of each kind, and the number that a kernel makes of it."""


@dataclass(frozen=True, slots=True)
class Case:
    """One function, by the kinds of its parameters: dtypes of arrays, types of numbers, kinds of constants."""

    shape: tuple[int, ...]
    arrays: tuple[str, ...]
    numbers: tuple[str, ...]
    constants: tuple[str, ...]
    outputs: int
    container: str
    mode: str

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Case:
        """A case; of one without arrays the shape is that of its outputs alone."""

        def some(kinds: Any, low: int, high: int) -> tuple[str, ...]:
            return tuple(map(str, rng.choice(list(kinds), int(rng.integers(low, high + 1)))))

        extents = rng.choice([0, 1, 2, 3, 5, 33], int(rng.integers(0, 4)), p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1])
        numbers = some(NUMBERS, 0, 3)
        mode = str(rng.choice(["eager", "call", "jit", "keywords", "closed", "batch", "one by one"]))
        arrays = some(DTYPES, 1 if mode in ("batch", "one by one") else 0, 3)
        return cls(
            shape=tuple(map(int, extents)),
            arrays=arrays,
            numbers=numbers,
            constants=some(CONSTANTS, 0, 2),
            outputs=int(rng.integers(1, 3)),
            container=str(rng.choice(["tuple", "dict", "list"])),
            mode=mode,
        )

    @property
    def text(self) -> str:
        """The module of the function, `host`, and of its kernel."""
        outs = [f"y{i}" for i in range(self.outputs)]
        params = [*(f"{name}: fx.Tensor" for name in [*self.names("x"), *outs])]
        numbers = [f"n{i}: fx.{kind}" for i, kind in enumerate(self.numbers)]
        constants = [f"c{i}: fx.Constexpr" for i in range(len(self.constants))]
        taken = [*(f"{name}: fx.Tensor" for name in self.names("x")), *numbers, *constants, *params[len(self.arrays) :]]
        names = ", ".join(part.partition(":")[0] for part in [*params, *numbers, *constants])
        lines = [f"            {out}[i] = {self.expression(index)}" for index, out in enumerate(outs)]
        return "\n".join([
            HEADER, "@flyc.kernel",
            f"def kernel({', '.join([*params, *numbers, *constants])}):",
            "    i = fx.block_idx.x * 32 + fx.thread_idx.x",
            "    if i < fx.get_scalar(fx.size(y0)):", *(line[4:] for line in lines), "", "@flyc.jit",
            f"def host({', '.join(taken)}):",
            f"    kernel({names}).launch(grid=fx.ceil_div(fx.get_scalar(fx.size(y0)), 32), block=32)", "",
        ])  # fmt: skip

    def names(self, letter: str) -> list[str]:
        """The parameters that begin with a letter: x, n or c."""
        count = {"x": self.arrays, "n": self.numbers, "c": self.constants}[letter]
        return [f"{letter}{i}" for i in range(len(count))]

    def expression(self, output: int) -> str:
        """An element of an output, in float32."""
        terms = [f"fx.Float32({name}[i]) * {index + output + 1}.0" for index, name in enumerate(self.names("x"))]
        terms += [f"fx.Float32({name}) * {index + 2}.0" for index, name in enumerate(self.names("n"))]
        constants = [CONSTANTS[kind][1].format(f"c{index}") for index, kind in enumerate(self.constants)]
        return " + ".join([*terms, *(f"fx.Float32({text})" for text in constants), f"fx.Float32({output})"])

    def expected(self, output: int, values: Mapping[str, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
        """An output by NumPy."""
        total = np.full(shape, float(output), np.float64)
        for index, name in enumerate(self.names("x")):
            total = total + np.asarray(values[name]).astype(np.float64) * (index + output + 1)
        for index, name in enumerate(self.names("n")):
            total = total + float(values[name]) * (index + 2)
        for index, kind in enumerate(self.constants):
            total = total + float(eval(CONSTANTS[kind][1].format(f"c{index}"), {"np": np}, dict(values)))
        return total

    def values(self, rng: np.random.Generator) -> dict[str, Any]:
        """Random arguments by parameter; some arrays are numbers of shape ()."""
        found: dict[str, Any] = {}
        for name, dtype in zip(self.names("x"), self.arrays, strict=True):
            shape = () if rng.random() < 0.2 and self.mode not in ("batch", "one by one") else self.shape
            made = jnp.asarray(rng.integers(0, 4, shape)).astype(dtype)
            found[name] = made if rng.random() < 0.6 or dtype == "bfloat16" else np.asarray(made)
            if shape == () and self.shape != () and rng.random() < 0.5:
                found[name] = made.item()
        for name, kind in zip(self.names("n"), self.numbers, strict=True):
            found[name] = self._number(rng, kind)
        for name, kind in zip(self.names("c"), self.constants, strict=True):
            found[name] = CONSTANTS[kind][0](rng)
        return found

    def _number(self, rng: np.random.Generator, kind: str) -> Any:
        if kind == "Boolean":
            value: Any = bool(rng.integers(2))
            return [value, np.bool_(value), jnp.asarray(value)][int(rng.integers(3))]
        value = float(rng.integers(-6, 7)) / 2 if kind.startswith("Float") else int(rng.integers(0, 6))
        dtype = {"Float32": "float32", "Float16": "float32", "Uint8": "uint8"}.get(kind, "int32")
        return [value, np.dtype(dtype).type(value), jnp.asarray(value, dtype)][int(rng.integers(3))]


def mistakes(case: Case, folder: Path, rng: np.random.Generator, calls: int = 3) -> list[str]:
    """What is wrong with some calls of a case; the module is written to `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "made.py"
    path.write_text(case.text)
    module = module_of(path)
    wrong = []
    for _ in range(calls):
        values = case.values(rng)
        try:
            found, shape = _run(case, module.host, values)
        except Exception as error:
            wrong.append(f"{type(error).__name__}: {str(error)[:500]}\n{values}")
            continue
        for index, one in enumerate(found):
            expected = case.expected(index, values, shape)
            if one.shape != shape or not np.array_equal(np.asarray(one, np.float64), expected):
                wrong.append(f"output {index} is {one}, expected {expected}\n{values}")
    return wrong


def _run(case: Case, host: Any, values: Mapping[str, Any]) -> tuple[list[Any], tuple[int, ...]]:
    """The outputs in order, and their shape."""
    described = [jax.ShapeDtypeStruct(case.shape, jnp.float32)] * case.outputs
    out = {"tuple": tuple, "list": list}.get(case.container, lambda made: {f"y{i}": one for i, one in enumerate(made)})
    results, shape = _by_mode(case, host, values, out(described))
    return [results[f"y{i}"] if case.container == "dict" else results[i] for i in range(case.outputs)], shape


def _by_mode(case: Case, host: Any, values: Mapping[str, Any], out: Any) -> tuple[Any, tuple[int, ...]]:
    names = list(values)
    constants = [index for index, name in enumerate(names) if name.startswith("c")]
    if case.mode in ("batch", "one by one"):
        return _batched(case, host, values, out)
    if case.mode == "call":
        return call(host, *values.values(), out=out), case.shape
    kernel = jax_kernel(host, out=out)
    if case.mode == "keywords":
        return kernel(**dict(reversed(values.items()))), case.shape
    if case.mode == "jit":
        return jax.jit(kernel, static_argnums=constants)(*values.values()), case.shape
    if case.mode == "closed":
        return jax.jit(lambda: kernel(*values.values()))(), case.shape
    return kernel(*values.values()), case.shape


def _batched(case: Case, host: Any, values: Mapping[str, Any], out: Any) -> tuple[Any, tuple[int, ...]]:
    """A batch of three equal elements, of which each array has one more mode."""
    kernel = jax_kernel(host, out=out, batchable=True if case.mode == "batch" else "sequential")
    arrays = {name: jnp.stack([jnp.asarray(values[name])] * 3) for name in case.names("x")}
    rest = {name: value for name, value in values.items() if name not in arrays}
    return jax.vmap(lambda arrays: kernel(**arrays, **rest))(arrays), (3, *case.shape)
