"""Names that only other versions of this language have, in the modules where those have them.

They are in the distribution flydsl-compat, under the same paths: what another version has as `flydsl.expr.gpu.x` is
`flydsl._other_versions.expr.gpu.x` there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

_PORTION = "flydsl._other_versions"


def other_name(module: str, name: str) -> Any:
    """What another version has as `name` in `module` of the core; AttributeError when flydsl-compat lacks it too."""
    return _asked(f"module {module!r}", name, lambda compat: compat.name_of(module, name))


def other_attribute(value: object, owner: str, name: str) -> Any:
    """What objects of the class `owner` have as `name` in another version; AttributeError as by `other_name`."""
    kind = f"{type(value).__name__!r} object"
    return _asked(kind, name, lambda compat: compat.attribute_of(value, owner, name))


def _asked(where: str, name: str, ask: Callable[[ModuleType], Any]) -> Any:
    advice = ""
    if not name.startswith("__"):  # Python's own questions, such as __path__
        compat = _compat()
        try:
            if compat is not None:
                return ask(compat)
            advice = ", nor has flydsl-compat, if it is installed, which has names of other versions"
        except LookupError as error:
            advice = f": {error.args[0]}" if error.args[0] else ", nor has flydsl-compat"
    raise AttributeError(f"{where} has no attribute {name!r}{advice}", name=name)


def _compat() -> ModuleType | None:
    try:
        return import_module(_PORTION)
    except ModuleNotFoundError as error:
        if error.name != _PORTION:
            raise
        return None


class SearchPath(list[str]):
    """Where the modules of a package are: its own folder, and then that of flydsl-compat for those of other versions.

    The second is looked for only when the first lacks a module.
    """

    def __init__(self, own: list[str], package: str) -> None:
        super().__init__(own)
        self._portion = package.replace("flydsl", _PORTION, 1)

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        try:
            yield from import_module(self._portion).__path__
        except ModuleNotFoundError as error:
            if not self._portion.startswith(error.name or "-"):
                raise
