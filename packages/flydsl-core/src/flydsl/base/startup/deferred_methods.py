"""Lazily compiled dataclass methods.

`dataclasses` writes and compiles the text of up to seven methods for each class, 50 us each; most of those of a
compiler's classes are never called. Annotations of named tuples are compiled as well, to be asked for by nobody. Python
3.13 has other functions for all that, which are left as they are.
"""

from __future__ import annotations

import collections
import dataclasses
import threading
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import MethodType
from typing import Any

from flydsl.base import settings
from flydsl.base.process.fork_locks import new_lock
from flydsl.base.startup.interpreted_methods import interpreted

_OFTEN = 32
"""Calls after which a method is worth to be compiled."""
_lock = new_lock()
_open: list[int] = []
"""The thread of each context that is open."""


@contextmanager
def deferred_methods() -> Iterator[None]:
    """Dataclasses made inside, by this thread, generate each method when it is often called or asked for.

    They are the same methods then, with the same signatures. Annotations of named tuples stay text, as written.
    FLYDSL_DEBUG_PLAIN_STARTUP leaves all as it is.
    """
    if settings.debug.plain_startup:
        yield
        return
    mine = threading.get_ident()
    with _lock:
        _open.append(mine)
        _replace()
    try:
        yield
    finally:
        with _lock:
            _open.remove(mine)
            _replace()


def _replace() -> None:
    for (module, name), (own, ours) in _REPLACED.items():
        setattr(module, name, ours if _open else own)


def _is_mine() -> bool:
    return threading.get_ident() in _open


def _ours_or(own: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """`ours` in the threads that have asked for it; it is given `own` first."""

    def chosen(*args: Any, **options: Any) -> Any:
        return ours(own, *args, **options) if _is_mine() else own(*args, **options)

    return chosen


def _documented(own: Callable[..., Any], cls: Any, *options: Any) -> Any:
    """`dataclasses._process_class`; a class without a docstring gets its name: its signature would be asked for."""
    if not cls.__doc__:
        cls.__doc__ = cls.__name__
    return own(cls, *options)


def _constructor(own: Callable[..., Any], *args: Any) -> _Deferred:
    return _Deferred("__init__", partial(own, *args))


def _representation(own: Callable[..., Any], *args: Any) -> _Deferred:
    return _Deferred("__repr__", partial(own, *args))


def _hash(own: Callable[..., Any], *args: Any) -> _Deferred:
    return _Deferred("__hash__", partial(own, *args))


def _comparison(own: Callable[..., Any], name: str, *args: Any, **options: Any) -> _Deferred:
    return _Deferred(name, partial(own, name, *args, **options))


def _freezing(own: Callable[..., Any], *args: Any) -> tuple[_Deferred, ...]:
    names = ("__setattr__", "__delattr__")
    return tuple(_Deferred(name, lambda at=at: own(*args)[at]) for at, name in enumerate(names))  # type: ignore[misc]


def _named_tuple(
    own: Callable[..., Any], name: str, types: Iterable[tuple[str, Any]], module: str, defaults: Sequence[Any] = ()
) -> Any:
    """`typing._make_nmtuple`, which compiles each annotation that is text."""
    annotations = dict(types)
    if not all(type(annotation) is str for annotation in annotations.values()):
        return own(name, annotations.items(), module, defaults)
    made: Any = collections.namedtuple(name, annotations, defaults=defaults, module=module)  # type: ignore[misc]
    made.__annotations__ = made.__new__.__annotations__ = annotations
    return made


def _replaced(module: Any, functions: dict[str, Callable[..., Any]]) -> dict[tuple[Any, str], tuple[Any, Any]]:
    return {(module, name): (own := getattr(module, name), _ours_or(own, ours)) for name, ours in functions.items()}


_REPLACED: dict[tuple[Any, str], tuple[Any, Any]] = {}
"""Functions of Python's library, each with the one that stands in for it."""
if hasattr(dataclasses, "_create_fn"):
    _REPLACED |= _replaced(
        dataclasses,
        {
            "_process_class": _documented,
            "_init_fn": _constructor,
            "_repr_fn": _representation,
            "_hash_fn": _hash,
            "_cmp_fn": _comparison,
            "_frozen_get_del_attr": _freezing,
        },
    )
    _REPLACED |= _replaced(typing, {"_make_nmtuple": _named_tuple})


class _Deferred:
    """A method that is made when it is first asked for, and then in its place in the class.

    The first calls go by the fields, where they can.
    """

    __slots__ = ("__name__", "_calls", "_interpreted", "_made", "_make", "_owner")

    def __init__(self, name: str, make: Callable[[], Any]) -> None:
        self.__name__, self._make = name, make
        self._made: Any = None
        self._interpreted: Callable[..., Any] | None = None
        self._calls = 0
        self._owner: Any = None

    @property
    def __signature__(self) -> Any:
        """That of the method, for who asks an instance for it before it is compiled."""
        from inspect import signature

        return signature(self._function(self._owner))

    def __get__(self, instance: object, owner: Any = None) -> Any:
        owner = type(instance) if owner is None else owner
        if self._made is None and instance is not None and self._is_interpreted(owner):
            return MethodType(self, instance)
        function = self._function(owner)
        return function if instance is None else function.__get__(instance, owner)

    def __call__(self, instance: Any, /, *args: Any, **kwargs: Any) -> Any:
        self._calls += 1
        call = self._interpreted
        if call is None or self._calls > _OFTEN:
            call = self._function(type(instance))
        return call(instance, *args, **kwargs)

    def _is_interpreted(self, owner: type) -> bool:
        if self._owner is None:
            self._owner = owner
            cls = self._place(owner)
            if cls is not None:
                self._interpreted = interpreted(self.__name__, cls, self._compiled)
        return self._interpreted is not None

    def _compiled(self, instance: Any) -> Any:
        return MethodType(self._function(type(instance)), instance)

    def _function(self, owner: type) -> Any:
        if self._made is None:
            self._made = self._make()
            cls = self._place(owner)
            if cls is not None:
                self._made.__qualname__ = f"{cls.__qualname__}.{self.__name__}"
                setattr(cls, self.__name__, self._made)
        return self._made

    def _place(self, owner: type) -> type | None:
        """The class that has it."""
        return next((cls for cls in owner.__mro__ if cls.__dict__.get(self.__name__) is self), None)
