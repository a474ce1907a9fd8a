"""The emitter: xDSL operations at the insertion point of a trace; loaded by the first trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from math import copysign
from typing import TYPE_CHECKING, Any, TypeAlias

from xdsl.dialects import arith, builtin, gpu, vector
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from flydsl.base.errors import FrontendError
from flydsl.base.location import user_location
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numbers.mlir_types import scalar_type
from flydsl.expr.values.wrap import box, payload_type
from flydsl.ir.build import Builder
from flydsl.ir.context import create_context
from flydsl.ir.effects import device_only
from flydsl.ir.fly import MemrefLoadOp
from flydsl.ir.fly import types as fly
from flydsl.ir.fly.attributes import REGISTER, GemmTraversalOrder, GemmTraversalOrderAttr, MmaOperand, MmaOperandAttr
from flydsl.ir.fly.infer import infer

if TYPE_CHECKING:
    from enum import IntEnum

    from flydsl.base.launch_limits import LaunchLimits
    from flydsl.expr.layouts.layout import LayoutValue
    from flydsl.expr.layouts.value import StructuredValue
    from flydsl.expr.numeric import Numeric
    from flydsl.expr.values.traced_types import Structure

NumericType: TypeAlias = "type[Numeric]"


@dataclass(frozen=True, slots=True)
class TargetInfo:
    """The properties of the target that a trace may depend on."""

    backend: str
    arch: str
    warp_size: int
    max_cluster: int = 1
    launch_modes: frozenset[str] = frozenset()
    limits: LaunchLimits | None = None


class Emitter:
    """The builder of one function's IR, with its insertion point, target and source locations."""

    def __init__(self, block: Block, target: TargetInfo, kind: str, session: Any) -> None:
        self.builder = Builder(block)
        self.entry = block
        self.target = target
        self.kind = kind  # "kernel" or "host"
        self.session = session  # the module under construction, see frontend.trace
        self.block_size: tuple[int, ...] | None = None  # threads along x, y, z, if they are static
        self.fast_math = 0  # the fast-math flags of float operations, as a bit mask
        self.dynamic_shared_bytes: int | None = None  # the least that a kernel needs; None if it uses none

    def type(self, dtype: NumericType, shape: Sequence[int] | None = None) -> Attribute:
        """The MLIR type of a scalar, or of a vector of `shape`."""
        return scalar_type(dtype.mlir_name) if shape is None else _vector_type(dtype.mlir_name, tuple(shape))

    @staticmethod
    def integer(value: int, width: int = 32) -> Attribute:
        """An integer attribute."""
        return _integer(value, width)

    @staticmethod
    def unit() -> Attribute:
        """A unit attribute, which is present or absent."""
        return builtin.UnitAttr()

    @staticmethod
    def integers(values: Sequence[int], width: int = 64) -> Attribute:
        """A dense array attribute."""
        return _integers(tuple(values), width)

    def require_kernel(self, what: str) -> None:
        """Raise FrontendError in host code for `what`, which only the threads of a kernel can execute."""
        if self.kind == "host":
            raise FrontendError(
                f"{what} exists only inside a kernel, and this is host code; "
                "do it in a function decorated with @flyc.kernel"
            )

    def op(
        self,
        name: str,
        operands: Sequence[SSAValue] = (),
        results: Sequence[Attribute] = (),
        *,
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Operation:
        """Insert the op `name` without checks; the verifier runs in tests and for debugging."""
        op_class, defaults = _op_class(name)
        if self.kind == "host" and (what := device_only(op_class)) and not _reads_coordinates(op_class, operands):
            self.require_kernel(what)
        if self.fast_math and ("fastmath" in defaults or name == "arith.remf"):  # xDSL defines no remf
            defaults = {**defaults, "fastmath": _fast_math(self.fast_math)}
        self.builder.location = user_location()
        properties = {**defaults, **properties} if properties else defaults
        return self.builder.create(op_class, operands, results, attributes, regions, properties)

    def value(self, name: str, operands: Sequence[SSAValue], result: Attribute, **extra: Any) -> SSAValue:
        """Insert an op with one result and return it."""
        return self.op(name, operands, [result], **extra).results[0]

    def fly(
        self, name: str, operands: Sequence[SSAValue], attributes: Mapping[str, Attribute] | None = None
    ) -> SSAValue:
        """Insert `fly.<name>` with the result type inferred from its operands."""
        attributes = attributes or {}
        result = infer(f"fly.{name}", [operand.type for operand in operands], attributes)
        return self.value(f"fly.{name}", operands, result, attributes=attributes)

    def fly_call(
        self,
        name: str,
        operands: Sequence[StructuredValue],
        attributes: Mapping[str, object],
        dtype: NumericType | None = None,
    ) -> Structure:
        """`fly.<name>` on values of the language; elements keep the type of the first tensor, or get `dtype`."""
        encoded = {key: self.attribute(value) for key, value in attributes.items()}
        result = self.fly(name, [operand.ir_value() for operand in operands], encoded)
        element = dtype or next((d for d in (getattr(x, "_dtype", None) for x in operands) if d), None)
        return box(result, element)  # type: ignore[no-any-return]

    def box(self, value: SSAValue) -> Any:
        """The value of the language that wraps an SSA value."""
        return box(value)

    def use_dynamic_shared(self, size: int) -> None:
        """Record that the kernel uses at least `size` bytes of dynamic shared memory."""
        self.dynamic_shared_bytes = max(size, self.dynamic_shared_bytes or 0)

    @staticmethod
    def dictionary(values: Mapping[str, int | Attribute]) -> Attribute:
        """A dictionary attribute; its integers have 64 bits."""
        return builtin.DictionaryAttr(
            {key: builtin.IntegerAttr(v, 64) if isinstance(v, int) else v for key, v in values.items()}
        )

    @staticmethod
    def texts(values: Mapping[str, str]) -> Attribute:
        """A dictionary attribute of strings."""
        return builtin.DictionaryAttr({key: builtin.StringAttr(value) for key, value in values.items()})

    def attribute(self, value: object) -> Attribute:
        """A Python value as an attribute: an int is i32, a list of ints a dense i32 array, a str a string."""
        if isinstance(value, Attribute):
            return value
        if isinstance(value, bool):
            return builtin.IntegerAttr(int(value), 1)
        if isinstance(value, int):
            return builtin.IntegerAttr(value, 32)
        if isinstance(value, str):
            return builtin.StringAttr(value)
        return builtin.DenseArrayBase.from_list(builtin.i32, list(value))  # type: ignore[call-overload]

    def fly_type(self, payload: object) -> Attribute:
        """The fly type of an algebra object."""
        return payload_type(payload)

    def make_atom(self, type_: Attribute) -> SSAValue:
        """The value of a copy or MMA atom, or of a tiled one."""
        if isinstance(type_, fly.CopyAtomType):
            return self.value("fly.make_copy_atom", [], type_, attributes={"valBits": self.integer(type_.val_bits)})
        if isinstance(type_, fly.MmaAtomType):
            return self.value("fly.make_mma_atom", [], type_)
        return self.static(type_)

    def register_tensor(self, layout: LayoutValue, dtype: NumericType) -> Tensor:
        """An uninitialised register tensor."""
        type_ = fly.MemRefType(scalar_type(dtype.mlir_name), REGISTER, layout.payload)
        return Tensor(type_, self.value("fly.memref.alloca", [layout.ir_value()], type_), dtype)

    @staticmethod
    def combining_kind(kind: str) -> Attribute:
        """How vector.reduction combines elements."""
        return vector.CombiningKindAttr(vector.CombiningKindFlag(kind))

    @staticmethod
    def dimension(axis: str) -> Attribute:
        """An axis of the grid or block."""
        return gpu.DimensionAttr(gpu.DimensionEnum(axis))

    @staticmethod
    def mma_operand(name: str) -> Attribute:
        """An operand of an MMA: a, b, c or d."""
        return MmaOperandAttr(MmaOperand(name))

    @staticmethod
    def traversal_order(order: IntEnum | str) -> Attribute:
        """An order in which gemm visits (M, N, K)."""
        return GemmTraversalOrderAttr(GemmTraversalOrder((order if isinstance(order, str) else order.name).lower()))

    def static(self, type_: Attribute) -> SSAValue:
        """The value of a fully static fly type."""
        return self.value("fly.static", [], type_)

    def constant(self, dtype: NumericType, value: bool | int | float, shape: Sequence[int] | None = None) -> SSAValue:
        """A constant scalar, or a vector with every element equal to it."""
        if shape is not None and dtype.width > 64:  # which dense elements cannot have
            return self.value("vector.broadcast", [self.constant(dtype, value)], self.type(dtype, shape))
        number = float(value) if dtype.is_float else _signless(int(value), dtype.width)
        is_negative = dtype.is_float and copysign(1.0, number) < 0
        type_, constant = _constant(dtype.mlir_name, number, is_negative, None if shape is None else tuple(shape))
        return self.value("arith.constant", [], type_, properties={"value": constant})

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        """Insert into `block` within the with statement."""
        self.builder.push(block)
        try:
            yield
        finally:
            self.builder.pop()


@cache
def _op_class(name: str) -> tuple[type[Operation], Mapping[str, Attribute]]:
    op_class = create_context().get_op(name)
    definition = getattr(op_class, "get_irdl_definition", None)
    properties = definition().properties if definition is not None else {}
    return op_class, {key: prop.default_value for key, prop in properties.items() if prop.default_value is not None}


@lru_cache(maxsize=1024)
def _vector_type(element: str, shape: tuple[int, ...]) -> Attribute:
    return builtin.VectorType(scalar_type(element), shape)


@lru_cache(maxsize=4096)
def _constant(
    element: str, number: int | float, is_negative: bool, shape: tuple[int, ...] | None
) -> tuple[Attribute, Attribute]:
    """The type and the value of a constant; `is_negative` tells the floats 0.0 and -0.0 apart, which are equal."""
    scalar: Any = scalar_type(element)
    if shape is None:
        made: Any = builtin.FloatAttr if isinstance(number, float) else builtin.IntegerAttr
        return scalar, made(number, scalar)
    type_: Any = _vector_type(element, shape)
    return type_, builtin.DenseIntOrFPElementsAttr.from_list(type_, [number])


@lru_cache(maxsize=4096)
def _integer(value: int, width: int) -> Attribute:
    return builtin.IntegerAttr(value, width)


@lru_cache(maxsize=4096)
def _integers(values: tuple[int, ...], width: int) -> Attribute:
    return builtin.DenseArrayBase.from_list(builtin.IntegerType(width), list(values))


@cache
def _fast_math(flags: int) -> Attribute:
    return arith.FastMathFlagsAttr([flag for bit, flag in enumerate(FastMathFlag) if flags >> bit & 1])


def _reads_coordinates(op_class: type[Operation], operands: Sequence[SSAValue]) -> bool:
    """Whether the op reads a coordinate tensor, which is arithmetic and allowed in host code too."""
    return op_class is MemrefLoadOp and isinstance(operands[0].type, fly.CoordTensorType)


def _signless(value: int, width: int) -> int:
    """`value` as a signless constant of MLIR: in the signed range of its width, i1 as 0 or 1."""
    if width == 1:
        return value & 1
    wrapped = value & ((1 << width) - 1)
    return wrapped - (1 << width) if wrapped >> (width - 1) else wrapped
