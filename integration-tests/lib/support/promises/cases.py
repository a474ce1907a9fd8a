"""Kernels by the seed, of every generator, and listed ones that carry what no generated kernel does.

A generator is a function of a seed and of a folder for the sources of what it makes; one more is one more entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from support import random_arithmetic, random_memory, random_sums, row_kernels
from support.example_arguments import EXPECTED
from support.examples import EXAMPLES, load_example
from support.promises import kernels
from support.source_modules import module_of

Prepared = tuple[Any, tuple[Any, ...]]
"""A `@jit` function that was never called, and its arguments: what a call changes are their arrays."""
Generator = Callable[[int, Path], Prepared]

_RANDOM_KERNELS = Path(__file__).resolve().parents[3] / "nightly/random_kernels.py"
_TOGETHER = 3
"""Programs of control flow in one kernel."""


class Case(NamedTuple):
    """`prepare` makes the same function and arguments each time, anew."""

    name: str
    prepare: Callable[[], Prepared]


def _control_flow(seed: int, folder: Path) -> Prepared:
    run = module_of(_RANDOM_KERNELS)
    functions = [run.function_of(program, folder) for program in run.random_programs(seed, _TOGETHER)]
    return run.prepared(functions)  # type: ignore[no-any-return]


def _memory(seed: int, folder: Path) -> Prepared:
    program = random_memory.program(seed)
    file = folder / f"memory_{seed}.py"
    file.write_text(program.text)
    return module_of(file).host, tuple(program.arguments(seed)[1])


def listed() -> dict[str, Prepared]:
    """Those of `kernels`, kernels of rows and the examples, by name, with arrays of zeros."""
    found: dict[str, Prepared] = dict(_anew(kernels).prepared())
    for name, (of_rows, make) in _anew(row_kernels).KERNELS.items():
        found[name] = of_rows, tuple(make())
    for name in EXAMPLES:
        function, arguments, _ = EXPECTED[name]
        found[name] = getattr(load_example(name), function), tuple(arguments())
    return found


def _listed(seed: int, folder: Path) -> Prepared:
    """One of them, on small numbers, most of whose results are exact."""
    found = list(listed().values())
    function, arguments = found[seed % len(found)]
    numbers = np.random.default_rng(seed)
    for array in arrays(arguments):
        array[...] = numbers.integers(0, 4, array.shape)
    return function, arguments


def _anew(module: ModuleType) -> ModuleType:
    """The module once more, with functions that were never called."""
    assert module.__file__ is not None
    return module_of(Path(module.__file__))


_OF_LIST = "listed kernels"
GENERATORS: Mapping[str, Generator] = {
    "arithmetic": random_arithmetic.prepared,
    "sums": random_sums.prepared,
    "control flow": _control_flow,
    "memory": _memory,
    _OF_LIST: _listed,
}


def arrays(arguments: tuple[Any, ...]) -> list[np.ndarray]:
    """The arrays among arguments, marked ones too."""
    found = (getattr(argument, "tensor", argument) for argument in arguments)
    return [array for array in found if isinstance(array, np.ndarray)]


def case(number: int, seed: int, folder: Path) -> Case:
    """Case `number` of a seed: every second one is of the listed kernels, and the generators take turns in between."""
    others = [name for name in GENERATORS if name != _OF_LIST]
    turn, is_random = divmod(number, 2)
    name = others[turn % len(others)] if is_random else _OF_LIST
    own = Random(f"{seed} {number}").randrange(1 << 30) if is_random else turn
    return Case(f"{name} {own}", lambda: GENERATORS[name](own, folder))
