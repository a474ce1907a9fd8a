"""Canonical text of Python values, equal only for values that make the same code.

What a text cannot surely stand for (an array, an open file, a module whose attributes are read by computed names) is a
doubt: it costs the fast index, never a right answer. Values that can change in place leave guards.
"""

from __future__ import annotations

import enum
import functools
import inspect
import operator
import types
import typing
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

from flydsl.base.origin import Home, origin
from flydsl.base.slots import slots
from flydsl.base.wording import with_article
from flydsl.cache.classes import (
    BUILTIN_BASES,
    DATACLASS_FLAGS,
    ENUM_STATE,
    has_plain_metaclass,
    is_found,
    is_python_class,
    own,
    stated_module,
)
from flydsl.cache.dependency_record import DependencyRecord
from flydsl.cache.guards import Guard, snapshot
from flydsl.cache.library_functions import (
    AMBIENT_BUILTINS,
    COMPUTING,
    IMPURE,
    OF_LOGGERS,
    PURE_FUNCTIONS,
    PURE_MODULES,
    SILENT,
    is_pure,
)
from flydsl.cache.library_values import (
    ATOMS,
    CONTAINERS,
    PARTS,
    Content,
    NotCleared,
    buffer_content,
    class_attributes,
    content_of,
    dtype_parts,
    environment,
    is_environment,
    is_numpy_dtype,
    pickled_name,
)
from flydsl.plugins.active.portions import is_covered, portion_of

_MOST_OBJECTS = 20_000
"""Objects and containers of one reading; what leads to more leads to a whole program, as the session of a test does."""


