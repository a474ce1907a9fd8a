"""`flyc.compile`: a @jit function compiled, loaded and launched once, also with hints of this compilation."""

from __future__ import annotations

from typing import Any, overload

from flydsl.base.errors import ArgumentError
from flydsl.compiler.aot.compiled import CompiledFunction
from flydsl.compiler.jit import JitFunction, P
from flydsl.compiler.options.hints import NO_HINTS, Hints, frozen_hints


class Compile:
    """`flyc.compile(function, *args)`, and with hints of this compilation: `flyc.compile[hints](function, *args)`."""

    __slots__ = ("_hints",)

    def __init__(self, hints: Hints = NO_HINTS) -> None:
        self._hints = hints

    def __getitem__(self, hints: Hints) -> Compile:
        return Compile(frozen_hints({**self._hints, **frozen_hints(hints)}))

    @overload
    def __call__(self, func: JitFunction[P], *args: P.args, **kwargs: P.kwargs) -> CompiledFunction: ...
    @overload
    def __call__(self, func: JitFunction, *args: Any, launch: bool = True, **kwargs: Any) -> CompiledFunction: ...
    def __call__(self, func: JitFunction, *args: Any, **kwargs: Any) -> CompiledFunction:
        """`func` compiled, loaded and launched once for these arguments; the result is a callable that launches again.

        It is not launched with `launch=False`, where COMPILE_ONLY is set, nor for placeholders: host tensors while the
        active runtime works on memory of devices only, and null pointers. Then it is loaded at the first call with live
        arguments. `launch=` is an argument of `func` where that has a parameter of this name.
        """
        if not isinstance(func, JitFunction):
            raise ArgumentError(
                f"compile takes a function decorated with @flyc.jit, found {type(func).__name__}; of a method, the "
                "class's own with the instance first: flyc.compile(Class.method, instance, ...)"
            )
        is_own = any(parameter.name == "launch" for parameter in func.parameters)
        launch = True if is_own else bool(kwargs.pop("launch", True))
        return func.prepare_with(self._hints, args, kwargs, launch=launch)


compile = Compile()
