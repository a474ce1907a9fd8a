"""Canonical text of Python values, equal only for values that make the same code.

What a text cannot surely stand for (an array, an open file, a module whose attributes are read by computed names) is a
doubt: it costs the fast index, never a right answer. Values that can change in place leave guards.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import operator
import re
import types
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

from flydsl.base.origin import Home, origin
from flydsl.cache.classes import (
    BUILTIN_BASES,
    DATACLASS_FLAGS,
    ENUM_STATE,
    has_plain_metaclass,
    is_found,
    is_python_class,
    own,
    slots,
)
from flydsl.cache.guards import Guard, snapshot
from flydsl.plugins.fingerprint import is_covered

_PURE_MODULES_TEXT = """
    __future__ _collections_abc _functools _operator _struct abc bisect builtins cmath collections collections.abc
    contextlib copy dataclasses enum fractions functools heapq itertools logging math numbers operator re statistics
    string struct textwrap types typing warnings
"""
_PURE_MODULES = frozenset(_PURE_MODULES_TEXT.split())
"""Modules of Python whose functions answer from their arguments alone (or, like `logging`, make no code)."""

_AMBIENT_BUILTINS = frozenset({"__import__", "breakpoint", "eval", "exec", "globals", "hash", "id", "input", "open"})

_CONTAINERS: dict[type, str] = {
    list: "list",
    deque: "deque",
    set: "set",
    dict: "dict",
    OrderedDict: "dict",
    Counter: "dict",
    defaultdict: "defaultdict",
    types.MappingProxyType: "dict",
    types.SimpleNamespace: "namespace",
}


_PARTS: dict[type, tuple[str, ...]] = {
    types.MethodType: ("__func__", "__self__"),
    functools.partial: ("func", "args", "keywords"),
    functools.cached_property: ("func",),
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    re.Pattern: ("pattern", "flags"),
    range: ("start", "stop", "step"),
    slice: ("start", "stop", "step"),
    typing.TypeVar: ("__name__",),
    typing.ParamSpec: ("__name__",),
    typing.ForwardRef: ("__forward_arg__",),
    dataclasses.Field: ("name", "default", "default_factory", "init", "repr", "hash", "compare", "kw_only"),
}
"""Objects that are what these attributes are."""


class Encoder:
    """Encodes the values that one function reads; `function` encodes Python functions, `covered` are top-level packages
    that another part of the key stands for."""

    def __init__(self, function: Callable[[types.FunctionType, str, bool], str], covered: frozenset[str]) -> None:
        self._function = function
        self._covered = covered
        self._seen: dict[int, tuple[str, object]] = {}
        self.guards: list[Guard] = []
        self.doubts: list[str] = []

    def doubt(self, label: str, what: str) -> str:
        """The text of what cannot be encoded; the reason is kept."""
        self.doubts.append(f"{label}: {what}")
        return "?"

    def guard(self, kind: Any, owner: Any, name: str, value: Any) -> None:
        self.guards.append(Guard(kind, owner, name, value))

    def is_covered(self, module: object) -> bool:
        return isinstance(module, str) and is_covered(module, self._covered)

    def encode(self, value: Any, label: str) -> str:
        """The text of `value`; `label` says to the user where it was read."""
        cls = type(value)
        atom = _ATOMS.get(cls)
        if atom is not None:
            return atom(value)
        if cls is tuple:
            return f"({self._all(value, label)})"
        known = self._seen.get(id(value))
        if known is not None:
            return known[0]
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
        module = next((m for m in (_module_of(value), _module_of(owner), _module_of(type(value))) if m), "")
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None) or "?"
        if self.is_covered(module):
            return f"L{module}.{name}"
        home = origin(module)
        if home.home is Home.USER or not home.label or not is_found(value, module, name):
            return self.doubt(label, f"{name!r} of {module!r} is neither readable nor of a known version")
        if home.home is Home.PYTHON and module not in _PURE_MODULES:
            return self.doubt(label, f"{module}.{name} may depend on more than its arguments")
        return f"R{home.label}:{module}.{name}"

    # by exact type

    def _all(self, values: Iterable[Any], label: str) -> str:
        return ",".join([self.encode(value, label) for value in values])

    def _container(self, value: Any, label: str) -> str:
        tag, name = _CONTAINERS[type(value)], self.remember(value)
        if tag == "namespace":
            value = vars(value)
        self.guard("contents", value, "", snapshot(value))
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
        if module == "builtins" and value.__name__ in _AMBIENT_BUILTINS:
            return self.doubt(label, f"{value.__name__!r} reads more than its arguments")
        return self.reference(value, label)

    def _module(self, value: types.ModuleType, label: str) -> str:
        if self.is_covered(value.__name__):
            return f"L{value.__name__}"
        home = origin(value.__name__)
        if home.home is Home.INSTALLED and home.label:
            return f"R{home.label}:{value.__name__}"
        if home.home is Home.PYTHON and value.__name__ in _PURE_MODULES:
            return f"R{value.__name__}"
        return self.doubt(label, f"module {value.__name__!r} is used as a value, any of its names may be read")

    def _by_parts(self, value: Any, label: str) -> str:
        return f"{type(value).__name__}({self._all((getattr(value, part) for part in _PARTS[type(value)]), label)})"

    def _getter(self, value: operator.itemgetter[Any], label: str) -> str:
        reduced = value.__reduce__()
        assert isinstance(reduced, tuple)
        return f"{type(value).__name__}({self._all(reduced[1], label)})"

    def _alias(self, value: Any, label: str) -> str:
        arguments = self._all(typing.get_args(value), label)
        base = typing.get_origin(value)
        return f"alias({'' if base is None else self.encode(base, label)}[{arguments}])"

    def _cached(self, value: Any, label: str) -> str:
        """`functools.cache`: results kept from before may rest on values that are gone."""
        if value.cache_info().currsize:
            return self.doubt(label, f"{value.__name__!r} keeps results of earlier calls")
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
        if cls.__module__ == "typing" and hasattr(value, "_name"):
            return f"typing.{value._name}"
        if (cls.__module__, cls.__name__) == ("logging", "Logger"):
            return "logger"  # what is logged makes no code
        if self.is_covered(cls.__module__):
            return self._covered_instance(value, label)
        home = origin(cls.__module__)
        if is_python_class(cls) and (home.home is not Home.PYTHON or cls.__module__ in _PURE_MODULES):
            return self._state(value, label)
        if home.home is Home.INSTALLED:
            return self._installed_object(value, home.label, label)
        return self.doubt(label, f"a value of type {cls.__qualname__!r} cannot be encoded")

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
        if not hasattr(cls, "__cache_signature__"):
            return self._state(value, label)
        name, signature = self.remember(value), value.__cache_signature__()
        self.guard("signature", value, "", signature)
        wrapped = getattr(value, "__wrapped__", None)
        if isinstance(wrapped, types.FunctionType) and id(wrapped) not in self._seen:
            inner = self._function(wrapped, label, True)
        else:
            inner = self.encode(wrapped, label)
        return f"{self.encode(cls, label)}{name}({self.encode(signature, label)},{inner})"

    def _installed_object(self, value: Any, version: str, label: str) -> str:
        """A number or a constant (a dtype) of a compiled package, the latter when pickle finds it; or a callable."""
        cls = type(value)
        if isinstance(value, Real):
            return f"R{version}:{cls.__module__}.{cls.__qualname__}={value!r}"
        if not hasattr(cls, "__len__"):  # an array would copy itself
            try:
                name = value.__reduce__()
            except Exception:
                name = None
            if isinstance(name, str):
                return f"R{version}:{cls.__module__}.{cls.__qualname__}={name}"
        if callable(value):
            return self.reference(value, label)
        return self.doubt(label, f"a value of type {cls.__module__}.{cls.__qualname__} cannot be encoded")

    def _state(self, value: Any, label: str) -> str:
        """An instance of a Python class: the class, and all that the instance holds."""
        cls, name = type(value), self.remember(value)
        if not is_python_class(cls):
            return self.doubt(label, f"a value of type {cls.__qualname__!r} cannot be encoded")
        parts = [self.encode(cls, label)]
        base = next((base for base in BUILTIN_BASES if isinstance(value, base)), None)
        if base is not None:
            parts.append(_ATOMS[base](base(value)) if base in _ATOMS else f"[{self._content(value, label)}]")
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
        is_covered = self.is_covered(cls.__module__)
        if is_covered and is_found(cls, cls.__module__, cls.__qualname__):
            return self.reference(cls, label)
        if not is_covered and origin(cls.__module__).home is not Home.USER:
            return self.reference(cls, label)
        if not has_plain_metaclass(cls):
            return self.doubt(label, f"class {cls.__qualname__!r} has a metaclass of its own")
        name = self.remember(cls)
        self.guard("contents", cls.__dict__, "", snapshot(cls.__dict__))
        parts = [self.encode(base, label) for base in cls.__bases__]
        parts += [f"{key}={self.encode(item, f'{label}.{key}')}" for key, item in own(cls).items()]
        parts.append(self._content(inspect.get_annotations(cls), label))
        if "__dataclass_params__" in cls.__dict__:
            parts.append(self._all((getattr(cls.__dict__["__dataclass_params__"], f) for f in DATACLASS_FLAGS), label))
        if issubclass(cls, enum.Enum):
            parts += [f"{key}={self.encode(member.value, label)}" for key, member in cls.__members__.items()]
        return f"class{name}:{cls.__qualname__}({','.join(parts)})"


def _module_of(value: object) -> str:
    """The module that a value states, or, of a module, its name."""
    name = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return name if isinstance(name, str) else ""


_ATOMS: dict[type, Callable[[Any], str]] = {
    int: lambda value: f"i{value:x}",
    float: lambda value: f"f{value.hex()}",
    complex: lambda value: f"c{value.real.hex()},{value.imag.hex()}",
    str: lambda value: f"s{len(value)}:{value}",
    bytes: lambda value: f"b{value.hex()}",
    bool: lambda value: "T" if value else "F",
    type(None): lambda value: "N",
    type(...): lambda value: "...",
    type(NotImplemented): lambda value: "NotImplemented",
    type(dataclasses.MISSING): lambda value: "MISSING",
}

_KINDS: dict[type, Callable[[Encoder, Any, str], str]] = {
    **dict.fromkeys(_CONTAINERS, Encoder._container),
    **dict.fromkeys(_PARTS, Encoder._by_parts),
    frozenset: lambda encoder, value, label: f"frozenset[{encoder._content(value, label)}]",
    types.FunctionType: lambda encoder, value, label: encoder._function(value, label, False),
    types.BuiltinFunctionType: Encoder._builtin,
    types.MethodDescriptorType: Encoder.reference,
    types.WrapperDescriptorType: Encoder.reference,
    types.ModuleType: Encoder._module,
    operator.itemgetter: Encoder._getter,
    types.UnionType: Encoder._alias,
    functools._lru_cache_wrapper: Encoder._cached,
}
