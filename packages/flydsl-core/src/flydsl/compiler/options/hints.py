"""Compile hints of one function: options that its backend reads and its cache key holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, TypeAlias

from flydsl.base.errors import ArgumentError
from flydsl.base.settings import DEFAULT_OPT_LEVEL
from flydsl.compiler.options.llvm_pass_settings import NAMES as PASS_NAMES
from flydsl.compiler.options.llvm_pass_settings import llvm_options, normalised
from flydsl.plugins.active.selection import get_backend
from flydsl.plugins.registry import registry

HintValue: TypeAlias = bool | int | float | str | tuple["HintValue", ...] | Mapping[str, bool | int | str] | None
Hints: TypeAlias = Mapping[str, HintValue]
NO_HINTS: Hints = MappingProxyType({})

_MATH = ("fast_fp_math", "fastmath", "unsafe_fp_math")
_COMMON = ("debug_info", "llvm_options", "opt_level", *_MATH, *PASS_NAMES)
_PLAIN = (bool, int, float, str, type(None))


def _announcing(name: str) -> Any:
    """The method of `dict`, which also says that the hints have changed."""
    method = getattr(dict, name)

    @wraps(method)
    def announce(self: CompileHints, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        finally:
            self._freeze_options()
            self._changed()

    return announce


class CompileHints(dict[str, HintValue]):
    """The hints of a function, such as `{"opt_level": 3}`; a change of them is a change of the code of later calls.

    Names are those that every backend takes, or that some installed backend declares; others ignore those.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self._changed = changed

    def _freeze_options(self) -> None:
        """A dictionary that is changed in place would be a change that nobody announces."""
        options: Any = self.get("llvm_options")
        if isinstance(options, dict):
            dict.__setitem__(self, "llvm_options", MappingProxyType(dict(options)))

    __setitem__ = _announcing("__setitem__")
    __delitem__ = _announcing("__delitem__")
    __ior__ = _announcing("__ior__")
    clear = _announcing("clear")
    pop = _announcing("pop")
    popitem = _announcing("popitem")
    setdefault = _announcing("setdefault")
    update = _announcing("update")


def frozen_hints(hints: Hints) -> Hints:
    """A checked copy of `hints`; ArgumentError for a name or a value that cannot be one."""
    if not isinstance(hints, Mapping):
        raise ArgumentError(f"compile hints are a mapping such as {{'opt_level': 3}}, found {hints!r}")
    hints = {name: _normalised(name, value) for name, value in hints.items()}
    for name, value in hints.items():
        if not isinstance(name, str) or not _is_plain(value):
            plain = "a number, string, bool, None or tuple of them"
            raise ArgumentError(f"a compile hint is a name with {plain}, found {name!r}: {value!r}")
    _check_names(hints)
    level = hints.get("opt_level", DEFAULT_OPT_LEVEL)
    if type(level) is not int or not 0 <= level <= 3:
        raise ArgumentError(f"compile hint 'opt_level' is an integer from 0 to 3, found {level!r}")
    return MappingProxyType(dict(hints)) if hints else NO_HINTS


def fast_math_of(hints: Hints) -> int:
    """The flags that float operations of kernels have at first: those of `fastmath`, a text or `fx.FastMathFlags`; all
    for `fast_fp_math`; for `unsafe_fp_math` all but those about NaN and infinity."""
    if not any(name in hints for name in _MATH):
        return 0
    from flydsl.expr.numbers.fast_math import FastMathFlags, as_flags  # only where flags are asked for

    if hints.get("fastmath") is not None:
        return int(as_flags(hints["fastmath"]))  # type: ignore[arg-type]
    if hints.get("fast_fp_math"):
        return int(FastMathFlags.fast)
    unsafe = FastMathFlags.fast & ~(FastMathFlags.nnan | FastMathFlags.ninf)
    return int(unsafe) if hints.get("unsafe_fp_math") else 0


def _normalised(name: str, value: Any) -> Any:
    """A value as the key holds it."""
    if name in PASS_NAMES:
        return normalised(name, value)
    if name == "llvm_options":
        return llvm_options(value)
    if name in ("fast_fp_math", "unsafe_fp_math") and value is not None and type(value) is not bool:
        raise ArgumentError(f"compile hint {name!r} is True or False, found {value!r}")
    if name == "fastmath":
        fast_math_of({name: value})  # its error says what is wrong
    return value


def _check_names(hints: Hints) -> None:
    """Refuse names that no installed backend knows; a hint for one of them may stay when another one compiles."""
    unknown = [name for name in hints if name not in _COMMON]
    if not unknown:
        return
    known = set(_COMMON).union(*(get_backend(name).hints for name in registry.tables.backends))
    wrong = [name for name in unknown if name not in known]
    if wrong:
        raise ArgumentError(f"no compile hint {wrong[0]!r}; known: {', '.join(sorted(known))}")


def hint_keys(hints: Hints) -> dict[str, str]:
    """The hints as the cache key holds them."""
    return {f"hint.{name}": repr(value) for name, value in sorted(hints.items())}


def _is_plain(value: object) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, tuple) else isinstance(value, _PLAIN)
