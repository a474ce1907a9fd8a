"""Container arguments: records and containers are passed leaf by leaf, at any depth."""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from flydsl.adaptors.resolve import claiming_adaptor
from flydsl.base.container_items import CONTAINERS, is_dataclass, items_of, with_items
from flydsl.base.errors import ArgumentError
from flydsl.base.wording import with_article
from flydsl.compiler.call.registry import JitArgumentRegistry, is_jit_argument
from flydsl.expr.struct import Struct
from flydsl.frontend.annotations import evaluated
from flydsl.frontend.signature import ArgSpec, Parameter, TreeSpec, parameter_of

_MAX_DEPTH = 16
_ANY = Parameter("", "any")


class Tree(NamedTuple):
    """What a container is without its leaves: how many there are, the key's text, and how to make it of new ones."""

    size: int
    structure: str
    make: Callable[[Iterator[Any]], Any]
    """Takes as many leaves from an iterator as it needs."""

    def build(self, leaves: Iterable[Any]) -> Any:
        """The container of these leaves."""
        return self.make(iter(leaves))


class Leaves(NamedTuple):
    """The leaves of all arguments with a parameter each; `trees` says of each argument what its leaves make."""

    parameters: Sequence[Parameter]
    values: Sequence[Any]
    trees: Sequence[Tree | None]

    def first(self, count: int) -> int:
        """How many leaves the first `count` arguments have."""
        return sum(1 if tree is None else tree.size for tree in self.trees[:count])

    def specs(self, leaves: Sequence[ArgSpec]) -> list[ArgSpec]:
        """The specs of the arguments from those of their leaves."""
        rest = iter(leaves)
        return [
            next(rest) if tree is None else TreeSpec(tree.structure, tuple(islice(rest, tree.size)), tree.build)
            for tree in self.trees
        ]

    def builder(self, count: int) -> Callable[[Iterable[Any]], tuple[Any, ...]]:
        """What makes the first `count` arguments of new leaves."""
        trees = self.trees[:count]

        def build(leaves: Iterable[Any]) -> tuple[Any, ...]:
            rest = iter(leaves)
            return tuple(next(rest) if tree is None else tree.build(islice(rest, tree.size)) for tree in trees)

        return build


def has_container(parameters: Sequence[Parameter], values: Sequence[Any]) -> bool:
    """Whether some argument is passed leaf by leaf."""
    return any(map(_is_container, parameters, values))


def expand(parameters: Sequence[Parameter], values: Sequence[Any]) -> Leaves:
    """The leaves of `values`; a leaf of a record has the annotation of its field."""
    if not has_container(parameters, values) and not any(parameter.kind == "struct" for parameter in parameters):
        return Leaves(parameters, values, (None,) * len(values))
    leaves: list[Any] = []
    found: list[Parameter] = []
    trees: list[Tree | None] = []
    for parameter, value in zip(parameters, values, strict=True):
        start = len(leaves)
        structure, make = _expand(parameter, value, found, leaves, 0)
        trees.append(Tree(len(leaves) - start, structure, make) if _is_container(parameter, value) else None)
    return Leaves(tuple(found), tuple(leaves), tuple(trees))


