"""JIT arguments: objects that say themselves what traced code sees of them and what the launcher gets."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from flydsl.base.errors import ArgumentError, CompileError
from flydsl.base.wording import with_article
from flydsl.compiler.call.argument import ArgumentSpec, BoundArgument, CParameter, PlanPart, padded_size
from flydsl.compiler.call.registry import JitArgumentRegistry, is_jit_argument
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numeric import Numeric
from flydsl.expr.values.protocol import construct_from_ir_values

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.compiler.call.stub import StubSource
    from flydsl.frontend.signature import Parameter
    from flydsl.ir.interpret import Memory
    from flydsl.toolchain.slots import Slot


@dataclass(frozen=True, slots=True)
class JitArgumentSpec(ArgumentSpec):
    """An object that says itself what it is in the code (`__get_ir_types__`) and in the key (`__cache_signature__`).

    `dsl_type` is what the traced function sees; `signature` is the key's text of both.
    """

    signature: str
    dsl_type: type[Any] = field(compare=False)
    argument: Any = field(compare=False)

    def text(self) -> str:
        return f"object<{self.signature}>"

    def ir_types(self) -> list[Attribute]:
        return _ir_types(self.argument)

    def traced_value(self, values: Sequence[SSAValue]) -> Any:
        from flydsl.expr.values.wrap import box

        dsl_type = self.dsl_type
        if issubclass(dsl_type, Numeric | Tensor | Pointer):
            if len(values) != 1:
                raise ArgumentError(
                    f"{with_article(dsl_type.__name__)} is made of one IR value, and "
                    f"{type(self.argument).__name__} has {len(values)}"
                )
            return dsl_type.wrap(values[0]) if issubclass(dsl_type, Numeric) else box(values[0])
        like = self.argument if isinstance(self.argument, dsl_type) else None
        return construct_from_ir_values(dsl_type, like, values)

    def c_parameters(self, slots: Iterator[Slot]) -> Iterator[CParameter]:
        for part, size in enumerate(abi_sizes(self.argument)):
            yield CParameter(str(part), "const void *", next(slots).offset, size, self.text())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundJitArgument(BoundArgument):
    """An object of a call that packs itself; `sizes` are the bytes of the values that it passes."""

    sizes: tuple[int, ...]

    @classmethod
    def takes(cls, parameter: Parameter, value: Any) -> bool:
        return parameter.kind != "constexpr" and is_jit_argument(value)

    @classmethod
    def bind(cls, parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> Self:
        return cls.bind_as(parameter, value, JitArgumentRegistry.get_dsl_type(type(value)))

    @classmethod
    def bind_as(cls, parameter: Parameter, argument: Any, dsl_type: type[Any]) -> Self:
        """`argument`, of which traced code sees a `dsl_type`.

        The key holds everything that the code is made from: IR types, what is seen, and the argument's own signature.
        """
        from flydsl.cache.dependencies import encode_value  # the analysis of sources waits for the first call

        types, own = ", ".join(map(str, _ir_types(argument))), encode_value(argument.__cache_signature__())
        signature = f"{dsl_type.__module__}.{dsl_type.__qualname__}, [{types}], {own}"
        spec = JitArgumentSpec(signature, dsl_type, argument)
        return cls(parameter, argument, None, spec, abi_sizes(argument))

    def plan_part(self, slots: Iterator[Slot]) -> PlanPart:
        """One code for all values; CompileError when they are not what its IR types ask for."""
        sizes = tuple(slot.size for _, slot in zip(self.sizes, slots, strict=False))
        if sizes != self.sizes:
            raise CompileError(f"__c_abi_spec__ gives values of {self.sizes} bytes, and its IR types take {sizes}")
        return PlanPart(f"{padded_size(sizes)}s")

    def write_stub(self, stub: StubSource, index: int, name: str) -> None:
        stub.names["pack_abi"] = pack_abi
        stub.keys.append(f"{name}.__cache_signature__()")
        stub.packed.append(f"pack_abi({name})")

    def interpreted(self, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
        kinds = self.spec.ir_types()
        return [_interpreted(value, kind, memories) for value, kind in zip(abi_values(self.passed), kinds, strict=True)]


def _ir_types(argument: Any) -> list[Attribute]:
    from xdsl.ir import Attribute

    types = list(argument.__get_ir_types__())
    for kind in types:
        if not isinstance(kind, Attribute):
            raise ArgumentError(
                f"{type(argument).__name__}.__get_ir_types__ gives IR types such as fx.Int32.ir_type_of(), "
                f"found {kind!r}"
            )
    return types


def _interpreted(value: Any, kind: Attribute, memories: Sequence[Memory]) -> Any:
    """A value that an object passes, as the interpreter takes it."""
    from flydsl.compiler.call.host_memory import address_in
    from flydsl.ir.fly.types import MemRefType, PointerType
    from flydsl.ir.interpret import rounder

    if isinstance(kind, PointerType):
        return address_in(memories, value or 0, kind)
    if isinstance(kind, MemRefType) or not isinstance(value, bool | int | float):
        raise ArgumentError(f"the interpreter cannot take a {kind} from an object; pass numbers and pointers")
    return rounder(kind)(value)


def abi_sizes(argument: Any) -> tuple[int, ...]:
    """Bytes of each value that a JIT argument passes to the launcher."""
    return tuple(ctypes.sizeof(ctype) for ctype, _ in abi_spec(argument))


def abi_values(argument: Any) -> list[Any]:
    """The values that a JIT argument passes, as Python has them."""
    values = []
    for ctype, fill in abi_spec(argument):
        storage = ctype()
        fill(storage)
        values.append(getattr(storage, "value", storage))
    return values


def pack_abi(argument: Any) -> bytes:
    """The values that a JIT argument passes, each padded to 8 bytes."""
    packed = bytearray()
    for ctype, fill in abi_spec(argument):
        storage = ctype()
        fill(storage)
        packed += bytes(storage).ljust(padded_size([ctypes.sizeof(ctype)]), b"\0")
    return bytes(packed)


def abi_spec(argument: Any) -> Sequence[tuple[type[Any], Callable[[Any], None]]]:
    """What a JIT argument says of its values, checked."""
    spec = list(argument.__c_abi_spec__())
    for entry in spec:
        if not (isinstance(entry, tuple) and len(entry) == 2 and _is_ctype(entry[0]) and callable(entry[1])):
            raise ArgumentError(
                f"{type(argument).__name__}.__c_abi_spec__ gives (ctypes type, function that fills one) pairs, "
                f"found {entry!r}"
            )
    return spec


def _is_ctype(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData | ctypes.Structure | ctypes.Array)
