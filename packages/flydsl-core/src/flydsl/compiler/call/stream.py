"""Stream arguments: a runtime's handle, an object that has one, or None for the default stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from flydsl.compiler.call.argument import ArgumentSpec, BoundArgument, PlanPart, next_codes
from flydsl.expr.threads.stream import Stream, handle_reader

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.compiler.call.stub import StubSource
    from flydsl.frontend.signature import Parameter
    from flydsl.ir.interpret import Memory
    from flydsl.toolchain.slots import Slot


@dataclass(frozen=True, slots=True)
class StreamSpec(ArgumentSpec):
    """A stream passed at run time."""

    def text(self) -> str:
        return "stream"

    def ir_types(self) -> list[Attribute]:
        from xdsl.dialects.gpu import AsyncTokenType

        return [AsyncTokenType()]

    def traced_value(self, values: Sequence[SSAValue]) -> Stream:
        return Stream(None, values[0])


class BoundStream(BoundArgument):
    """A stream of a call, on which its kernels are launched."""

    __slots__ = ()

    @classmethod
    def takes(cls, parameter: Parameter, value: Any) -> bool:
        return parameter.kind == "stream" or (parameter.kind == "any" and isinstance(value, Stream))

    @classmethod
    def bind(cls, parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> Self:
        stream_handle(value)
        return cls(parameter, value, None, StreamSpec())

    def plan_part(self, slots: Iterator[Slot]) -> PlanPart:
        return PlanPart(next_codes(slots))

    def find_stream(self, stub: StubSource, index: int, name: str) -> None:
        if self._is_read(stub):
            cls, known = type(self.passed), f"type({name}) is stream_class{index}"
            stub.names |= {f"stream_class{index}": cls, f"handle{index}": handle_reader(cls)}
            stub.names["stream_handle"] = stream_handle  # prepared calls take streams of any class
            stub.reads.append(f"s{index} = handle{index}({name}) if {known} else stream_handle({name})")
            stub.streams.append(f"s{index}")

    def write_stub(self, stub: StubSource, index: int, name: str) -> None:
        stub.packed.append(f"s{index}" if self._is_read(stub) else "0")

    def _is_read(self, stub: StubSource) -> bool:
        """Whether calls may pass a stream: None is one of its own types, but prepared calls take streams of any."""
        return self.passed is not None or not stub.has_types

    def native(self, is_written: bool) -> tuple[object, ...] | None:
        cls = type(self.passed)
        return ("no stream", cls) if self.passed is None else ("stream", cls, handle_reader(cls))

    def interpreted(self, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
        return [None]


def is_no_stream(value: object) -> bool:
    """Whether it is `fx.Stream(None)`."""
    return type(value) is Stream and value.source is None


def stream_handle(stream: Any) -> int:
    """The runtime's handle of a stream argument: None, an integer, or an object that has one."""
    return handle_reader(type(stream))(stream)
