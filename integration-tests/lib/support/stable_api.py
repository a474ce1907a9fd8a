"""A table of public names in (name, kind, signature and members), what the installed code has else out.

A row is `name<TAB>kind<TAB>detail`. Kinds: `module`, `function`, `enum`, `class(bases)`, or the class of an instance.
Detail of a function is its signature, of an enum `member=value, ...`, of a class `(constructor) :: member; member`.

A callable serves a signature when every call that the signature allows means the same: the same names in the same
order with the same defaults; it may take more, optionally. `**kwargs` are not compared: they carry builder options
(locations, insertion points) that a call leaves out.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

_MISSING = object()
# MLIR's classes of values and types, and bases that no public name exposes
_UNNAMED_BASES = frozenset({"ArithValue", "BuiltinDslType", "Generic", "Type", "Value"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the table."""

    name: str
    kind: str
    detail: str

    def __str__(self) -> str:
        return self.name


class Parameter(NamedTuple):
    """One parameter of a signature: its name with stars, its default or None, whether it goes by keyword only."""

    name: str
    default: str | None
    keyword_only: bool


def read_entries(path: Path) -> list[Entry]:
    """The rows of a table."""
    return [Entry(*line.split("\t")) for line in path.read_text().splitlines()]


def resolve(name: str) -> Any:
    """The object that `from parent import last` gives; raises ImportError or AttributeError as Python does."""
    parent, _, last = name.rpartition(".")
    if not parent:
        return importlib.import_module(name)
    try:
        owner = importlib.import_module(parent)
    except ModuleNotFoundError as error:
        if error.name is None or not parent.startswith(error.name):
            raise
        owner = resolve(parent)
    return getattr(owner, last) if hasattr(owner, last) else importlib.import_module(name)


def problems(entry: Entry) -> list[str]:
    """What a user of `entry.name` would find missing or different; empty when all is there."""
    try:
        value = importlib.import_module(entry.name) if entry.kind == "module" else resolve(entry.name)
    except (ImportError, AttributeError) as error:
        return [f"missing: {error}"]
    if entry.kind == "module":
        return [] if inspect.ismodule(value) else [f"kind: a {type(value).__name__}, not a module"]
    if entry.kind == "function":
        if inspect.isclass(value) or not callable(value):
            return [f"kind: a {type(value).__name__}, not a function", *_signature_problems(entry.detail, value)]
        return list(_signature_problems(entry.detail, value))
    if entry.kind == "enum":
        return list(_enum_problems(entry.detail, value))
    if entry.kind.startswith("class("):
        return list(_class_problems(entry, value))
    found = type(value).__name__
    return [] if found == entry.kind else [f"kind: an instance of {found}, not of {entry.kind}"]


def _enum_problems(detail: str, value: Any) -> Iterator[str]:
    if not (inspect.isclass(value) and issubclass(value, Enum)):
        yield f"kind: a {type(value).__name__}, not an enum"
        return
    for part in detail.split(", "):
        member, _, expected = part.partition("=")
        found = value.__members__.get(member)
        if found is None:
            yield f"member {member}: missing"
        elif repr(found.value) != expected:
            yield f"member {member}: {found.value!r} instead of {expected}"


def _class_problems(entry: Entry, value: Any) -> Iterator[str]:
    if not inspect.isclass(value):
        yield f"kind: a {type(value).__name__}, not a class"
        return
    bases = [base for base in entry.kind[len("class(") : -1].split(", ") if base]
    ancestors = {base.__name__ for base in value.__mro__} | {type(value).__name__} - {"type"}
    yield from (f"base {base}: missing" for base in bases if base not in ancestors | _UNNAMED_BASES)
    constructor, _, members = entry.detail.partition(" :: ")
    if constructor.startswith("(") and constructor != "()":
        yield from _signature_problems(constructor, value)
    for member in filter(None, members.strip().split("; ")):
        yield from _member_problems(member, value)


