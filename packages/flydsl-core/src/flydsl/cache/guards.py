"""Guards of a traced function: a quick check that the variables it read still hold the same objects."""

from __future__ import annotations

import gc
import operator
from collections.abc import Callable, Mapping, Sequence, Set
from types import CellType, MappingProxyType
from typing import Any, Literal, NamedTuple

MISSING: Any = type("Missing", (), {"__repr__": lambda self: "<missing>"})()

_TESTS = {
    "item": "o{i}.get({name!r}, MISSING) is v{i}",
    "plain item": "o{i}[{name!r}] is v{i}",
    "attribute": "o{i}.{name} is v{i}",
    "class": "class_attribute(o{i}, {name!r}) is v{i}",
    "contents": "same_contents(o{i}, v{i})",
    "mapping": "same_mapping(o{i}, v{i})",
    "signature": "o{i}.__cache_signature__() == v{i}",
    "answer": "o{i}() == v{i}",
    "prefix": "same_prefix(o{i}, v{i})",
    "entries": "same_entries(o{i}, v{i})",
    "members": "v{i} <= o{i}",
}

Kind = Literal["item", "attribute", "class", "contents", "signature", "answer", "prefix", "entries", "members"]


class Guard(NamedTuple):
    """One variable and the value that was read from it.

    Kinds: `item` of a dict, `attribute` of an object, raw attribute of a `class`, all `contents` of a container
    (`value` is a snapshot), the `signature` that an object states of itself, the `answer` of a function, by value.
    Of containers that tracing itself has changed: the `prefix` of a sequence, the `entries` of a mapping and the
    `members` of a set that it left alone or added.
    """

    kind: Kind
    owner: Any
    name: str
    value: Any


def checker(guards: Sequence[Guard]) -> Callable[[], bool]:
    """One generated function that tests all guards, 30-50 ns each; an attribute or cell that is gone fails its test."""
    namespace: dict[str, Any] = {
        "MISSING": MISSING,
        "class_attribute": class_attribute,
        "same_contents": _same_contents,
        "same_mapping": _same_mapping,
        "same_prefix": _same_prefix,
        "same_entries": _same_entries,
    }
    tests = []
    for i, guard in enumerate(guards):
        namespace[f"o{i}"], namespace[f"v{i}"] = guard.owner, guard.value
        # asking at each call whether it is a mapping would cost more than the comparison
        kind: str = guard.kind
        if kind == "contents" and isinstance(guard.owner, Mapping):
            kind = "mapping"
        elif _is_plain_item(guard) and guard.value is not MISSING:
            kind = "plain item"  # half the time; a KeyError is a failed test
        tests.append(_TESTS[kind].format(i=i, name=guard.name))
    body = f"try:\n  return {' and '.join(tests) or 'True'}\n except Exception:\n  return False"
    exec(f"def check():\n {body}", namespace)
    check: Callable[[], bool] = namespace["check"]
    return check


def split(guards: Sequence[Guard]) -> tuple[tuple[Guard, ...], tuple[Guard, ...]]:
    """The guards on items and contents of plain dicts and on attributes, which compare identities; and the others."""
    plain: list[Guard] = []
    others: list[Guard] = []
    for guard in guards:
        is_plain = guard.kind == "attribute" or _is_plain_item(guard) or _is_plain_mapping(guard)
        (plain if is_plain else others).append(guard)
    return tuple(plain), tuple(others)


def _is_plain_mapping(guard: Guard) -> bool:
    """Whether a guard is on all of a plain dict, or of the dict of a class."""
    return guard.kind == "contents" and type(guard.value) is tuple and plain_dict(guard.owner) is not None


def plain_dict(mapping: object) -> dict[Any, Any] | None:
    """A dict, or the one behind a read-only view of one, as classes give of theirs; None for others."""
    if type(mapping) is dict:
        return mapping
    behind = gc.get_referents(mapping) if type(mapping) is MappingProxyType else []
    return behind[0] if len(behind) == 1 and type(behind[0]) is dict else None


def _is_plain_item(guard: Guard) -> bool:
    return guard.kind == "item" and type(guard.owner) is dict


