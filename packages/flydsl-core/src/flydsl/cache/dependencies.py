"""Dependencies of a function: one digest of all that its code reads, and guards that notice later changes.

Read are: its text and that of the helpers it calls, defaults, closures, globals, attributes of modules, classes and
objects that it names, and builtins that were replaced. Arguments are the caller's to encode. What cannot be read surely
makes the result not `indexable`: the caller must then trace to know the key, which is slower and never wrong.
"""

from __future__ import annotations

import sys
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flydsl.base.errors import ArgumentError, SourceUnavailableError
from flydsl.base.origin import Home, origin
from flydsl.cache.guards import MISSING, Guard, checker, class_attribute
from flydsl.cache.key import bytes_digest
from flydsl.cache.normalise import Import, Normalised, Read, normalise
from flydsl.cache.values import Encoder
from flydsl.frontend.source import FunctionSource, function_source, lambda_source, python_function

OWN = frozenset({"flydsl"})
_MOST_FUNCTIONS = 300


@dataclass(frozen=True, slots=True, eq=False)
class Dependencies:
    """What one function read: equal digests make equal code when `indexable` holds; `reason` says why it does not.

    Equal `places` make equal line tables, too.
    """

    digest: str
    places: str
    indexable: bool
    guards: tuple[Guard, ...]
    reason: str = ""
    covered: frozenset[str] = OWN
    _checkers: list[Callable[[], bool]] = field(default_factory=list, repr=False)

    def checker(self) -> Callable[[], bool]:
        """A function that says whether all that was read is still the same; for call paths, 30-50 ns a guard."""
        if not self._checkers:
            self._checkers.append(checker(self.guards))
        return self._checkers[0]

    def is_current(self) -> bool:
        """Whether all that was read is still the same."""
        return self.checker()()


def dependencies(function: object, *, covered: frozenset[str] = OWN) -> Dependencies:
    """What `function` (a function, or a decorated object with `__wrapped__`) reads.

    Modules of the top-level packages `covered` are left out: the pair fingerprint of the key stands for them.
    """
    reader = _Reader(covered)
    return reader.result(lambda: reader.root(python_function(function)))


def encode_value(value: object) -> str:
    """The canonical text of a compile-time argument: equal for values that make the same code.

    Raises ArgumentError for what has none, such as an array or an open file.
    """
    reader = _Reader(OWN)
    text = reader.encoder.encode(value, "the argument")
    if reader.encoder.doubts:
        raise ArgumentError(
            f"{value!r} cannot be a compile-time argument ({reader.encoder.doubts[0]}): pass numbers, strings, tuples, "
            "enum members, dataclasses or functions"
        )
    return text


_NORMALISED: weakref.WeakKeyDictionary[FunctionSource, tuple[str, str, Normalised]] = weakref.WeakKeyDictionary()
_IS_TRUE: weakref.WeakKeyDictionary[FunctionSource, bool] = weakref.WeakKeyDictionary()


