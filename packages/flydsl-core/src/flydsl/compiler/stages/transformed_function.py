"""The traced form of a function, its control flow rewritten: made once, and again when the function has changed."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from flydsl.compiler.stages.timing import stage


class TransformedFunction:
    """What a function is traced as."""

    __slots__ = ("_function", "_made", "_parts")

    def __init__(self, function: FunctionType) -> None:
        self._function: Any = function  # a FunctionType, which type checkers would bind as a method
        self._made: Any = None
        self._parts: tuple[object, ...] = ()

    def __call__(self) -> Any:
        """The rewritten function, of the code and defaults that the function has now."""
        function, made = self._function, self._made
        parts = (function.__code__, function.__defaults__, function.__kwdefaults__)
        if made is None or any(now is not then for now, then in zip(parts, self._parts, strict=True)):
            from flydsl.compiler.stages.loading import load_frontend

            with stage("import of the compiler"):
                load_frontend()
            from flydsl.frontend.rewriting.rewrite import rewrite

            with stage("rewriting of control flow"):
                made = rewrite(function)
            self._parts, self._made = parts, made
        return made

    def forget(self) -> None:
        """Make it again when it is asked for."""
        self._made = None
