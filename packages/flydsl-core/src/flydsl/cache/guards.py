"""Guards of a traced function: a quick check that the variables it read still hold the same objects."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<missing>"})()

_TESTS = {
    "item": "o{i}.get({name!r}, MISSING) is v{i}",
    "attribute": "o{i}.{name} is v{i}",
    "class": "class_attribute(o{i}, {name!r}) is v{i}",
    "contents": "same_contents(o{i}, v{i})",
    "signature": "o{i}.__cache_signature__() == v{i}",
}


class Guard(NamedTuple):
    """One variable and the value that was read from it.

    Kinds: `item` of a dict, `attribute` of an object, raw attribute of a `class`, all `contents` of a container
    (`value` is a snapshot), the `signature` that an object states of itself.
    """

    kind: Literal["item", "attribute", "class", "contents", "signature"]
    owner: Any
    name: str
    value: Any


def checker(guards: Sequence[Guard]) -> Callable[[], bool]:
    """One generated function that tests all guards, 30-50 ns each; an attribute or cell that is gone fails its test."""
    namespace: dict[str, Any] = {
        "MISSING": MISSING,
        "class_attribute": class_attribute,
        "same_contents": _same_contents,
    }
    tests = []
    for i, guard in enumerate(guards):
        namespace[f"o{i}"], namespace[f"v{i}"] = guard.owner, guard.value
        tests.append(_TESTS[guard.kind].format(i=i, name=guard.name))
    body = f"try:\n  return {' and '.join(tests) or 'True'}\n except Exception:\n  return False"
    exec(f"def check():\n {body}", namespace)
    check: Callable[[], bool] = namespace["check"]
    return check


def class_attribute(cls: type, name: str) -> Any:
    """The attribute in the class or its first base that has it, without descriptors; MISSING when none has."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return MISSING


def snapshot(container: Any) -> tuple[Any, ...]:
    """The elements of a container, compared by identity: kept, so that no other object gets their addresses."""
    if isinstance(container, Mapping):
        return (*container.keys(), *container.values())
    return tuple(container)


def _same_contents(container: Any, before: tuple[Any, ...]) -> bool:
    now = snapshot(container)
    return len(now) == len(before) and all(map(operator.is_, now, before))