def _member_problems(text: str, owner: type) -> Iterator[str]:
    found = re.match(r"(?:(?:static|class)method )?(\w+)(.*)", text)
    assert found is not None, text
    name, rest = found.groups()
    value = getattr(owner, name, _MISSING)
    if value is _MISSING and any(name in getattr(base, "__annotations__", {}) for base in owner.__mro__):
        return  # a field, which instances have
    if value is _MISSING:
        yield f"member {name}: missing"
    elif rest.startswith("=") and not rest.startswith(("=<", "={")):
        if value != ast.literal_eval(rest[1:]):
            yield f"member {name}: {value!r} instead of {rest[1:]}"
    elif rest.startswith("("):
        if not callable(value):
            yield f"member {name}: a {type(value).__name__}, not a method"
        else:
            bare = inspect.getattr_static(owner, name)
            method = getattr(bare, "__func__", bare)
            yield from (f"member {name}: {problem}" for problem in _signature_problems(rest, method))
    elif rest == " (property)" and inspect.isroutine(value):
        yield f"member {name}: a method, not a property"


def _signature_problems(text: str, value: Any) -> Iterator[str]:
    if not text.startswith("("):
        return
    expected, found = _parsed(text), _signature_of(value)
    wanted = [parameter for parameter in expected if not parameter.name.startswith("**")]
    by_name = {parameter.name: parameter for parameter in found}
    takes_any = {"*args", "**kwargs"} <= set(by_name)
    if [p.name for p in wanted if not p.keyword_only] != _positional(found, wanted) and not takes_any:
        yield f"signature: ({', '.join(p.name for p in found)}) instead of {text}"
        return
    for parameter in wanted:
        mine = by_name.get(parameter.name)
        if mine is None:
            if not takes_any:
                yield f"signature: no parameter {parameter.name} of {text}"
        elif not _same_default(mine.default, parameter.default):
            yield f"signature: {parameter.name} is {mine.default} instead of {parameter.default} by default"
    names = {parameter.name for parameter in wanted}
    for mine in found:
        if mine.name not in names and mine.default is None and not mine.name.startswith("*"):
            yield f"signature: needs {mine.name}, which {text} has not"


def _positional(found: list[Parameter], wanted: list[Parameter]) -> list[str]:
    """The positional parameters of ours, without optional ones that come after all of theirs."""
    names = [parameter.name for parameter in found if not (parameter.keyword_only or parameter.name.startswith("**"))]
    count = sum(not parameter.keyword_only for parameter in wanted)
    rest = [parameter for parameter in found if parameter.name in names[count:]]
    return names[:count] if all(parameter.default is not None for parameter in rest) else names


def _same_default(mine: str | None, expected: str | None) -> bool:
    if expected is None:
        return True  # ours may have one more default
    if mine is None:
        return False
    return mine == expected or (expected.startswith("<") and mine.startswith("<"))


def _signature_of(value: Any) -> list[Parameter]:
    target = value
    if inspect.isclass(value):
        target = value.__new__ if "__new__" in _defining(value, "__new__") else value.__init__
        parameters = list(inspect.signature(target).parameters.values())[1:]
    else:
        parameters = list(inspect.signature(target).parameters.values())
    marks: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [
        Parameter(
            marks.get(parameter.kind, "") + parameter.name,
            None if parameter.default is inspect.Parameter.empty else repr(parameter.default),
            parameter.kind is inspect.Parameter.KEYWORD_ONLY,
        )
        for parameter in parameters
    ]


def _defining(cls: type, name: str) -> set[str]:
    """{name} when a class of ours defines it at or after the last `__init__`, else nothing."""
    for base in cls.__mro__:
        if base is object or base is type:
            break
        if name in base.__dict__:
            return {name}
        if "__init__" in base.__dict__:
            return set()
    return set()


def _parsed(text: str) -> list[Parameter]:
    """The parameters of `(a, b: int = 3, *, c=None, **kwargs) -> type`."""
    body = text[1 : _closing(text)]
    found, keyword_only = [], False
    for part in _split(body):
        if part in ("*", "/"):
            keyword_only = keyword_only or part == "*"
            continue
        head, equals, default = _cut(part, "=")
        name = _cut(head, ":")[0].strip()
        found.append(Parameter(name, default.strip() if equals else None, keyword_only))
        keyword_only = keyword_only or (name.startswith("*") and not name.startswith("**"))
    return found


def _closing(text: str) -> int:
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return place
    raise ValueError(f"unbalanced signature {text!r}")


def _split(body: str) -> list[str]:
    parts, depth, current = [], 0, ""
    for letter in body:
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += letter
    return [part for part in [*parts, current.strip()] if part]


def _cut(text: str, mark: str) -> tuple[str, str, str]:
    """`text` around the first `mark` outside of brackets."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{<") - (letter in ")]}>")
        if letter == mark and depth == 0:
            return text[:place], mark, text[place + 1 :]
    return text, "", ""
