"""Reading of functions: the text of their code and of all values that it reads, with guards on both."""

from __future__ import annotations

import functools
import inspect
import sys
import types
import weakref
from pathlib import Path
from typing import Any

from flydsl.base.errors import SourceUnavailableError
from flydsl.base.origin import Home, origin
from flydsl.cache.guards import MISSING, class_attribute, is_empty, snapshot
from flydsl.cache.key import bytes_digest
from flydsl.cache.normalise import Import, Normalised, Read, normalise
from flydsl.cache.values import Encoder
from flydsl.frontend.rewriting.source import REWRITTEN_FROM, FunctionSource, function_source, lambda_source
from flydsl.plugins.active.portions import portion_digest, words_among

_MOST_FUNCTIONS = 300
_NAMED_PARTS = frozenset({"__annotations__", "__doc__", "__module__", "__name__", "__qualname__"})
_DOORS = frozenset({"__builtins__", "__code__", "__globals__", "__subclasses__", "f_back", "f_globals", "f_locals"})
"""Attributes behind which anything may be."""

_NORMALISED: weakref.WeakKeyDictionary[FunctionSource, tuple[str, str, Normalised]] = weakref.WeakKeyDictionary()


class Reader:
    """Walks functions; the values they read go to the encoder, which comes back with the functions among them."""

    def __init__(self, covered: frozenset[str], *, is_argument: bool = False) -> None:
        self.encoder = Encoder(self.function, covered, is_argument=is_argument)
        self.source_positions: list[str] = []
        self.rebinds: set[str] = set()
        self._covered = covered
        self._functions: list[types.FunctionType] = []

    def read(self, function: types.FunctionType) -> str:
        """The text of the function that was asked for and of all that it reads; its source must be there."""
        _source(function)
        try:
            text = self.function(function, f"function {function.__qualname__!r}", True)
            text += self._named_parts()
        except RecursionError:
            text = self.encoder.mark_uncacheable("the function", "what it reads is nested too deeply")
        self.encoder.close()
        return text + self.portions()

    def portions(self) -> str:
        """What stands for packages of other distributions in our namespace that were met, and for words of plugins.

        A word counts where any attribute of its name is read: its module may not be loaded yet.
        """
        met = {*filter(None, self.encoder.portions), *words_among(self.encoder.attributes)}
        return "".join(f";{name}={portion_digest(name)}" for name in sorted(met))

    def _named_parts(self) -> str:
        """What functions and classes are besides code, when some name of it is used: their names, documentation."""
        encoder = self.encoder
        used = sorted(_NAMED_PARTS if encoder.computes else _NAMED_PARTS & encoder.attributes)
        if not used:
            return ""
        parts = []
        for owner in [*self._functions, *encoder.classes]:
            for name in used:
                if (
                    isinstance(owner, type) and name == "__annotations__"
                ):  # they are in its text, and made when asked for
                    continue
                value = getattr(owner, name, None)
                encoder.guard("attribute", owner, name, value)
                parts.append(encoder.encode(value, f"{name!r} of {getattr(owner, '__qualname__', owner)!r}"))
        return ";".join(parts)

    def function(self, function: types.FunctionType, label: str, is_traced: bool) -> str:
        """The text of a function: its code, defaults, and what it reads by name.

        Of a traced function the text is the truth, as it is what gets traced; of a helper it is the code that runs.
        """
        if not is_traced and self._is_foreign(function):
            return self._foreign(function, label)
        original = vars(function).get(REWRITTEN_FROM)
        if isinstance(original, types.FunctionType):  # its text is the truth, and we have made the other of it
            return self.function(original, label, is_traced)
        encoder, code = self.encoder, function.__code__
        self._functions.append(function)
        if len(self._functions) > _MOST_FUNCTIONS:
            return encoder.mark_uncacheable(label, f"more than {_MOST_FUNCTIONS} functions are read")
        name = encoder.remember(function)
        for attribute in ("__code__", "__defaults__", "__kwdefaults__"):
            encoder.guard("attribute", function, attribute, getattr(function, attribute))
        try:
            source = _source(function)
        except SourceUnavailableError as error:
            return encoder.mark_uncacheable(label, str(error))
        if not is_traced and not source.is_source_of(function):
            encoder.mark_uncacheable(label, f"{code.co_filename} was changed after {code.co_qualname!r} was imported")
        digest, place, normalised = _normalised(source)
        self.source_positions.append(place)
        self._note(function, normalised, label)
        around, encoder.place = encoder.place, f"{code.co_filename}:{code.co_firstlineno}"
        defaults = encoder.encode(
            (function.__defaults__, function.__kwdefaults__), f"a default of {code.co_qualname!r}"
        )
        names = (*normalised.annotations, *normalised.reads) if is_traced else normalised.reads
        reads = [self._read(function, read) for read in names]
        reads += self._own_attributes(function)
        if is_traced:  # they say which types its parameters have
            label = f"an annotation of {code.co_qualname!r}"
            reads += [encoder.encode(annotation, label) for annotation in _annotations(function)]
        encoder.place = around
        where = place if normalised.asserts else ""
        return f"function{name}:{digest}{where}({defaults};{';'.join(reads)})"

    def _note(self, function: types.FunctionType, normalised: Normalised, label: str) -> None:
        """Remember the attributes that a function names, and what they lead to that no name says."""
        encoder = self.encoder
        encoder.attributes |= normalised.attributes
        encoder.computes |= normalised.computes
        encoder.matches_classes |= normalised.matches_classes
        self.rebinds |= normalised.rebinds
        for name in sorted(normalised.attributes & _DOORS):
            encoder.mark_uncacheable(
                f"{name!r} of {function.__code__.co_qualname!r}", "it leads to what has no name there"
            )

    def _own_attributes(self, function: types.FunctionType) -> list[str]:
        """What was set on a function itself."""
        state = vars(function)
        if not state:
            return []
        self.encoder.guard("contents", state, "", snapshot(state))
        label = f"an attribute of {function.__code__.co_qualname!r}"
        return [f"{key}={self.encoder.encode(value, label)}" for key, value in sorted(state.items())]

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
            self.encoder.guard("answer", functools.partial(is_empty, cell), "cell_contents", True)
            return MISSING
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
            self.encoder.mark_uncacheable(label, f"module {name!r} is imported inside and not loaded yet")
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
        """An attribute of a module of ours: nothing to read, unless the user put a function or constant there."""
        attribute = vars(value).get(name) if isinstance(value, types.ModuleType) else None
        is_constant = type(attribute) in (bool, int, float, str, bytes, tuple)
        if isinstance(attribute, types.ModuleType) and self.encoder.is_covered(attribute.__name__):
            return attribute
        if is_constant or (isinstance(attribute, types.FunctionType) and not self._is_foreign(attribute)):
            self.encoder.guard("item", vars(value), name, attribute)
            return attribute
        return _COVERED


class _Covered:
    """Something inside a covered package, which is not looked into."""


_COVERED = _Covered()
_WHOLE: Any = object()


def _source(function: types.FunctionType) -> FunctionSource:
    return lambda_source(function) if function.__code__.co_name == "<lambda>" else function_source(function)


def _annotations(function: types.FunctionType) -> list[Any]:
    return [value for value in inspect.get_annotations(function).values() if not isinstance(value, str)]


def _normalised(source: FunctionSource) -> tuple[str, str, Normalised]:
    """The digest of a text, its place with the lines as they are, and what it reads: worked out once."""
    known = _NORMALISED.get(source)
    if known is None:
        normalised = normalise(source.tree, source.owner)
        place = f"{Path(source.file).name}:{source.first_line}:{bytes_digest(source.text)}"
        known = _NORMALISED[source] = (bytes_digest(normalised.text), place, normalised)
    return known
