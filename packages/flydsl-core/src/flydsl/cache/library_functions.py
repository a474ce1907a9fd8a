"""Functions of libraries: which answer from their arguments alone, and which read more."""

from __future__ import annotations

_PURE_MODULES_TEXT = """
    __future__ _collections_abc _functools _operator _struct abc bisect builtins cmath collections collections.abc
    contextlib copy dataclasses enum fractions functools heapq itertools math numbers operator re statistics string
    struct textwrap types typing
"""
PURE_MODULES = frozenset(_PURE_MODULES_TEXT.split())
"""Modules of Python whose functions answer from their arguments alone."""

_LOGGING_TEXT = "critical debug error exception getLogger info log warn warning Logger"
SILENT = frozenset({*(f"logging.{name}" for name in _LOGGING_TEXT.split()), "warnings.warn", "warnings.warn_explicit"})
"""Functions that make no code; what a logger is set to is another matter."""

_OF_LOGGERS_TEXT = """
    cache callHandlers disabled filter filters findCaller getChild getChildren getEffectiveLevel handle handlers
    hasHandlers isEnabledFor level makeRecord manager name parent propagate root
"""
OF_LOGGERS = frozenset(_OF_LOGGERS_TEXT.split())
"""Attributes of loggers that say what they are set to."""

IMPURE = frozenset({"abc.get_cache_token", "typing.get_type_hints"})
"""Exceptions among the functions of those modules."""

_PURE_FUNCTIONS_TEXT = """
    inspect.cleandoc inspect.isbuiltin inspect.isclass inspect.isfunction inspect.ismethod inspect.ismodule json.dumps
    json.loads posixpath.basename posixpath.commonprefix posixpath.dirname posixpath.join posixpath.normpath
    posixpath.split posixpath.splitext
"""
PURE_FUNCTIONS = frozenset(_PURE_FUNCTIONS_TEXT.split())
"""Functions of other modules that do."""

COMPUTING = frozenset({"operator.attrgetter", "operator.methodcaller"})
"""Functions that take the names of attributes."""

AMBIENT_BUILTINS = frozenset({"__import__", "breakpoint", "eval", "exec", "globals", "hash", "id", "input", "open"})

_PURE_OF_NUMPY_TEXT = """
    arange array asanyarray asarray ascontiguousarray asfortranarray bincount c_einsum can_cast concatenate copyto
    correlate count_nonzero datetime_data digitize dot dtype empty empty_like frombuffer fromiter fromstring inner
    interp lexsort matmul min_scalar_type normalize_axis_index packbits promote_types putmask ravel_multi_index
    result_type unpackbits unravel_index vdot where zeros implement_array_function
"""
_PURE_OF_NUMPY = frozenset(_PURE_OF_NUMPY_TEXT.split())
"""Functions of C that read no setting."""


def is_pure(function: str) -> bool:
    """Whether a compiled function of an installed package, by its full name, answers from its arguments alone."""
    module, _, name = function.rpartition(".")
    return module.partition(".")[0] == "numpy" and name in _PURE_OF_NUMPY
