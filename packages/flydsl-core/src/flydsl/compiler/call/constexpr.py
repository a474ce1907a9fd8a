"""Compile-time arguments: values that are part of the code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from flydsl.base.errors import ArgumentError
from flydsl.cache.guards import Guard, split
from flydsl.compiler.call.argument import ArgumentSpec, BoundArgument, CParameter, PlanPart

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.compiler.call.stub import StubSource
    from flydsl.frontend.signature import Parameter
    from flydsl.ir.interpret import Memory
    from flydsl.toolchain.slots import Slot

_EXACT = (bool, int, str, bytes, type(None))


@dataclass(frozen=True, slots=True, eq=False)
class ConstexprSpec(ArgumentSpec):
    """A value that is part of the code; `encoding` stands for it in the key."""

    value: Any
    encoding: str

    def text(self) -> str:
        return f"constexpr<{self.encoding}>"

    def ir_types(self) -> list[Attribute]:
        return []

    def traced_value(self, values: Sequence[SSAValue]) -> Any:
        return self.value

    def c_parameters(self, slots: Iterator[Slot]) -> Iterator[CParameter]:
        return iter(())


class BoundConstexpr(BoundArgument):
    """A compile-time value of a call: annotated as one, or of a type that is nothing else."""

    __slots__ = ()

    @classmethod
    def takes(cls, parameter: Parameter, value: Any) -> bool:
        if parameter.kind == "any":
            return value is None or isinstance(value, str | type)
        return parameter.kind == "constexpr"

    @classmethod
    def bind(cls, parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> Self:
        from flydsl.cache.dependencies import encode_value  # the analysis of sources waits for the first call
        from flydsl.frontend.signature import wrong_constexpr

        if wrong := wrong_constexpr(parameter, value):
            raise ArgumentError(wrong)
        return cls(parameter, value, None, ConstexprSpec(value, encode_value(value)))

    def plan_part(self, slots: Iterator[Slot]) -> PlanPart:
        return PlanPart("")

    def write_stub(self, stub: StubSource, index: int, name: str) -> None:
        """Values are told apart by `==` only where that is exact: not in 0.0 and -0.0, or (1,) and (True,)."""
        value = self.passed
        if type(value) in _EXACT:
            stub.keys.append(name)
        else:
            from flydsl.cache.argument_keys import argument_key

            stub.names["argument_key"] = argument_key
            stub.keys.append(f"argument_key({name})")

    def native(self, is_written: bool) -> tuple[object, ...] | None:
        """Values are told apart by what the reader reads of them, if that is enough, with the records that it knows."""
        from flydsl.cache.argument_keys import Record, is_readable

        records: dict[type, Record] = {}
        return ("constant", type(self.passed), records) if is_readable(self.passed, records, []) else None

    def native_guards(self) -> tuple[Guard, ...]:
        """What the value rests on, of which the native site watches the rest of what is not compared by identity."""
        from flydsl.cache.argument_keys import is_readable

        guards: list[Guard] = []
        is_readable(self.passed, {}, guards)
        return split(guards)[0]

    def interpreted(self, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
        return []
