"""Where operations go, and their locations: both follow the trace, and can be set as MLIR's bindings do."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.builders import Operation
from flydsl._other_versions.compiler.kernel_function import KernelsModule
from flydsl.backend.language import current, is_tracing
from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from types import TracebackType

    from xdsl.ir import Block


class _Current(type):
    @property
    def current(cls) -> Any:
        """The one that counts now."""
        return cls._make_current()  # type: ignore[attr-defined]


class _Entered(metaclass=_Current):
    """Something that a `with` statement may enter and that changes nothing there."""

    def __enter__(self) -> Any:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        """Leave it."""

    @classmethod
    def _make_current(cls) -> Any:
        return cls()


_ENTERED: ContextVar[tuple[Context, ...]] = ContextVar("flydsl_entered_contexts", default=())
_LEFT: ContextVar[object] = ContextVar("flydsl_left_trace", default=None)
"""The trace whose own context was left."""


class Context(_Entered):
    """A context of MLIR, of which there is no need: types and attributes belong to none.

    `Context.current` is the innermost that was entered, in a trace one of its own, and None elsewhere: programs leave
    contexts until it is.
    """

    def __enter__(self) -> Context:
        _ENTERED.set((*_ENTERED.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        entered = _ENTERED.get()
        if self in entered:
            _ENTERED.set(entered[: len(entered) - 1 - entered[::-1].index(self)])
        elif is_tracing():
            _LEFT.set(current())

    @classmethod
    def _make_current(cls) -> Context | None:
        if entered := _ENTERED.get():
            return entered[-1]
        return cls() if is_tracing() and _LEFT.get() is not current() else None


class Location(_Entered):
    """A place in the source: operations have the line of the kernel that makes them, and nothing else sets it."""

    def __init__(self, text: str = "the line of the kernel") -> None:
        self._text = text

    @staticmethod
    def unknown(context: object = None) -> Location:
        """The line of the kernel."""
        return Location()

    @staticmethod
    def name(name: str, *_: object, **__: object) -> Location:
        """The line of the kernel; the name is not kept."""
        return Location(name)

    @staticmethod
    def file(filename: str, line: int, col: int, context: object = None) -> Location:
        """The line of the kernel; the file is not kept."""
        return Location(f"{filename}:{line}:{col}")

    def __repr__(self) -> str:
        return f"Location({self._text!r})"


class InsertionPoint(_Entered):
    """The end of a block, or the place before an operation: `with InsertionPoint(block): ...`."""

    def __init__(self, place: Any) -> None:
        place = place.block if isinstance(place, KernelsModule) else place
        operation: Any = place.operation if isinstance(place, Operation) else place
        self.ref_operation = None if hasattr(operation, "ops") else operation
        self.block: Block = operation if self.ref_operation is None else operation.parent
        self._inside: AbstractContextManager[object] = nullcontext()
        if self.block is None:
            raise FrontendError(f"{place!r} is in no block")

    @classmethod
    def at_block_begin(cls, block: Block) -> InsertionPoint:
        """The start of a block."""
        return cls(block if block.first_op is None else block.first_op)

    @classmethod
    def at_block_terminator(cls, block: Block) -> InsertionPoint:
        """The end of a block, before its last operation."""
        return cls(block if block.last_op is None else block.last_op)

    @classmethod
    def _make_current(cls) -> InsertionPoint:
        builder = current().builder
        return cls(builder.block if builder.before is None else builder.before)

    def __enter__(self) -> InsertionPoint:
        self._inside = current().builder.at(self.block, self.ref_operation)
        self._inside.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None = None,
        error: BaseException | None = None,
        traceback: TracebackType | None = None,
    ) -> None:
        self._inside.__exit__(kind, error, traceback)
