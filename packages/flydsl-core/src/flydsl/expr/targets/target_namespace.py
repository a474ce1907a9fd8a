"""`import flydsl.expr.<word>` in, the module that a plugin offers as `fx.<word>` out: target words by import."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from flydsl.base.location import note_words

_PARENT = "flydsl.expr."


def target_module(word: str) -> ModuleType:
    """The module of a target's word, from the plugin that declares it; AttributeError when none does."""
    from flydsl.plugins.selection import expr_namespace

    module: ModuleType = expr_namespace(word)
    if module.__file__:
        note_words(module.__file__)
    return module


class _TargetWords:
    """Finds `flydsl.expr.<word>`, asked after files are looked for, or the modules inside of one, asked before:
    the plugin's package has them as files, which must not be loaded twice."""

    def __init__(self, inside: bool) -> None:
        self._inside = inside

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PARENT):
            return None
        word, *inner = fullname.removeprefix(_PARENT).split(".")
        if (
            bool(inner) is not self._inside
            or getattr(sys.modules.get(_PARENT + word), "__name__", "") == _PARENT + word
        ):
            return None  # asked of the other finder, or about a room of our own
        try:
            found = _inside(target_module(word), inner)
        except AttributeError:
            return None
        return None if found is None else ModuleSpec(fullname, self, origin=found.__name__)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """A place holder, which `exec_module` replaces: the plugin's module keeps its own name and spec."""

    def exec_module(self, module: ModuleType) -> None:
        word, *inner = module.__name__.removeprefix(_PARENT).split(".")
        found = _inside(target_module(word), inner)
        assert found is not None
        sys.modules[module.__name__] = found


def install() -> None:
    """Let the import statement find target words; once a process."""
    if not any(isinstance(finder, _TargetWords) for finder in sys.meta_path):
        sys.meta_path.insert(0, _TargetWords(inside=True))
        sys.meta_path.append(_TargetWords(inside=False))


def _inside(module: ModuleType, path: Sequence[str]) -> ModuleType | None:
    found: object = module
    for name in path:
        found = getattr(found, name, None)
    return found if isinstance(found, ModuleType) else None
