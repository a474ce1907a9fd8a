"""A function that traced code calls in; the same with its control flow rewritten, when it is the user's, out."""

from __future__ import annotations

import weakref
from types import CodeType, FunctionType, ModuleType

from flydsl.base.errors import SourceUnavailableError, UnsupportedConstructError
from flydsl.base.location import is_foreign_code
from flydsl.base.origin import Home, origin
from flydsl.frontend.control_flow import ControlFlow
from flydsl.frontend.rewrite import bind, rewritten_code
from flydsl.frontend.templates import RUNTIME

# by identity of the code: equal code may come from two files
_CODES: dict[int, tuple[weakref.ref[CodeType], CodeType | None]] = {}
_REASONS: weakref.WeakKeyDictionary[CodeType, str] = weakref.WeakKeyDictionary()


def reason_not_rewritten(code: CodeType) -> str:
    """Why a helper runs as plain Python, where it may not ask for values known only at run time; else nothing."""
    return _REASONS.get(code, "")


def is_plain_helper(code: CodeType) -> bool:
    """Whether a function of the user's that asks for a truth value was never rewritten: rewritten ones ask RUNTIME."""
    return not (is_foreign_code(code) or RUNTIME in code.co_freevars or code.co_name.startswith(("__", "<")))


def rewritten_helper(function: FunctionType) -> FunctionType:
    """`function` rewritten; itself when it is a library's, has no source, or cannot be traced.

    Closure, defaults and globals are read at each call, so that a change is seen; the rewritten code is kept.
    """
    code = _code_of(function)
    return function if code is None else bind(code, function, ControlFlow(is_helper=True))


def _code_of(function: FunctionType) -> CodeType | None:
    original, identity = function.__code__, id(function.__code__)
    known = _CODES.get(identity)
    if known is not None and known[0]() is original:
        return known[1]
    made = _rewritten(function)
    forget = _CODES.pop  # bound: globals are gone when the interpreter ends
    _CODES[identity] = (weakref.ref(original, lambda _: forget(identity, None)), made)
    return made


def _rewritten(function: FunctionType) -> CodeType | None:
    code = function.__code__
    if RUNTIME in code.co_freevars or _is_library(function):
        return None
    if code.co_name == "<lambda>":
        _REASONS[code] = "a lambda is not rewritten: write it as a def"
        return None
    try:
        return rewritten_code(function)
    except (SourceUnavailableError, UnsupportedConstructError) as error:
        _REASONS[code] = str(error.args[0])
        return None


def _is_library(function: FunctionType) -> bool:
    """Functions of ours, of Python's, and of installed packages that do not use this language."""
    names = function.__globals__
    module = str(names.get("__name__"))
    if _is_ours(module):
        return True
    home = origin(module).home
    if home is Home.INSTALLED:
        return not any(_is_ours(_module_of(value)) for value in names.values())
    return home is Home.PYTHON


def _is_ours(module: str) -> bool:
    top = module.partition(".")[0]
    return top == "flydsl" or top.startswith("flydsl_")


def _module_of(value: object) -> str:
    return value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", ""))
