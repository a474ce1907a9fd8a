"""Functions that traced code calls: the user's are rewritten like the caller, others are called unchanged."""

from __future__ import annotations

import builtins
import functools
import inspect
import sys
import weakref
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from flydsl.base.errors import SourceUnavailableError, UnsupportedConstructError
from flydsl.base.location import is_foreign_code
from flydsl.base.origin import Home, origin
from flydsl.base.process.recursion import own_recursion_limit
from flydsl.frontend.control.breakpoints import stop_here
from flydsl.frontend.control.control_flow import ControlFlow
from flydsl.frontend.control.effects import print_while_tracing
from flydsl.frontend.rewriting.recompile import bind, rewritten_code
from flydsl.frontend.rewriting.source import once_per_code
from flydsl.frontend.rewriting.templates import RUNTIME

_HIGHER_ORDER = map, filter, functools.reduce  # call their first argument
_TYPE_QUERIES = isinstance, type, id
_SPARE_FRAMES = 150  # kept free: a collection at the end of Python's stack loses the finalizers it runs
_REASONS: weakref.WeakKeyDictionary[CodeType, str] = weakref.WeakKeyDictionary()


def reason_not_rewritten(code: CodeType) -> str:
    """Why a helper runs as plain Python, where it cannot branch on dynamic values; empty if it is rewritten."""
    return _REASONS.get(code, "")


def is_plain_helper(code: CodeType) -> bool:
    """Whether a function of the user's runs as plain Python: rewritten ones have RUNTIME among their free variables."""
    return not (is_foreign_code(code) or RUNTIME in code.co_freevars or code.co_name.startswith(("__", "<")))


class Runtime(ControlFlow):
    """The runtime object of rewritten code: control flow, and calls of other functions."""

    __slots__ = ()

    @staticmethod
    def callee(function: Any) -> Any:
        """The function to call for `function`: the user's helpers are rewritten too, others stay as they are."""
        kind = type(function)
        if kind is FunctionType:
            return rewritten_helper(function)
        if kind is MethodType:
            inner = function.__func__
            return MethodType(rewritten_helper(inner), function.__self__) if type(inner) is FunctionType else function
        if kind is partial:
            return partial(Runtime.callee(function.func), *function.args, **function.keywords)
        if any(function is item for item in _HIGHER_ORDER):
            return partial(_call_with_rewritten, function)
        if any(function is item for item in _TYPE_QUERIES):
            return partial(_query_type, function)
        if function is builtins.print:
            return print_while_tracing
        if function is builtins.breakpoint:
            return stop_here
        if function is sys.getrecursionlimit:
            return own_recursion_limit
        called = inspect.getattr_static(kind, "__call__", None)
        return MethodType(rewritten_helper(called), function) if type(called) is FunctionType else function


def rewritten_helper(function: FunctionType) -> FunctionType:
    """`function` rewritten; unchanged if it belongs to a library, has no source, or cannot be traced.

    Closure, defaults and globals are read at each call, so that changes are seen; the rewritten code is cached.
    """
    code = _code_of(function)
    if code is not None:
        _refuse_deep_stack()
    return function if code is None else bind(code, function, Runtime(is_helper=True))


def _refuse_deep_stack() -> None:
    try:
        sys._getframe(sys.getrecursionlimit() - _SPARE_FRAMES)
    except ValueError:
        return
    raise RecursionError


@once_per_code
def _code_of(function: FunctionType) -> CodeType | None:
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


def _call_with_rewritten(function: Any, helper: Any, *args: Any, **kwargs: Any) -> Any:
    """`map(helper, ...)` and the like with the helper rewritten."""
    return function(Runtime.callee(helper), *args, **kwargs)


def _query_type(function: Any, value: Any, *args: Any) -> Any:
    """`isinstance(value, ...)` and the like; an error if the variable has no value."""
    return function(Runtime.read(value), *args)


def _is_library(function: FunctionType) -> bool:
    """Whether a function belongs to FlyDSL, to Python, or to an installed package that does not use FlyDSL."""
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
