"""Methods of dataclasses that are generated when they are first called, not when the class is made.

`dataclasses` compiles the text of up to seven methods for each class, 45 us each; most of those of a compiler's classes
are never called. Python 3.13 compiles them in one go and has no such function to replace: nothing is deferred there.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_open: list[tuple[int, bool]] = []
"""The thread of each context that is open, and whether signatures stay known in it."""
_generate: Callable[..., Any] | None = getattr(dataclasses, "_create_fn", None)
_process: Callable[..., Any] | None = getattr(dataclasses, "_process_class", None)


@contextmanager
def deferred_methods(*, signatures: bool = False) -> Iterator[None]:
    """Dataclasses made inside, by this thread, generate their methods at the first call of each.

    They are the same methods then; only the signature of `__init__` cannot be asked for before: `signatures` keeps it.
    """
    mine = (threading.get_ident(), signatures)
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
    """`dataclasses._process_class`; a class without a docstring gets its name: a signature would be a stand-in's."""
    assert _process is not None
    if not cls.__doc__ and not all(_mine()):
        cls.__doc__ = cls.__name__
    return _process(cls, *options)


def _chosen(name: str, args: Iterable[str], body: Iterable[str], **environment: Any) -> Any:
    assert _generate is not None
    mine = _mine()
    if not mine or (name == "__init__" and all(mine)):
        return _generate(name, args, body, **environment)
    return _deferred(name, args, body, **environment)


def _mine() -> list[bool]:
    """Whether signatures stay known, in each context of this thread."""
    thread = threading.get_ident()
    return [signatures for owner, signatures in tuple(_open) if owner == thread]


def _deferred(name: str, args: Iterable[str], body: Iterable[str], **environment: Any) -> Any:
    """What `dataclasses._create_fn` gives, made at the first call, which puts it in its place in the class."""
    parts, made = (list(args), list(body)), None

    def method(self: Any, /, *values: Any, **named: Any) -> Any:
        nonlocal made
        if made is None:
            assert _generate is not None
            function = _generate(name, *parts, **environment)
            function.__qualname__, function.__module__ = method.__qualname__, method.__module__
            made = function
            for owner in type(self).__mro__:
                if owner.__dict__.get(name) is method:
                    setattr(owner, name, function)
        return made(self, *values, **named)

    method.__name__ = name
    return method
