"""Objects that copies share, and that pickle finds by the name of a variable of their module."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from typing import Self


class GlobalObject:
    """Base of decorated functions: a copy is the function itself, and so is what another process unpickles.

    Their state, locks and loaded code, belongs to one process. `copy` and `copy.deepcopy` of what holds one, such as a
    model, keep it; pickle writes its module and name, as of a plain function.
    """

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> str | tuple[Callable[[str, str], object], tuple[str, str]]:
        """The variable that leads to this object; pickle.PicklingError when there is none in any module."""
        name = str(getattr(self, "__qualname__", type(self).__qualname__))
        if _named(sys.modules.get(self.__module__), name) is self:
            return name
        for module in _modules(self.__module__):
            for variable, value in list(getattr(sys.modules.get(module), "__dict__", {}).items()):
                if value is self:
                    return _variable, (module, variable)
        from pickle import PicklingError

        raise PicklingError(
            f"{self!r} cannot be pickled: no variable of a module leads to it, and a decorated function is pickled by "
            "its name; define it at the top of a module, and not inside of a function"
        )


def _modules(first: str) -> list[str]:
    """The names of loaded modules: `first`, the others, and the program, whose loops have variables, too."""
    last = ("__main__", "__mp_main__")
    return sorted(sys.modules, key=lambda name: (name != first) + (name in last))


def _variable(module: str, name: str) -> object:
    """The variable of a module, which is imported."""
    return getattr(importlib.import_module(module), name)


def _named(module: object, name: str) -> object:
    """What a dotted name leads to in a module; None without it."""
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
