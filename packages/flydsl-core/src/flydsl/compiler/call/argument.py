"""The contract of argument kinds: a type in the code (`ArgumentSpec`), and a value that is bound (`BoundArgument`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from flydsl.base.errors import UnsupportedTensorError
from flydsl.expr import numeric
from flydsl.expr.numeric import Numeric
from flydsl.frontend.signature import ArgSpec, Parameter
from flydsl.toolchain.slots import Slot, format_size

if TYPE_CHECKING:
    from flydsl.cache.guards import Guard
    from flydsl.compiler.call.stub import StubSource
    from flydsl.ir.interpret import Memory
    from flydsl.plugins.tensor_adaptor import DeviceRef, TensorAdaptor, TensorDesc

_BLOCK = 8
_C_TYPES = {
    **{"?": "_Bool", "b": "int8_t", "h": "int16_t", "i": "int32_t", "q": "int64_t", "Qq": "__int128"},
    **{"B": "uint8_t", "H": "uint16_t", "e": "uint16_t", "f": "float", "d": "double", "Q": "void *"},
}


class CParameter(NamedTuple):
    """A parameter of an exported C function, and where it goes in the packed arguments.

    A kind gives what follows the name of its argument, where it takes several; `text` is what the header says of it.
    """

    name: str
    ctype: str
    offset: int
    size: int
    text: str = ""


class ArgumentSpec(ArgSpec):
    """The type of an argument, which its code is made for."""

    __slots__ = ()

    def c_parameters(self, slots: Iterator[Slot]) -> Iterator[CParameter]:
        """How exported C code takes the argument, as one slot by default; its slots are the next ones of `slots`."""
        slot = next(slots)
        yield CParameter("", c_type(slot), slot.offset, slot.size, self.text())


@dataclass(frozen=True, slots=True)
class ElementSpec(ArgumentSpec):
    """The type of an argument that is of a numeric type, or points to elements of one: `dtype` is its name."""

    dtype: str

    @property
    def element(self) -> type[Numeric]:
        """The numeric type."""
        return getattr(numeric, self.dtype)  # type: ignore[no-any-return]


class PlanPart(NamedTuple):
    """What an argument adds to a plan: `struct` codes, and values that the stub reads from each plan."""

    codes: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundArgument(ABC):
    """One argument of a call, bound to the parameter that takes it. Each kind is a subclass in a file of its own."""

    parameter: Parameter
    passed: Any
    """The value, or what the callable registered for its type makes of it."""
    convert: Callable[[Any], Any] | None
    """The callable registered for the type of the value."""
    spec: ArgumentSpec

    @classmethod
    @abstractmethod
    def takes(cls, parameter: Parameter, value: Any) -> bool:
        """Whether `value` is of this kind, for a parameter with this annotation."""

    @classmethod
    @abstractmethod
    def bind(cls, parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> Self:
        """`value` bound to `parameter`, for memory of these DLPack device kinds (none: of any)."""

    def aligned_to(self, alignment: int) -> Self:
        """The argument with the promise that its memory begins at a multiple of `alignment` bytes, if it does."""
        return self

    @abstractmethod
    def plan_part(self, slots: Iterator[Slot]) -> PlanPart:
        """How the argument is packed; its slots are the next ones of `slots`."""

    @abstractmethod
    def write_stub(self, stub: StubSource, index: int, name: str) -> None:
        """Write the part of a call stub that tells calls apart by the variable `name`, and packs it."""

    @abstractmethod
    def interpreted(self, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
        """The values that the interpreter takes for it; `memory` is its own, of `memories`, those of all arguments."""

    def native(self, is_written: bool) -> tuple[object, ...] | None:
        """How the native reader reads the argument, as `flydsl_reader.Site` takes it; None: not at all."""
        return None

    def native_note(self) -> Callable[[tuple[Any, ...]], object] | None:
        """What the native reader calls with the written arguments that have the same."""
        return None

    def native_guards(self) -> tuple[Guard, ...]:
        """What the native reader compares at each call, besides the argument."""
        return ()

    def native_streams(self, current_stream: Callable[..., int] | None) -> object | None:
        """What the native reader asks in place of `current_stream`, if the argument's framework has it."""
        return None

    def held_value(self) -> Any:
        """What an adaptor holds of its value during the call."""
        return None

    def check_launch(self) -> None:
        """Refuse what can be traced and compiled for, and not launched with."""
        return

    def find_stream(self, stub: StubSource, index: int, name: str) -> None:
        """Write where the stream of the launch comes from, when the argument says so."""
        return

    def device(self) -> DeviceRef | None:
        """Where the memory of the argument is, when it has any that an adaptor describes."""
        return None

    def is_live(self, device_kinds: frozenset[int]) -> bool | None:
        """Whether its memory is there for devices of these DLPack kinds (none: of any); False for a placeholder of the
        host, None when it has no memory.
        """
        return None

    def is_captured(self) -> bool:
        """Whether its framework is capturing launches where the argument is."""
        return False

    def extent(self) -> tuple[int, int] | None:
        """Where its memory begins from its address, and how many bytes it has, when an adaptor describes any."""
        return None

    def memory(self) -> Memory | None:
        """The memory of the argument as the interpreter accesses it."""
        return None

    def announce(self, function: str, stream_of: Callable[[TensorAdaptor, TensorDesc], int], is_written: bool) -> None:
        """Refuse what cannot be written, and tell its framework of the launch on the stream that `stream_of` gives."""
        return

    def note_written(self) -> None:
        """Tell its framework that the argument was written, on the default stream."""
        return


def next_codes(slots: Iterator[Slot], *, unsigned: bool = False) -> str:
    """The `struct` codes of the next slot, padded; those of unsigned numbers, which have letters of their own."""
    slot = next(slots)
    padding = -slot.size % _BLOCK
    return (slot.format.upper() if unsigned else slot.format) + (f"{padding}x" if padding else "")


def padded_size(sizes: Collection[int]) -> int:
    """The bytes that values of these sizes take in the packed arguments."""
    return sum(-(-size // _BLOCK) * _BLOCK for size in sizes)


def c_type(slot: Slot) -> str:
    """The C type of a slot of one value."""
    return "void *" if slot.kind in ("pointer", "stream") else _C_TYPES[slot.format]


def c_parts(labels: Sequence[str], slot: Slot) -> Iterator[CParameter]:
    """The C parameters of a slot of several values, with a label each."""
    offset = slot.offset
    for label, letter in zip(labels, slot.format, strict=True):
        yield CParameter(label, _C_TYPES[letter], offset, format_size(letter))
        offset += format_size(letter)


def check_alignment(what: str, address: int, align: int) -> None:
    """UnsupportedTensorError when `address` is not a multiple of `align` bytes."""
    if address % align:
        raise UnsupportedTensorError(
            f"the {what} is at {address:#x}, which is not a multiple of {align} bytes; copy the data"
        )