class Encoder(DependencyRecord):
    """Encodes the values that one function reads; `function` encodes Python functions, `covered` are top-level packages
    that another part of the key stands for."""

    def __init__(
        self,
        function: Callable[[types.FunctionType, str, bool], str],
        covered: frozenset[str],
        *,
        is_argument: bool = False,
    ) -> None:
        super().__init__()
        self._function, self._is_argument = function, is_argument
        self._covered = covered
        self._seen: dict[int, tuple[str, object]] = {}
        self.classes: list[type] = []

    def close(self) -> None:
        """Say what can only be said when everything is read."""
        self.finish(self._text_now)

    def _text_now(self, guard: Guard) -> str | None:
        """The text of what a variable holds now; None when it has none."""
        encoder = Encoder(self._function, self._covered)
        encoder._function = lambda function, label, is_traced: encoder.mark_uncacheable(label, "a function")
        text = encoder.encode(getattr(guard.owner, guard.name, None), guard.name)
        return None if encoder.doubts or encoder._conditions else text

    def is_covered(self, module: object) -> bool:
        found = isinstance(module, str) and is_covered(module, self._covered)
        self.portions.update(filter(None, [portion_of(str(module))]) if found else ())
        return found

    def encode(self, value: Any, label: str) -> str:
        """The text of `value`; `label` says to the user where it was read."""
        cls = type(value)
        atom = ATOMS.get(cls)
        if atom is not None:
            return atom(value)
        if cls is tuple:
            return f"({self._all(value, label)})"
        known = self._seen.get(id(value))
        if known is not None:
            return known[0]
        if len(self._seen) >= _MOST_OBJECTS:
            return self.mark_uncacheable(label, f"more than {_MOST_OBJECTS} objects are read")
        encoder = _KINDS.get(cls)
        if encoder is not None:
            return encoder(self, value, label)
        return self._by_nature(value, label)

    def remember(self, value: object) -> str:
        """Give a value that may be met again, or contain itself, a number."""
        name = f"@{len(self._seen)}"
        self._seen[id(value)] = (name, value)
        return name

    def reference(self, value: Any, label: str) -> str:
        """A value of Python or of an installed package, by its name there; the version goes with it."""
        owner = getattr(value, "__objclass__", None) or getattr(value, "__self__", None)
        module = next((m for m in (stated_module(value), stated_module(owner), stated_module(type(value))) if m), "")
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or "?"
        if self.is_covered(module):
            return f"L{module}.{name}"
        home = origin(module)
        if home.home is Home.USER or not home.label or not is_found(value, module, name):
            return self.mark_uncacheable(label, f"{name!r} of {module!r} is neither readable nor of a known version")
        full = f"{module}.{name}"
        if full in SILENT:
            self.unless(OF_LOGGERS, label, "the state of a logger may be read")
        elif home.home is Home.PYTHON and (module not in PURE_MODULES or full in IMPURE):
            if is_environment(value):
                return self._environment(label)
            attributes = class_attributes(value)
            if attributes is None and full not in PURE_FUNCTIONS:
                return self.mark_uncacheable(label, f"{full} may depend on more than its arguments")
            self.unless(attributes or frozenset(), label, f"{full} may read more than its arguments")
        elif isinstance(value, types.BuiltinFunctionType) and home.home is Home.INSTALLED and not is_pure(full):
            return self.mark_uncacheable(label, f"{full} is compiled, and may depend on more than its arguments")
        self.computes |= full in COMPUTING
        self.note_class(value, label)
        return f"R{home.label}:{module}.{name}"

    # by exact type

    def _all(self, values: Iterable[Any], label: str) -> str:
        return ",".join([self.encode(value, label) for value in values])

    def _container(self, value: Any, label: str) -> str:
        tag, name = CONTAINERS[type(value)], self.remember(value)
        if tag == "namespace":
            value = vars(value)
        self.guard("contents", value, "", snapshot(value))
        if tag == "defaultdict":
            self.guard("attribute", value, "default_factory", value.default_factory)
        return f"{tag}{name}[{self._content(value, label)}]"

    def _content(self, value: Any, label: str) -> str:
        """The elements: in order, but sets sorted, whose order is an accident."""
        if isinstance(value, set | frozenset):
            return ",".join(sorted(self.encode(item, label) for item in value))
        if isinstance(value, dict | types.MappingProxyType):
            items = [f"{self.encode(k, label)}={self.encode(v, label)}" for k, v in value.items()]
            factory = [self.encode(value.default_factory, label)] if isinstance(value, defaultdict) else []
            return ",".join(factory + items)
        if isinstance(value, deque):
            return self._all((value.maxlen, *value), label)
        return self._all(value, label)

    def _builtin(self, value: types.BuiltinFunctionType, label: str) -> str:
        owner = value.__self__
        if owner is not None and not isinstance(owner, types.ModuleType | type):
            return f"method(s{value.__name__},{self.encode(owner, label)})"
        module = value.__module__ or ""
        if module == "builtins" and value.__name__ in AMBIENT_BUILTINS:
            return self.mark_uncacheable(label, f"{value.__name__!r} reads more than its arguments")
        return self.reference(value, label)

    def _module(self, value: types.ModuleType, label: str) -> str:
        if self.is_covered(value.__name__):
            return f"L{value.__name__}"
        home = origin(value.__name__)
        if home.home is Home.INSTALLED and home.label:
            return f"R{home.label}:{value.__name__}"
        if home.home is Home.PYTHON and value.__name__ in PURE_MODULES:
            return f"R{value.__name__}"
        return self.mark_uncacheable(label, f"module {value.__name__!r} is used as a value, with any of its names")

    def _by_parts(self, value: Any, label: str) -> str:
        return f"{type(value).__name__}({self._all((getattr(value, part) for part in PARTS[type(value)]), label)})"

    def _getter(self, value: Any, label: str) -> str:
        """A getter of items or attributes, or a caller of methods, whose names it knows."""
        function, arguments, *_ = value.__reduce__()
        if not isinstance(value, operator.itemgetter):
            names = [*arguments, *getattr(function, "args", ())]
            self.attributes.update(part for name in names if isinstance(name, str) for part in name.split("."))
        made = "" if function is type(value) else self._by_parts(function, label)
        return f"{type(value).__name__}{made}({self._all(arguments, label)})"

    def _buffer(self, value: Any, label: str) -> str:
        content = buffer_content(value)
        if content is None:
            return self.mark_uncacheable(label, f"{with_article(type(value).__name__)} that cannot be compared")
        return self._content_of(content, type(value).__name__, label)

    def _cell(self, value: types.CellType, label: str) -> str:
        try:
            content = value.cell_contents
        except ValueError:
            return "cell"
        self.guard("attribute", value, "cell_contents", content)
        return f"cell{self.remember(value)}({self.encode(content, label)})"

    def _environment(self, label: str) -> str:
        return self.watched(label, "the environment may be read", environment(), "environment")

    def _logger(self, value: Any, label: str) -> str:
        """A logger: what is logged makes no code, but its state may be read."""
        if self._is_argument:
            return f"logger({value.level},{value.getEffectiveLevel()},{value.disabled},{value.propagate})"
        self.unless(OF_LOGGERS, label, "the state of a logger may be read")
        return "logger"

    def _content_of(self, content: Content, tag: str, label: str) -> str:
        """A value that is known by its content; an argument must be no more than that."""
        if self._is_argument and (content.unless or content.answers is not None):
            return self.mark_uncacheable(label, f"more than the value may be read of a {tag}")
        self.unless(content.unless, label, "more than the value may be read")
        if content.answers is not None:
            self.guard("answer", content.answers, "", content.answers())
        return f"{tag}({self._all(content.parts, label)})"

    def _alias(self, value: Any, label: str) -> str:
        arguments = self._all(typing.get_args(value), label)
        base = typing.get_origin(value)
        return f"alias({'' if base is None else self.encode(base, label)}[{arguments}])"

    def _cached(self, value: Any, label: str) -> str:
        """`functools.cache`: results kept from before may rest on values that are gone."""
        if value.cache_info().currsize:
            self.watched(label, f"{value.__name__!r} keeps results of earlier calls", NotCleared(value), "results")
        else:
            self.guard("answer", NotCleared(value), "results", True)
        return f"cached({self.encode(value.__wrapped__, label)})"

    # by nature

    def _by_nature(self, value: Any, label: str) -> str:
        if isinstance(value, type):
            return self._class(value, label)
        if isinstance(value, enum.Enum):
            return self._member(value, label)
        if isinstance(value, types.ModuleType):
            return self._module(value, label)
        if typing.get_origin(value) is not None:
            return self._alias(value, label)
        cls = type(value)
        content = content_of(value)
        if content is not None:
            return self._content_of(content, cls.__qualname__, label)
        if is_environment(value):
            return self._environment(label)
        if isinstance(value, tuple) and hasattr(cls, "n_fields"):  # a struct sequence, as sys.flags
            return f"{cls.__qualname__}({self._all(value.__reduce__()[1], label)})"
        if cls.__module__ == "typing" and hasattr(value, "_name"):
            return f"typing.{value._name}"
        if (cls.__module__, cls.__name__) == ("logging", "Logger"):
            return self._logger(value, label)
        if self.is_covered(cls.__module__):
            return self._covered_instance(value, label)
        home = origin(cls.__module__)
        if is_python_class(cls) and (home.home is not Home.PYTHON or cls.__module__ in PURE_MODULES):
            return self._state(value, label)
        if home.home is Home.INSTALLED:
            return self._installed_object(value, home.label, label)
        return self.mark_uncacheable(label, f"a value of type {cls.__qualname__!r} cannot be encoded")

    def _member(self, value: enum.Enum, label: str) -> str:
        """An enum member: its class, its name, and what was set on it besides."""
        cls = self.encode(type(value), label)
        known = self._seen.get(id(value))
        if known is not None:
            return known[0]
        name, state = self.remember(value), vars(value)
        self.guard("contents", state, "", snapshot(state))
        own = [f"{k}={self.encode(v, label)}" for k, v in sorted(state.items()) if k not in ENUM_STATE]
        return f"member{name}({cls},{self.encode(value.name, label)},{','.join(own)})"

    def _covered_instance(self, value: Any, label: str) -> str:
        """An object of ours: it says by itself what matters, or is plain data, or wraps a function."""
        cls = type(value)
        if not hasattr(cls, "__cache_signature__") or isinstance(value, tuple):  # a record's has no run-time values
            return self._state(value, label)
        name, signature = self.remember(value), value.__cache_signature__()
        self.guard_signature(value, signature)
        wrapped = getattr(value, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType) and id(wrapped) not in self._seen:
            inner = self._function(wrapped, label, True)
        else:
            inner = self.encode(wrapped, label)
        return f"{self.encode(cls, label)}{name}({self.encode(signature, label)},{inner})"

    def _installed_object(self, value: Any, version: str, label: str) -> str:
        """A number or a constant (a dtype) of a compiled package, the latter when pickle finds it; or a callable."""
        cls, buffer = type(value), None if isinstance(value, Real) else buffer_content(value)
        if buffer is not None and is_found(cls, cls.__module__, cls.__qualname__):
            return self._content_of(buffer, f"R{version}:{cls.__module__}.{cls.__qualname__}", label)
        name = repr(value) if isinstance(value, Real) else pickled_name(value)
        if name is not None:
            return f"R{version}:{cls.__module__}.{cls.__qualname__}={name}"
        if is_numpy_dtype(cls):
            if value.names is not None:  # the one attribute that can be set
                self.guard("attribute", value, "names", value.names)
            return f"R{version}:{cls.__module__}.{cls.__qualname__}({self._all(dtype_parts(value), label)})"
        if callable(value):
            return self.reference(value, label)
        return self.mark_uncacheable(label, f"a value of type {cls.__module__}.{cls.__qualname__} cannot be encoded")

    def _state(self, value: Any, label: str) -> str:
        """An instance of a Python class: the class, and all that the instance holds."""
        cls, name = type(value), self.remember(value)
        if not is_python_class(cls):
            return self.mark_uncacheable(label, f"a value of type {cls.__qualname__!r} cannot be encoded")
        self.guard("attribute", value, "__class__", cls)
        parts = [self.encode(cls, label)]
        base = next((base for base in BUILTIN_BASES if isinstance(value, base)), None)
        if base is not None:
            parts.append(ATOMS[base](base(value)) if base in ATOMS else f"[{self._content(value, label)}]")
            if base in (list, dict, set):
                self.guard("contents", value, "", snapshot(value))
        for slot in slots(cls):
            if hasattr(value, slot):
                content = getattr(value, slot)
                self.guard("attribute", value, slot, content)
                parts.append(f"{slot}={self.encode(content, f'{label}.{slot}')}")
        state = getattr(value, "__dict__", {})
        if hasattr(value, "__dict__"):
            self.guard("attribute", value, "__dict__", state)
            self.guard("contents", state, "", snapshot(state))
        parts += [f"{k}={self.encode(v, f'{label}.{k}')}" for k, v in sorted(state.items())]
        return f"instance{name}({','.join(parts)})"

    def _class(self, cls: type, label: str) -> str:
        """A class: the user's by its bases, methods and data, another's by name."""
        is_covered, is_named = self.is_covered(cls.__module__), is_found(cls, cls.__module__, cls.__qualname__)
        is_foreign = is_covered or origin(cls.__module__).home is not Home.USER
        if is_foreign and (is_named or not (is_covered or is_python_class(cls))):  # else it is made on the spot
            return self.reference(cls, label)
        name = self.remember(cls)
        self.classes.append(cls)
        self.note_class(cls, label)
        self.guard("contents", cls.__dict__, "", snapshot(cls.__dict__))
        self.guard("attribute", cls, "__bases__", cls.__bases__)
        parts = [self.encode(base, label) for base in cls.__bases__]
        if not has_plain_metaclass(cls):
            parts.append(self.encode(type(cls), label))
        parts += [f"{key}={self.encode(item, f'{label}.{key}')}" for key, item in own(cls).items()]
        parts.append(self._content(inspect.get_annotations(cls), label))
        if "__dataclass_params__" in cls.__dict__:
            parts.append(self._all((getattr(cls.__dict__["__dataclass_params__"], f) for f in DATACLASS_FLAGS), label))
            parts.append(self._defaults(cls, label))
        if issubclass(cls, enum.Enum):
            parts += [f"{key}={self.encode(member.value, label)}" for key, member in cls.__members__.items()]
        return f"class{name}:{cls.__qualname__}({','.join(parts)})"

    def _defaults(self, cls: Any, label: str) -> str:
        """The defaults of the constructor that `dataclass` made; usually those of the fields."""
        make = cls.__init__
        if not isinstance(make, types.FunctionType):
            return ""
        for name in ("__defaults__", "__kwdefaults__"):
            self.guard("attribute", make, name, getattr(make, name))
        return self._all((make.__defaults__, make.__kwdefaults__), label)


_KINDS: dict[type, Callable[[Encoder, Any, str], str]] = {
    **dict.fromkeys(CONTAINERS, Encoder._container),
    **dict.fromkeys(PARTS, Encoder._by_parts),
    frozenset: lambda encoder, value, label: f"frozenset[{encoder._content(value, label)}]",
    types.FunctionType: lambda encoder, value, label: encoder._function(value, label, False),
    types.BuiltinFunctionType: Encoder._builtin,
    bytearray: Encoder._buffer,
    memoryview: Encoder._buffer,
    types.CellType: Encoder._cell,
    types.MethodDescriptorType: Encoder.reference,
    types.WrapperDescriptorType: Encoder.reference,
    types.ModuleType: Encoder._module,
    operator.itemgetter: Encoder._getter,
    operator.attrgetter: Encoder._getter,
    operator.methodcaller: Encoder._getter,
    types.UnionType: Encoder._alias,
    functools._lru_cache_wrapper: Encoder._cached,
}
