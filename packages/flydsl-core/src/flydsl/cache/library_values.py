"""Values of Python's library that are known by content: dates, decimals, identifiers, buffers, the environment.

Each gives what decides it, and names the attributes that would read more than that: the clock, the time zone.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import re
import sys
import types
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

from flydsl.base.origin import Home, origin
from flydsl.cache.guards import MISSING

_CLOCK = frozenset(
    {"astimezone", "ctime", "fromtimestamp", "now", "strftime", "timestamp", "today", "utcfromtimestamp", "utcnow"}
)
"""Of dates: these read the clock, the time zone or the locale."""

_MEMORY = frozenset({"contents", "from_address", "from_buffer", "in_dll"})
"""Of ctypes: these read memory."""

_OF_STREAMS = frozenset({"buffer", "closed", "encoding", "fileno", "isatty", "name", "read", "readline", "tell"})
_OF_LOCKS = frozenset({"acquire", "locked"})

_REDUCED = {
    "datetime.date": _CLOCK,
    "datetime.datetime": _CLOCK,
    "datetime.time": _CLOCK,
    "datetime.timedelta": frozenset[str](),
    "datetime.timezone": frozenset[str](),
    "ipaddress.IPv4Address": frozenset[str](),
    "ipaddress.IPv6Address": frozenset[str](),
}
"""Types whose objects are what pickle stores of them."""

_ADDRESSES = frozenset(
    {"__array_interface__", "__array_struct__", "__dlpack__", "base", "buffer_info", "ctypes", "data", "obj"}
)
"""Of buffers: these read where the elements are, or whose they are."""

_LARGEST_BUFFER = 1 << 24


ATOMS: dict[type, Callable[[Any], str]] = {
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
"""Texts of values that contain no other."""

CONTAINERS: dict[type, str] = {
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


PARTS: dict[type, tuple[str, ...]] = {
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


class Content(NamedTuple):
    """What decides a value, to be encoded; `unless` are attributes that would read more."""

    parts: tuple[Any, ...]
    unless: frozenset[str] = frozenset()
    answers: Callable[[], object] | None = None
    """What must stay equal while the parts count."""


def class_attributes(cls: object) -> frozenset[str] | None:
    """Attributes of a class of Python's library that read more than arguments; None for classes that are not known."""
    if not isinstance(cls, type):
        return None
    name = f"{cls.__module__}.{cls.__qualname__}"
    return _MEMORY if cls.__module__ == "ctypes" and name != "ctypes.CDLL" else _REDUCED.get(name)


def content_of(value: Any) -> Content | None:
    """The content of a value of Python's library; None for others."""
    cls = type(value)
    name = f"{cls.__module__}.{cls.__qualname__}"
    if name in _REDUCED:
        return Content(tuple(value.__reduce__()[1]), _REDUCED[name])
    if name == "decimal.Decimal":
        return Content((str(value), decimal_context()), answers=decimal_context)
    if name == "uuid.UUID":
        return Content((value.int, value.is_safe.value))
    if name.replace("._local", "") in ("pathlib.PurePosixPath", "pathlib.PureWindowsPath"):  # `_local`: Python 3.13
        return Content((str(value),))
    if name in ("_thread.lock", "_thread.RLock"):
        return Content((), _OF_LOCKS)
    if value is sys.stdout or value is sys.stderr:
        return Content((), _OF_STREAMS)
    if name == "itertools.count":
        return Content((repr(value),), answers=functools.partial(repr, value))
    return None


def is_constant(value: object) -> bool:
    """Whether an object of an installed package never changes: one that pickle finds by its name, a plain dtype."""
    cls = type(value)
    if origin(cls.__module__).home is not Home.INSTALLED:
        return False
    if is_numpy_dtype(cls):
        return dtype_parts(value)[2:] == (None, None, None)
    return pickled_name(value) is not None


def pickled_name(value: object) -> str | None:
    """The name that pickle finds an object of a compiled package by; None for others."""
    cls = type(value)
    if hasattr(cls, "__len__"):  # an array would copy itself
        return None
    if cls.__reduce__ is object.__reduce__:  # it has no name, and calls constructors, which may end the process
        return None
    try:
        name = value.__reduce__()
    except Exception:
        return None
    return name if isinstance(name, str) else None


def is_numpy_dtype(cls: type) -> bool:
    """Whether objects of a class are dtypes of NumPy, whose classes differ."""
    return any(base.__module__ == "numpy" and base.__qualname__ == "dtype" for base in cls.__mro__)


def dtype_parts(value: Any) -> tuple[Any, ...]:
    """What a dtype of NumPy consists of: its scalar type and its text; and of one that is no number the size, whether
    it is aligned and the fields in order, the dtype and shape of its arrays, and what was said of it.
    """
    fields = None
    if value.names is not None:
        of_names = tuple((name, *value.fields[name]) for name in value.names)
        fields = (value.itemsize, value.isalignedstruct, of_names)
    metadata = None if value.metadata is None else dict(value.metadata)
    return value.type, value.str, fields, value.subdtype, metadata


class NotCleared:
    """Whether a cached function still has its results: asked again and again, as calls add to them."""

    __slots__ = ("_function", "_misses")

    def __init__(self, function: Any) -> None:
        self._function, self._misses = function, 0

    def __call__(self) -> bool:
        misses = self._function.cache_info().misses
        if misses < self._misses:
            return False
        self._misses = misses
        return True


def decimal_context() -> tuple[object, ...]:
    """What arithmetic of decimals depends on."""
    context = sys.modules["decimal"].getcontext()
    traps = sorted(signal.__name__ for signal, is_set in context.traps.items() if is_set)
    return (context.prec, context.rounding, context.Emin, context.Emax, context.clamp, context.capitals, tuple(traps))


def is_environment(value: object) -> bool:
    """Whether `value` is the environment of the process, or a function that reads it."""
    return any(value is getattr(os, name, MISSING) for name in ("environ", "environb", "getenv", "getenvb"))


def environment() -> Callable[[], object]:
    """A function whose answer is the environment."""
    data: Any = os.environ._data  # type: ignore[attr-defined]  # the dict without decoding: 1 us
    return data.copy  # type: ignore[no-any-return]


def buffer_content(value: Any) -> Content | None:
    """The elements of an object that is nothing but a buffer: an array of numbers, a bytearray; None for others."""
    if hasattr(value, "__dict__"):
        return None
    answers = functools.partial(_buffer, value)
    try:
        found = answers()
    except (TypeError, ValueError, BufferError, NotImplementedError):
        return None
    if found is None:
        return None
    *layout, data = found
    return Content((*layout, sha256(data).hexdigest()), _ADDRESSES, answers)


def _buffer(value: Any) -> tuple[Any, ...] | None:
    """The layout and the elements; None for elements that are references, and where comparing takes too long."""
    with memoryview(value) as view:
        if "O" in view.format or "P" in view.format or "z" in view.format or view.nbytes > _LARGEST_BUFFER:
            return None
        return view.format, view.shape, view.strides, view.readonly, view.tobytes()