class _Reader:
    """Walks functions; the values they read go to the encoder, which comes back with the functions among them."""

    def __init__(self, covered: frozenset[str]) -> None:
        self.encoder = Encoder(self.function, covered)
        self._covered = covered
        self._count = 0
        self._places: list[str] = []

    def result(self, encode: Callable[[], str]) -> Dependencies:
        encoder = self.encoder
        try:
            text = encode()
        except RecursionError:
            text = encoder.doubt("the function", "what it reads is nested too deeply")
        reason = encoder.doubts[0] if encoder.doubts else ""
        guards = {(g.kind, id(g.owner), g.name): g for g in encoder.guards}
        places = bytes_digest(";".join(self._places))
        return Dependencies(bytes_digest(text), places, not reason, tuple(guards.values()), reason, self._covered)

    def root(self, function: types.FunctionType) -> str:
        """The text of the function that was asked for; its source must be there."""
        _source(function)
        return self.function(function, f"function {function.__qualname__!r}", True)

    def function(self, function: types.FunctionType, label: str, is_traced: bool) -> str:
        """The text of a function: its code, defaults, and what it reads by name.

        Of a traced function the text is the truth, as it is what gets traced; of a helper it is the code that runs.
        """
        if not is_traced and self._is_foreign(function):
            return self._foreign(function, label)
        encoder, code = self.encoder, function.__code__
        self._count += 1
        if self._count > _MOST_FUNCTIONS:
            return encoder.doubt(label, f"more than {_MOST_FUNCTIONS} functions are read")
        name = encoder.remember(function)
        for attribute in ("__code__", "__defaults__", "__kwdefaults__"):
            encoder.guard("attribute", function, attribute, getattr(function, attribute))
        try:
            source = _source(function)
        except SourceUnavailableError as error:
            return encoder.doubt(label, str(error))
        if not is_traced and not _is_true(source, function):
            encoder.doubt(label, f"{code.co_filename} was changed after {code.co_qualname!r} was imported")
        digest, place, normalised = _normalised(source)
        self._places.append(place)
        defaults = encoder.encode(
            (function.__defaults__, function.__kwdefaults__), f"a default of {code.co_qualname!r}"
        )
        reads = [self._read(function, read) for read in normalised.reads]
        where = place if normalised.asserts else ""
        return f"function{name}:{digest}{where}({defaults};{';'.join(reads)})"

    def _is_foreign(self, function: types.FunctionType) -> bool:
        module = function.__globals__.get("__name__")
        return self.encoder.is_covered(module) or origin(str(module)).home is Home.PYTHON

    def _foreign(self, function: types.FunctionType, label: str) -> str:
        """A function of ours or of Python's library: by name, with its closure when it was made for the user."""
        qualname = function.__code__.co_qualname  # `functools.wraps` gives the function another name
        if function.__closure__ is None or "<locals>" not in qualname:
            return self.encoder.reference(function, label)
        name = self.encoder.remember(function)
        cells = [self._chain(self._cell_value(function, i), (), label) for i in range(len(function.__closure__))]
        return f"made{name}:{function.__globals__['__name__']}.{qualname}({','.join(cells)})"

    def _read(self, function: types.FunctionType, read: Read) -> str:
        """The text of a name and of the attributes read from it."""
        owner = function.__code__.co_qualname
        spelled = ".".join((read.name, *read.attributes))
        label = f"{spelled!r} of {owner!r}"
        if read.origin is not None:
            value = self._imported(function, read.origin, label)
        elif read.name in function.__code__.co_freevars:
            cell = function.__code__.co_freevars.index(read.name)
            return f"{spelled}={self._chain(self._cell_value(function, cell), read.attributes, label)}"
        else:
            value = self._global(function, read.name)
        if value is MISSING:
            return f"{spelled}=missing"
        return f"{spelled}={self._chain(value, read.attributes, label)}"

    def _global(self, function: types.FunctionType, name: str) -> Any:
        """The value of a global name; absent ones are guarded too, as they may come later and hide a builtin."""
        builtins: dict[str, Any] = getattr(function, "__builtins__", {})
        for namespace in (function.__globals__, builtins):
            value = namespace.get(name, MISSING)
            self.encoder.guard("item", namespace, name, value)
            if value is not MISSING:
                return value
        return MISSING

    def _cell_value(self, function: types.FunctionType, index: int) -> Any:
        assert function.__closure__ is not None
        cell = function.__closure__[index]
        try:
            value = cell.cell_contents
        except ValueError:
            value = MISSING
        self.encoder.guard("attribute", cell, "cell_contents", value)
        return value

    def _imported(self, function: types.FunctionType, where: Import, label: str) -> Any:
        """What an import inside the function will give; a module that is not loaded yet cannot be looked at."""
        name = where.module
        if where.level:
            package = str(function.__globals__.get("__package__") or "").split(".")
            name = ".".join([*package[: len(package) - where.level + 1], *filter(None, [where.module])])
        if self.encoder.is_covered(name):
            return _COVERED
        module = sys.modules.get(name)
        if module is None:
            self.encoder.doubt(label, f"module {name!r} is imported inside and not loaded yet")
            return MISSING
        self.encoder.guard("item", sys.modules, name, module)
        if not where.attribute:
            return module
        value = self._module_attribute(module, where.attribute)
        return sys.modules.get(f"{name}.{where.attribute}", MISSING) if value is MISSING else value

    def _module_attribute(self, module: types.ModuleType, name: str) -> Any:
        value = vars(module).get(name, MISSING)
        self.encoder.guard("item", vars(module), name, value)
        if value is MISSING and hasattr(module, name):  # its own `__getattr__`
            value = getattr(module, name)
            self.encoder.guard("attribute", module, name, value)
        return value

    def _chain(self, value: Any, attributes: tuple[str, ...], label: str) -> str:
        """Follow attributes as far as they can be looked up without running code, and encode the last value."""
        for attribute in attributes:
            read = self._replaced if self._is_covered(value) else self._attribute
            content = read(value, attribute)
            if content is _WHOLE:
                break
            value = content
        if value is MISSING:
            return "missing"
        if isinstance(value, _Covered):
            return "L"
        return self.encoder.encode(value, label)

    def _attribute(self, value: Any, name: str) -> Any:
        """One attribute, guarded; _WHOLE when only the whole object stands for it."""
        if isinstance(value, types.ModuleType):
            return self._module_attribute(value, name)
        if isinstance(value, type):
            return self._of_class(value, name)
        state = getattr(value, "__dict__", None)
        look_up: Any = type(value).__getattribute__
        if look_up is not object.__getattribute__ or not isinstance(state, dict) or name not in state:
            return _WHOLE
        if hasattr(class_attribute(type(value), name), "__set__"):
            return _WHOLE
        self.encoder.guard("item", state, name, state[name])
        return state[name]

    def _of_class(self, cls: type, name: str) -> Any:
        if isinstance(getattr(cls, "__members__", {}).get(name), cls):
            return cls.__members__[name]  # type: ignore[attr-defined]
        value = class_attribute(cls, name)
        is_bound = hasattr(type(value), "__get__") and not isinstance(value, types.FunctionType | staticmethod)
        if value is MISSING or is_bound:
            return _WHOLE
        self.encoder.guard("class", cls, name, value)
        return value

    def _is_covered(self, value: Any) -> bool:
        if isinstance(value, types.ModuleType):
            return self.encoder.is_covered(value.__name__)
        return isinstance(value, _Covered)

    def _replaced(self, value: Any, name: str) -> Any:
        """An attribute of a module of ours: nothing to read, unless the user put a function of his own there."""
        attribute = vars(value).get(name) if isinstance(value, types.ModuleType) else None
        if isinstance(attribute, types.ModuleType) and self.encoder.is_covered(attribute.__name__):
            return attribute
        if isinstance(attribute, types.FunctionType) and not self._is_foreign(attribute):
            return attribute
        return _COVERED


class _Covered:
    """Something inside a covered package, which is not looked into."""


_COVERED = _Covered()
_WHOLE: Any = object()


def _source(function: types.FunctionType) -> FunctionSource:
    return lambda_source(function) if function.__code__.co_name == "<lambda>" else function_source(function)


def _normalised(source: FunctionSource) -> tuple[str, str, Normalised]:
    """The digest of a text, its place with the lines as they are, and what it reads: worked out once."""
    known = _NORMALISED.get(source)
    if known is None:
        normalised = normalise(source.tree)
        place = f"{Path(source.file).name}:{source.first_line}:{bytes_digest(source.text)}"
        known = _NORMALISED[source] = (bytes_digest(normalised.text), place, normalised)
    return known


def _is_true(source: FunctionSource, function: types.FunctionType) -> bool:
    """Whether its code was made from that text: worked out once."""
    known = _IS_TRUE.get(source)
    if known is None:
        known = _IS_TRUE[source] = source.is_source_of(function)
    return known
