"""The descriptor behind settings: variable names, a parser, and a typed value read at each access."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, overload

from flydsl.base.errors import SettingError

T = TypeVar("T")
D = TypeVar("D", bound=Path | None)

_SWITCH = dict.fromkeys(("1", "true", "yes", "on"), True) | dict.fromkeys(("0", "false", "no", "off"), False)


class Group:
    """Settings that belong together, read from one environment."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ

    def settings(self) -> dict[str, Setting[Any]]:
        """The settings by name, in the order of their declaration."""
        return {name: value for name, value in vars(type(self)).items() if isinstance(value, Setting)}

    def is_set(self, name: str) -> bool:
        """Whether the environment says anything about the setting `name`."""
        return self.settings()[name].is_set(self.environ)

    def variable(self, name: str) -> str:
        """The variable by which the environment says the setting `name`, empty where it says nothing."""
        return self.settings()[name].said_by(self.environ)


class Setting(Generic[T]):
    """One setting: read from the first of `variables` that is set and not blank, at every access.

    `parse` raises ValueError or KeyError for anything else than `expected`; `shown` is the default as the documentation
    prints it; `in_key` says that a change makes different code.
    """

    def __init__(
        self,
        variables: tuple[str, ...],
        parse: Callable[[str], T],
        default: Callable[[], T],
        *,
        shown: str,
        expected: str,
        meaning: str,
        in_key: bool = False,
    ) -> None:
        self.variables, self.parse, self.default = variables, parse, default
        self.shown, self.expected, self.meaning, self.in_key = shown, expected, meaning, in_key

    @overload
    def __get__(self, instance: None, owner: type[object]) -> Self: ...
    @overload
    def __get__(self, instance: Group, owner: type[object]) -> T: ...
    def __get__(self, instance: Group | None, owner: type[object]) -> Self | T:
        return self if instance is None else self.read(instance.environ)

    def __set__(self, instance: Group, value: T) -> None:
        raise AttributeError(f"settings are read from the environment: set {self.variables[0]} instead")

    def is_set(self, environ: Mapping[str, str]) -> bool:
        """Whether the environment says anything."""
        return self._raw(environ) is not None

    def said_by(self, environ: Mapping[str, str]) -> str:
        """The variable that counts, empty where none is set."""
        entry = self._raw(environ)
        return entry[0] if entry is not None else ""

    def read(self, environ: Mapping[str, str]) -> T:
        """The value now; SettingError when the environment holds something else than `expected`."""
        entry = self._raw(environ)
        if entry is None:
            return self.default()
        variable, raw = entry
        try:
            return self.parse(raw)
        except (ValueError, KeyError, RuntimeError):  # a home folder that is not known is a RuntimeError
            raise SettingError(f"{variable} is {raw!r}, expected {self.expected}") from None

    def _raw(self, environ: Mapping[str, str]) -> tuple[str, str] | None:
        for variable in self.variables:
            raw = environ.get(variable, "").strip()
            if raw:
                return variable, raw
        return None


def text(*variables: str, meaning: str, default: str = "", lower: bool = False, in_key: bool = False) -> Setting[str]:
    """A setting of any text; `lower` makes it case-insensitive."""
    parse = str.lower if lower else str
    shown = default or "empty"
    return Setting(variables, parse, lambda: default, shown=shown, expected="text", meaning=meaning, in_key=in_key)


def flag(variable: str, *, meaning: str, default: bool = False, in_key: bool = False) -> Setting[bool]:
    """A setting that is on or off."""

    def parse(raw: str) -> bool:
        return _SWITCH[raw.lower()]

    shown, expected = str(int(default)), "one of 1, true, yes, on, 0, false, no, off"
    return Setting((variable,), parse, lambda: default, shown=shown, expected=expected, meaning=meaning, in_key=in_key)


def integer(variable: str, *, meaning: str, default: int, low: int, high: int, in_key: bool = False) -> Setting[int]:
    """A setting of an integer between `low` and `high`, both included."""

    def parse(raw: str) -> int:
        value = int(raw)
        if not low <= value <= high:
            raise ValueError(raw)
        return value

    shown, expected = str(default), f"an integer from {low} to {high}"
    return Setting((variable,), parse, lambda: default, shown=shown, expected=expected, meaning=meaning, in_key=in_key)


def choice(variable: str, *choices: str, meaning: str, default: str, in_key: bool = False) -> Setting[str]:
    """A setting of one of `choices`, whatever the case."""
    known = {value.lower(): value for value in choices}

    def parse(raw: str) -> str:
        return known[raw.lower()]

    one_of = f"one of {', '.join(choices)}"
    return Setting((variable,), parse, lambda: default, shown=default, expected=one_of, meaning=meaning, in_key=in_key)


def names(variable: str, *, meaning: str, in_key: bool = False) -> Setting[tuple[str, ...]]:
    """A setting of a comma-separated list."""

    def parse(raw: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in raw.split(",") if part.strip())

    return Setting((variable,), parse, tuple, shown="empty", expected="a comma list", meaning=meaning, in_key=in_key)


def path(
    variable: str, *, meaning: str, default: Callable[[], D], shown: str = "empty", in_key: bool = False
) -> Setting[Path | D]:
    """A setting of a file or folder; `~` is the home folder, `~user` that of another user, which has to be there."""

    def parse(raw: str) -> Path | D:
        if "\0" in raw:
            raise ValueError(raw)
        found = _path(raw).expanduser()
        if raw.startswith("~") and raw[1:2] not in ("", "/") and not _path(raw.partition("/")[0]).expanduser().is_dir():
            raise ValueError(raw)  # that of a system's user, such as nobody, is none
        return found

    return Setting(
        (variable,),
        parse,
        default,
        shown=shown,
        expected="a path, whose `~` is a home folder that is there",
        meaning=meaning,
        in_key=in_key,
    )


@lru_cache(maxsize=64)
def _path(raw: str) -> Path:
    """To take a path apart costs as much as all else of a setting."""
    return Path(raw)
