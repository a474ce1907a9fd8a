"""Launch streams: a queue handle, or None for the runtime's default stream."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from xdsl.ir import SSAValue

__all__ = ["Stream"]


class Stream:
    """A stream argument of a @jit function: None, an integer handle, or an object with `handle` or `__cuda_stream__`.

    Inside a traced function it is the stream that the caller passes.
    """

    __slots__ = ("_value", "source")

    def __init__(self, value: object = None, token: SSAValue | None = None) -> None:
        self.source, self._value = value, token

    @classmethod
    def from_token(cls, token: object) -> Stream:
        """The stream of what `value` gave inside a traced function."""
        if not hasattr(token, "owner"):  # no SSA value
            raise FrontendError(
                f"stream is a fx.Stream argument of the @jit function, found {type(token).__name__}; "
                "add a parameter `stream: fx.Stream = fx.Stream(None)`, and leave it out for the default stream"
            )
        return cls(None, token)  # type: ignore[arg-type]

    @property
    def handle(self) -> int:
        """The handle of the queue in the runtime, 0 for the default stream."""
        return handle_reader(type(self.source))(self.source)

    @property
    def value(self) -> object:
        """What was given: None, an integer or an object; inside a traced function its token, which launches take."""
        return self.source if self._value is None else self._value

    def ir_value(self) -> SSAValue | None:
        """The token of the stream inside a traced function, None for the default stream."""
        return self._value

    def __extract_to_ir_values__(self) -> list[SSAValue]:
        return [] if self._value is None else [self._value]

    def __construct_from_ir_values__(self, values: list[Any]) -> Stream:
        return Stream(self.source, values[0] if values else None)

    def __repr__(self) -> str:
        return f"Stream({self.source!r})"


def handle_reader(cls: type) -> Callable[[Any], int]:
    """What reads the handle of streams of a class: which attribute they have is looked up here."""
    if cls is NoneType:
        return lambda stream: 0
    if issubclass(cls, int):
        return _checked_handle
    if issubclass(cls, Stream) or hasattr(cls, "handle"):
        return lambda stream: int(stream.handle)
    if hasattr(cls, "__cuda_stream__"):
        return lambda stream: int(stream.__cuda_stream__()[1])
    if hasattr(cls, "cuda_stream"):
        return lambda stream: int(stream.cuda_stream)
    return _handle_of_its_own


def _checked_handle(handle: int) -> int:
    if 0 <= handle < 1 << 64:
        return handle
    raise FrontendError(f"the handle of a stream is an address, from 0 to 2**64 - 1; found {handle!r}")


def _handle_of_its_own(stream: Any) -> int:
    """The handle of an object whose class does not tell that it has one."""
    if hasattr(stream, "handle"):
        return int(stream.handle)
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if hasattr(stream, "cuda_stream"):
        return int(stream.cuda_stream)
    raise FrontendError(
        f"a stream is None, an integer handle or an object with `handle`, found {type(stream).__name__}"
    )
