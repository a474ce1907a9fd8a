"""`Launch`: one call of a kernel function without its arrays, as jax's caches compare it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from flydsl.jax.numbers import OpenNumber
from flydsl.jax.options import Options

if TYPE_CHECKING:
    from flydsl.compiler import JitFunction
    from flydsl.expr.numeric import Numeric

Shape = tuple[Any, ...]
"""Extents: numbers, and inside of `jax.export` symbolic dimensions."""


class Slot:
    """Stands for a value that is somewhere else."""

    __slots__ = ()


ARRAY = Slot()
"""Stands for an array among arguments."""
NUMBER = Slot()
"""Stands for a number that the computation passes, as `flydsl.jax.numbers` has it."""


class Baked:
    """A leaf of the arguments that is no array: part of the code, or of the packed arguments, to the last bit.

    Equal ones are the same to a kernel: 0.0 is not -0.0, nor 1 True.
    """

    __slots__ = ("encoding", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.encoding = _encoded(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Baked) and self.encoding == other.encoding

    def __hash__(self) -> int:
        return hash(self.encoding)

    def __repr__(self) -> str:
        return repr(self.value)


_PLAIN = frozenset({bool, int, float, str, bytes, type(None)})
_is_array_type: dict[type[object], bool] = {}


def is_array(value: object) -> bool:
    """Whether an argument, or a leaf of one, is an input of the computation; all else is part of the call."""
    cls = type(value)
    known = _is_array_type.get(cls)
    if known is None:
        known = isinstance(value, jax.Array | np.ndarray)
        if cls in _PLAIN or (known and cls.__module__.startswith(("jax", "numpy"))):  # these classes stay
            _is_array_type[cls] = known
    return known


def is_plain(value: object) -> bool:
    """Whether a value is a number or text of Python, or a number of NumPy."""
    return type(value) in _PLAIN or isinstance(value, np.generic)


OPAQUE = Slot()
"""Stands for a value that only `Baked` can encode."""


def exact(value: object) -> Hashable:
    """Equal for values that are the same to a kernel, and cheap: `ARRAY` for arrays, `OPAQUE` for what is not plain."""
    if type(value) in _PLAIN:
        return type(value), repr(value)
    if is_array(value):
        return ARRAY
    if type(value) is OpenNumber:
        return NUMBER
    return (type(value), value.tobytes()) if isinstance(value, np.generic) else OPAQUE


def _encoded(value: object) -> Hashable:
    if (plain := exact(value)) is not OPAQUE:
        return plain
    from flydsl.backend.frameworks import encode_value  # the analysis of sources waits for the first call

    return encode_value(value)


@dataclass(frozen=True, slots=True, repr=False)
class Launch:
    """One call of `function` without its arrays.

    `names` are the parameters that the caller passed, in their order; `tree` and `leaves` what it passed for them, with
    `ARRAY` for each array and `NUMBER` for each number that is passed besides. Inputs are the arrays and then the
    numbers. `outputs` are the parameters of the outputs; those that alias an input have none where
    `is_shared`. `results` are shape and dtype of each output. `is_interpreted` says that no code is made for the call.
    """

    function: JitFunction
    names: tuple[str, ...]
    tree: Any
    leaves: tuple[Slot | Baked, ...]
    outputs: tuple[str, ...]
    results: tuple[tuple[Shape, Any], ...]
    options: Options
    is_shared: bool = False
    is_interpreted: bool = False

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def arrays(self) -> int:
        """How many of the inputs are arrays; the others are numbers."""
        return self.leaves.count(ARRAY)

    def arguments(self, inputs: Sequence[Any]) -> dict[str, Any]:
        """The arguments that the caller passed by parameter, with `inputs` for its arrays and numbers."""
        arrays, numbers = iter(inputs), iter(inputs[self.arrays :])
        leaves = [
            leaf.value if isinstance(leaf, Baked) else next(numbers if leaf is NUMBER else arrays)
            for leaf in self.leaves
        ]
        return dict(zip(self.names, jax.tree.unflatten(self.tree, leaves), strict=True))

    def parameters_of(self, kind: Slot) -> list[str]:
        """The parameter of each array, `ARRAY`, or of each `NUMBER`."""
        values = self.arguments([*[ARRAY] * self.arrays, *[NUMBER] * self.leaves.count(NUMBER)])
        return [name for name, value in values.items() for leaf in jax.tree.leaves(value) if leaf is kind]

    def number_types(self) -> list[type[Numeric]]:
        """The type of each number, as the function annotates it."""
        wanted = {parameter.name: parameter.scalar for parameter in self.function.parameters}
        types = [wanted[name] for name in self.parameters_of(NUMBER)]
        assert None not in types
        return types  # type: ignore[return-value]

    def __repr__(self) -> str:
        return self.name
