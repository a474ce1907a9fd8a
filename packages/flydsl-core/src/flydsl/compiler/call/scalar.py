"""Scalar arguments: numbers of Python or of an array library, checked against the range of their type."""

from __future__ import annotations

import operator
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from flydsl.adaptors.abstract import AbstractNumber
from flydsl.base.errors import ArgumentError
from flydsl.base.wording import with_article
from flydsl.compiler.call.argument import BoundArgument, CParameter, ElementSpec, PlanPart, c_type, next_codes
from flydsl.expr.numbers.folding import bfloat16_bits
from flydsl.expr.numbers.promotion import python_number, python_type
from flydsl.expr.numeric import BFloat16, Numeric

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.compiler.call.stub import StubSource
    from flydsl.frontend.signature import Parameter
    from flydsl.ir.interpret import Memory
    from flydsl.toolchain.slots import Slot

INT32 = range(-(1 << 31), 1 << 31)
# MLIR name of a float -> `struct` code that checks its range, and its largest finite value
_FLOATS = {
    "f16": ("<e", 65504.0),
    "bf16": ("<f", 3.3895313892515355e38),
    "f32": ("<f", 3.4028234663852886e38),
    "f64": ("<d", 1.7976931348623157e308),
}
# as the native reader packs them; not those whose bits Python works out
_LETTERS = {"i1": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d"}
_SLOT_LETTERS = {**_LETTERS, "index": "q", "f16": "e", "bf16": "H"}
_INTEGERS = frozenset({"i1", "i8", "i16", "i32", "i64", "i128", "index"})


@dataclass(frozen=True, slots=True)
class ScalarSpec(ElementSpec):
    """A number passed at run time."""

    def text(self) -> str:
        return self.dtype

    @property
    def is_unsigned(self) -> bool:
        """Whether its slot has the letter of an unsigned integer, so that its range is checked."""
        return not self.element.is_signed and self.element.width > 1

    def ir_types(self) -> list[Attribute]:
        from flydsl.expr.numbers.mlir_types import scalar_type

        return [scalar_type(self.element.mlir_name)]

    def traced_value(self, values: Sequence[SSAValue]) -> Numeric:
        return self.element.wrap(values[0])

    def c_parameters(self, slots: Iterator[Slot]) -> Iterator[CParameter]:
        slot = next(slots)
        unsigned = "unsigned " if self.element.width == 128 else "u"
        prefix = unsigned if slot.format in ("b", "h", "i", "q", "Qq") and not self.element.is_signed else ""
        text = f"the bits of a {slot.type}" if slot.format in ("e", "H") else self.text()
        yield CParameter("", prefix + c_type(slot), slot.offset, slot.size, text)


class BoundScalar(BoundArgument):
    """A number of a call."""

    __slots__ = ()

    spec: ScalarSpec

    @classmethod
    def takes(cls, parameter: Parameter, value: Any) -> bool:
        return parameter.kind == "scalar" or (parameter.kind == "any" and is_number(value))

    @classmethod
    def bind(cls, parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> Self:
        if isinstance(value, AbstractNumber):
            value_of_type = 0 if parameter.scalar is not None else value  # which is no number, and is refused as such
            return cls(parameter, value, None, scalar_spec(parameter.scalar, value_of_type))
        return cls(parameter, value, None, scalar_spec(parameter.scalar, value))

    def check_launch(self) -> None:
        if isinstance(self.passed, AbstractNumber):
            raise ArgumentError(
                f"argument {self.parameter.name!r} stands for a number that is known when the code runs: pass a number"
            )

    def plan_part(self, slots: Iterator[Slot]) -> PlanPart:
        return PlanPart(next_codes(slots, unsigned=self.spec.is_unsigned))

    def write_stub(self, stub: StubSource, index: int, name: str) -> None:
        dtype, is_ours = self.spec.element, isinstance(self.passed, Numeric)
        is_abstract = isinstance(self.passed, AbstractNumber)  # of which nothing is asked: no launch takes it
        name = f"{name}.value" if is_ours else name
        if self.parameter.scalar is None and not dtype.is_float and dtype.width > 1 and not is_ours:
            stub.keys.append(f"-2147483648 <= {name} <= 2147483647")  # beyond it the number is an Int64
        if not (is_ours or is_abstract or dtype.is_float or hasattr(self.passed, "__index__")):
            name = f"{name}.item()"  # a bool of another library, which `struct` takes for no integer
        if dtype is BFloat16:
            stub.names["bfloat16_argument"] = bfloat16_argument
            name = f"bfloat16_argument({name})"
        if dtype.width == 128:  # two codes, the low half first
            stub.names["index"] = operator.index
            stub.packed.append(f"index({name}) & {(1 << 64) - 1}")
            name = f"index({name}) >> 64"
        stub.packed.append(name)

    def native(self, is_written: bool) -> tuple[object, ...] | None:
        dtype = self.spec.element
        if type(self.passed) not in (bool, int, float):
            return None
        if not dtype.is_float and dtype.width > 1 and self.parameter.scalar is None:
            return "number", "n"
        letter = _LETTERS.get(dtype.mlir_name)
        return None if letter is None else ("number", letter.upper() if self.spec.is_unsigned else letter)

    def interpreted(self, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
        from flydsl.ir.interpret import rounder

        number = getattr(self.passed, "value", self.passed)
        (kind,) = self.spec.ir_types()
        return [rounder(kind)(float(number) if self.spec.element.is_float else int(number))]


def scalar_spec(wanted: type[Numeric] | None, value: Any) -> ScalarSpec:
    """The spec of `value` for a parameter annotated with `wanted` (None: the type follows from the value)."""
    number = value.value if isinstance(value, Numeric) and value.is_static else python_number(value)
    if not isinstance(number, bool | int | float):
        kind = "a scalar parameter" if wanted is None else wanted.__name__
        raise ArgumentError(f"{kind} takes a number, found {type(value).__name__}")
    dtype = wanted or (type(value) if isinstance(value, Numeric) else python_type(number))
    if dtype.mlir_name not in _FLOATS and dtype.mlir_name not in _INTEGERS:
        raise ArgumentError(
            f"{with_article(dtype.__name__)} cannot be passed as a scalar; "
            "pass a fx.Float32 or fx.Int32, and convert it in the kernel"
        )
    scalar_bits(dtype, number)
    return ScalarSpec(dtype.__name__)


def is_number(value: Any) -> bool:
    """Whether `value` is passed as a scalar: a number of Python or of an array library."""
    if isinstance(value, bool | int | float | Numeric):
        return True
    return (
        getattr(value, "shape", None) == ()
        and hasattr(value, "item")
        and (hasattr(value, "__index__") or hasattr(value, "__float__"))
    )


def scalar_bits(dtype: type[Numeric], value: Any) -> Any:
    """`value` as `struct` packs it for a slot of type `dtype`; ArgumentError when it does not fit."""
    if dtype.is_float:
        return _float_bits(dtype, value)
    if isinstance(value, float):
        raise ArgumentError(f"{with_article(dtype.__name__)} takes an integer, found {value!r}; convert it with int()")
    if dtype.width == 1:
        return bool(value)
    number = int(value)
    low = -(1 << (dtype.width - 1)) if dtype.is_signed else 0
    if not low <= number < low + (1 << dtype.width):
        raise ArgumentError(
            f"{number} does not fit in {dtype.__name__}; pass a value from {low} to {low + (1 << dtype.width) - 1}"
        )
    return number - (1 << dtype.width) if number >> (dtype.width - 1) and number > 0 else number


def number_bytes(dtype: type[Numeric], value: Any) -> bytes:
    """`value` as a slot of type `dtype` holds it; ArgumentError when it does not fit."""
    bits = scalar_bits(dtype, value)
    if dtype.width == 128:
        return int(bits).to_bytes(16, "little", signed=True)
    return struct.pack("<" + _SLOT_LETTERS[dtype.mlir_name], bits)


def bfloat16_argument(value: Any) -> int:
    """The bits of a BFloat16 argument; OverflowError beyond its range, as `struct` has it for other floats."""
    struct.pack("<f", value)
    return bfloat16_bits(value)


def _float_bits(dtype: type[Numeric], value: Any) -> Any:
    code, largest = _FLOATS.get(dtype.mlir_name, _FLOATS["f32"])
    try:
        number = float(value)
        struct.pack(code, number)
    except OverflowError:
        raise ArgumentError(
            f"{value!r} does not fit in {dtype.__name__}; pass a value from -{largest!r} to {largest!r}, or infinity"
        ) from None
    return bfloat16_bits(number) if dtype is BFloat16 else number