def flat(parameters: Sequence[Parameter], values: Sequence[Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """What tells two calls with containers apart (structure, and types of leaves), and the leaves."""
    leaves: list[Any] = []
    key = [_key(parameter, value, leaves) for parameter, value in zip(parameters, values, strict=False)]
    return tuple(key), leaves


def _is_container(parameter: Parameter, value: Any) -> bool:
    if parameter.kind == "struct":
        return isinstance(value, Struct)
    if parameter.kind != "any" or type(value) in JitArgumentRegistry.registry:
        return False
    if isinstance(value, CONTAINERS):
        return True
    return is_dataclass(value) and not is_jit_argument(value) and claiming_adaptor(type(value)) is None


def _expand(
    parameter: Parameter, value: Any, found: list[Parameter], leaves: list[Any], depth: int
) -> tuple[str, Callable[[Iterator[Any]], Any]]:
    """Append the leaves of `value`; the text of its structure, where `*` is a leaf, and what makes it of new leaves."""
    _check(parameter, value, depth)
    if not _is_container(parameter, value):
        found.append(parameter)
        leaves.append(value)
        return "*", next
    texts, parts = [], []
    for label, child, item in _children(value):
        named = child._replace(name=parameter.name + _suffix(value, label))
        text, part = _expand(named, item, found, leaves, depth + 1)
        texts.append(f"{label!r}={text}")
        parts.append((label, part))
    empty = with_items(value, [(label, None) for label, _ in parts])  # keeps no leaf alive
    return f"{_type_text(type(value))}({', '.join(texts)})", lambda new: with_items(
        empty, [(label, part(new)) for label, part in parts]
    )


def _key(parameter: Parameter, value: Any, leaves: list[Any]) -> Any:
    if not _is_container(parameter, value):
        leaves.append(value)
        return type(value)
    cls = type(value)
    # a class is told apart also from what it was before: traced code may call its methods
    return cls if cls in CONTAINERS else (cls, _kept_text(cls)), tuple(
        [(type(label), label, _key(child, item, leaves)) for label, child, item in _children(value)]
    )


def _check(parameter: Parameter, value: Any, depth: int) -> None:
    if parameter.kind == "struct" and parameter.wanted not in (type(value), getattr(value, "_generic", None)):
        wanted = getattr(parameter.wanted, "__name__", "record")
        raise ArgumentError(
            f"argument {parameter.name!r}: expected {with_article(wanted)}, found {type(value).__name__}; "
            f"pass {wanted}(...)"
        )
    if depth >= _MAX_DEPTH:
        root = re.split(r"[\[.]", parameter.name)[0]
        raise ArgumentError(
            f"argument {root!r}: containers are nested {_MAX_DEPTH} deep or contain themselves; pass a flatter one"
        )


def _children(value: Any) -> Iterable[tuple[Any, Parameter, Any]]:
    """Label, parameter (without a name of its own) and value of each item."""
    if isinstance(value, Struct):
        return [(name, child, item) for (name, child), item in zip(_fields(type(value)), value, strict=True)]
    if isinstance(value, CONTAINERS):
        return [(label, _ANY, item) for label, item in items_of(value)]
    cls: Any = type(value)
    return [(name, child, getattr(value, name)) for name, child in _fields(cls)]


def _suffix(value: Any, label: Any) -> str:
    is_item = isinstance(value, tuple | list | dict) and not isinstance(value, Struct)
    return f"[{label!r}]" if is_item else f".{label}"


@lru_cache(maxsize=256)
def _fields(cls: Any) -> tuple[tuple[str, Parameter], ...]:
    """The fields of a record or dataclass with what their annotations say."""
    kinds = cls.fields if issubclass(cls, Struct) else _annotations(cls)
    return tuple((name, parameter_of(name, kind)) for name, kind in kinds.items())


def _annotations(cls: type[Any]) -> dict[str, Any]:
    names = [part.name for part in dataclasses.fields(cls)]
    try:
        found: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            found.update(inspect.get_annotations(base, eval_str=True))
    except (NameError, AttributeError, SyntaxError):
        found = {part.name: _annotation(cls, part.name, part.type) for part in dataclasses.fields(cls)}
    return {name: found[name] for name in names}


def _annotation(cls: type[Any], name: str, annotation: Any) -> Any:
    """The annotation of a field, of a class where some are text that cannot be evaluated."""
    home = next(base for base in cls.__mro__ if name in inspect.get_annotations(base))
    space = vars(sys.modules[home.__module__])
    if not isinstance(annotation, str):
        return annotation
    return evaluated(annotation, dict(space), f"field {name!r} of {home.__name__!r}", str(space.get("__file__")))


def _type_text(cls: type[Any]) -> str:
    """The key's text of a class, with the source of its methods, which traced code may call."""
    return cls.__name__ if cls in CONTAINERS else _kept_text(cls)


def _kept_text(cls: type[Any]) -> str:
    from flydsl.cache.dependencies import encode_kept  # the analysis of sources waits for the first call

    return encode_kept(cls)
