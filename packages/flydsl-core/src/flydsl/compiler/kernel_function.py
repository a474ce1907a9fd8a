"""`CompilationContext`, under the path that other kernels import it from."""

from __future__ import annotations

from contextlib import AbstractContextManager
from os import PathLike
from typing import Any, NoReturn

from flydsl.base.errors import FrontendError
from flydsl.base.other_versions import other_name
from flydsl.compiler.modes.ambient_hints import ambient_hints, hinting_block
from flydsl.compiler.options.hints import Hints, HintValue
from flydsl.expr.tracing.context import is_tracing


class CompilationContext:
    """Compile hints for the calls of a block, and whether a function is being traced."""

    @classmethod
    def compile_hints(cls, hints: Hints) -> AbstractContextManager[None]:
        """`with CompilationContext.compile_hints({"waves_per_eu": 2})`: hints for the calls of the block.

        Of a name in several blocks the innermost counts; a function's own `compile_hints` go before them all.
        """
        return hinting_block(hints)

    @classmethod
    def get_compile_hints(cls) -> dict[str, HintValue]:
        """The hints of the blocks around."""
        return dict(ambient_hints())

    @classmethod
    def get_current(cls) -> CompilationContext | None:
        """A context while a function is traced, None outside."""
        return cls() if is_tracing() else None

    @classmethod
    def create(cls) -> CompilationContext:
        """A context, which has nothing of its own."""
        return cls()

    def add_link_lib(self, path: str | PathLike[str]) -> NoReturn:
        """Refused: bitcode is linked with the functions that it defines, whose content the cache sees."""
        raise FrontendError(
            f"add_link_lib({str(path)!r}): bitcode is linked with its functions, link_extern(ffi(...), bitcode_path=) "
            "of flydsl.compiler.extern_link"
        )

    def __getattr__(self, name: str) -> Any:
        """What a context of other versions has besides."""
        return other_name(__name__, name)()
