"""Methods of dataclasses that are generated when they are called often, not when the class is made.

`dataclasses` compiles the text of up to seven methods for each class, 45 us each; most of those of a compiler's classes
are never called. Python 3.13 compiles them in one go and has no such function to replace: nothing is deferred there.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import MethodType
from typing import Any

from flydsl.base.interpreted_methods import interpreted

_OFTEN = 32
"""Calls after which a method is worth to be compiled."""
_lock = threading.Lock()
_open: list[int] = []
"""The thread of each context that is open."""
_generate: Callable[..., Any] | None = getattr(dataclasses, "_create_fn", None)
_process: Callable[..., Any] | None = getattr(dataclasses, "_process_class", None)


@contextmanager
def deferred_methods() -> Iterator[None]:
    """Dataclasses made inside, by this thread, generate each method when it is first called or asked for.

    They are the same methods then, with the same signatures.
    """
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
    if _generate is not None and _process is not None:
        dataclasses._create_fn = _chosen if _open else _generate  # type: ignore[attr-defined]
        dataclasses._process_class = _documented if _open else _process  # type: ignore[attr-defined]


def _documented(cls: Any, *options: Any) -> Any:
    """`dataclasses._process_class`; a class without a docstring gets its name: its signature would be asked for."""
    assert _process is not None
    if not cls.__doc__ and _is_mine():
        cls.__doc__ = cls.__name__
    return _process(cls, *options)


def _chosen(name: str, args: Iterable[str], body: Iterable[str], **environment: Any) -> Any:
    assert _generate is not None
    if not _is_mine():
        return _generate(name, args, body, **environment)
    return _Deferred(name, list(args), list(body), environment)


def _is_mine() -> bool:
    return threading.get_ident() in _open


class _Deferred:
    """What `dataclasses._create_fn` gives, made when it is first asked for, and then in its place in the class.

    The first calls go by the fields, where they can.
    """

    def __init__(self, name: str, args: list[str], body: list[str], environment: dict[str, Any]) -> None:
        self.__name__ = name
        self._parts = args, body, environment
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
        """As the method, or as the function that `dataclasses` wraps, of a representation."""
        self._calls += 1
        interpreted = self._interpreted
        if interpreted is None or self._calls > _OFTEN:
            interpreted = self._function(type(instance))
        return interpreted(instance, *args, **kwargs)

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
            assert _generate is not None
            args, body, environment = self._parts
            self._made = _generate(self.__name__, args, body, **environment)
            cls = self._place(owner)
            if cls is not None:
                self._made.__qualname__ = f"{cls.__qualname__}.{self.__name__}"
                setattr(cls, self.__name__, self._made)
        return self._made

    def _place(self, owner: type) -> type | None:
        """The class that has it."""
        return next((cls for cls in owner.__mro__ if cls.__dict__.get(self.__name__) is self), None)
