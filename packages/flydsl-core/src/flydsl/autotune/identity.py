"""The identity of a tuned function: a configuration found for one says nothing of another of the same name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from inspect import getattr_static
from types import CodeType, FunctionType, MethodType

from flydsl.autotune.config import Config

_MOST_DECORATORS = 16
_DIGITS = 16


def file_name(function: Callable[..., object], name: str) -> str:
    """The file of a tuned function: its name for people, and a digest of its module, qualified name and code."""
    plain = python_function(function)
    owner = plain if plain is not None else function
    where = [getattr(owner, attribute, "") for attribute in ("__module__", "__qualname__")]
    code = [] if plain is None else sorted(_code_texts(plain))
    digest = sha256(json.dumps([*map(str, where), code]).encode("utf-8", "backslashreplace")).hexdigest()
    return f"{re.sub('[^A-Za-z0-9_]', '', name)[:64] or 'function'}-{digest[:_DIGITS]}.json"


def candidates_digest(configs: Iterable[Config]) -> str:
    """A digest of a list of candidates, in any order."""
    texts = sorted(config_text(config) for config in configs)
    return sha256(json.dumps(texts).encode()).hexdigest()[:_DIGITS]


def config_text(config: Config) -> str:
    """A configuration as one text: equal for a candidate and for what a file kept of it."""
    return json.dumps(config.to_dict(), sort_keys=True, default=repr)


def python_function(value: object) -> FunctionType | None:
    """The function of Python that a decorated one was made of; None where there is none."""
    for _ in range(_MOST_DECORATORS):
        if isinstance(value, FunctionType):
            return value
        if isinstance(value, MethodType | partial):
            value = value.__func__ if isinstance(value, MethodType) else value.func
        else:  # whatever the object says at run time is not asked for: it may be anything that a module holds
            value = getattr_static(value, "__wrapped__", None)
    return None


def _code_texts(function: FunctionType) -> Iterator[str]:
    """The code of a function and of the functions of its module and closure that it names, at any depth."""
    waiting, seen = [function], set[CodeType]()
    while waiting:
        function = waiting.pop()
        if function.__code__ in seen:
            continue
        seen.add(function.__code__)
        yield _code_text(function.__code__)
        waiting += [named for value in _named(function) if (named := python_function(value)) is not None]


def _named(function: FunctionType) -> Iterator[object]:
    for code in _with_nested(function.__code__):
        yield from (function.__globals__[name] for name in code.co_names if name in function.__globals__)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not set yet: a function that names itself
            continue


def _code_text(code: CodeType) -> str:
    """What a code object does: nothing of lines, files and comments."""
    constants = list(map(_constant_text, code.co_consts))
    names: Sequence[object] = (code.co_names, code.co_varnames, code.co_freevars, code.co_argcount, code.co_flags)
    return repr((code.co_code.hex(), constants, names))


def _constant_text(constant: object) -> str:
    if isinstance(constant, CodeType):
        return _code_text(constant)
    if isinstance(constant, frozenset):  # whose order is another one in each process
        return repr(sorted(map(_constant_text, constant)))
    if isinstance(constant, tuple):
        return repr(list(map(_constant_text, constant)))
    return repr(constant)


def _with_nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _with_nested(constant)