def holds(guard: Guard) -> bool:
    """What a checker of this guard says, for a guard that is tested once: to compile one takes as long as 500 tests."""
    kind, owner, name, value = guard
    is_mapping = kind == "contents" and isinstance(owner, Mapping)
    try:
        return bool(_HOLDS["mapping" if is_mapping else kind](owner, name, value))
    except Exception:
        return False


def is_empty(cell: CellType) -> bool:
    """Whether a variable of a closure has no value yet."""
    try:
        _ = cell.cell_contents
    except ValueError:
        return True
    return False


def unique(guards: Sequence[Guard]) -> tuple[Guard, ...]:
    """The guards without those that test the same again."""
    return tuple({(guard.kind, id(guard.owner), guard.name): guard for guard in guards}.values())


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
    return len(container) == len(before) and all(map(operator.is_, container, before))


def _same_mapping(mapping: Mapping[Any, Any], before: tuple[Any, ...]) -> bool:
    now = [*mapping, *mapping.values()]
    return len(now) == len(before) and all(map(operator.is_, now, before))


def _same_prefix(sequence: Sequence[Any], before: tuple[Any, ...]) -> bool:
    return len(sequence) >= len(before) and all(map(operator.is_, sequence, before))


def _same_entries(mapping: Mapping[Any, Any], before: tuple[tuple[Any, Any], ...]) -> bool:
    return all(mapping.get(key, MISSING) is value for key, value in before)


_HOLDS: dict[str, Callable[[Any, str, Any], Any]] = {
    "item": lambda owner, name, value: owner.get(name, MISSING) is value,
    "attribute": lambda owner, name, value: getattr(owner, name) is value,
    "class": lambda owner, name, value: class_attribute(owner, name) is value,
    "contents": lambda owner, _, value: _same_contents(owner, value),
    "mapping": lambda owner, _, value: _same_mapping(owner, value),
    "signature": lambda owner, _, value: owner.__cache_signature__() == value,
    "answer": lambda owner, _, value: owner() == value,
    "prefix": lambda owner, _, value: _same_prefix(owner, value),
    "entries": lambda owner, _, value: _same_entries(owner, value),
    "members": lambda owner, _, value: value <= owner,
}
"""`_TESTS` as functions."""


def settled(guards: Sequence[Guard], rebinds: frozenset[str]) -> tuple[Guard, ...]:
    """The guards after a trace that changed what some of them test: these now leave out what was changed.

    A variable is only taken as changed by the trace when the code says that it binds a global or nonlocal name, or an
    attribute (`.name`), of `rebinds`: another thread may have bound it.
    """
    found: list[Guard] = []
    for guard in guards:
        if holds(guard):
            found.append(guard)
        elif guard.kind == "contents":
            found.append(_unchanged(guard))
        elif guard.kind in ("prefix", "entries", "members"):
            found.append(_unchanged(guard._replace(value=_members(guard))))
        elif not _is_trace_state(guard, rebinds):
            found.append(guard)
    return tuple(found)


def _is_trace_state(guard: Guard, rebinds: frozenset[str]) -> bool:
    """Whether a trace that ends with another value there is taken for the cause."""
    if guard.name == "cell_contents":
        return any(not name.startswith(".") for name in rebinds)
    if guard.kind in ("item", "answer"):
        return not guard.name or guard.name in rebinds or f".{guard.name}" in rebinds
    return not guard.name.startswith("__")


def _members(guard: Guard) -> tuple[Any, ...]:
    """A guard on a part of a container as a snapshot."""
    if guard.kind == "entries":
        return (*(key for key, _ in guard.value), *(value for _, value in guard.value))
    return tuple(guard.value)


def _unchanged(guard: Guard) -> Guard:
    """A guard on the part of a container that is as in its snapshot, or new: only what was replaced is left out."""
    container, before = guard.owner, guard.value
    if isinstance(container, Mapping):
        half = len(before) // 2
        old = list(zip(before[:half], before[half:], strict=True))
        replaced = {key for key, value in old if container.get(key, MISSING) is not value}
        kept = tuple((key, value) for key, value in container.items() if key not in replaced)
        return guard._replace(kind="entries", value=kept)
    if isinstance(container, Set):
        return guard._replace(kind="members", value=frozenset(container))
    now = snapshot(container)
    differs = (i for i, (old, new) in enumerate(zip(before, now, strict=False)) if old is not new)
    return guard._replace(kind="prefix", value=now[: next(differs, len(now))])
