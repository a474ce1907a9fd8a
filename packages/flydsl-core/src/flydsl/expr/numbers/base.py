"""The base classes of numeric types: scalars with operators, conversions and a memory format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, overload

from flydsl.base.errors import DynamicValueError, FrontendError
from flydsl.base.wording import with_article
from flydsl.expr.numbers import operators
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.fast_math import RoundingMode
from flydsl.expr.numbers.meta import NumericMeta, Truth
from flydsl.expr.numbers.operands import as_numeric
from flydsl.expr.numbers.registry import as_dtype, numeric_by_type
from flydsl.expr.numbers.rounding import rounded
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.memory.pointer import Pointer
    from flydsl.expr.numbers.operator_types import ScalarArithmetic
    from flydsl.expr.numbers.vector import Vector
    from flydsl.expr.values.operand_types import Number, NumericT, ScalarLike, VectorLike, VectorT
    from flydsl.expr.values.traced_types import ScalarOrVector
else:
    ScalarArithmetic = Arithmetic  # the operators, with static types

_STATIC, _DYNAMIC = Truth(1), Truth(0)


class Numeric(ScalarArithmetic, metaclass=NumericMeta):
    """A scalar of a fixed type: static when it holds a Python number, dynamic when it holds an SSA value.

    `Int32(x)` converts a Python number, another scalar, or wraps an SSA value of the right type.
    """

    __slots__ = ("value",)

    if TYPE_CHECKING:  # what the metaclass sets
        mlir_name: ClassVar[str]
        width: ClassVar[int]
        log_width: ClassVar[int]
        signed: ClassVar[bool | None]
        is_signed: ClassVar[bool]
        is_float: ClassVar[bool]

        # a field of a struct that is annotated with a numeric type accepts what the type converts
        def __get__(self, instance: object, owner: object = None) -> Self: ...
        def __set__(self, instance: object, value: ScalarLike) -> None: ...

    value: Any

    def __init__(self, value: ScalarLike | SSAValue = 0) -> None:
        self.value = operators.scalar_value(type(self), value)

    @classmethod
    def wrap(cls, value: Number | SSAValue) -> Self:
        """The scalar that wraps `value`, a Python number or an SSA value, already of this type."""
        scalar = object.__new__(cls)
        scalar.value = value
        return scalar

    @property
    def dtype(self) -> type[Numeric]:
        """The scalar's own type."""
        return type(self)

    @property
    def shape(self) -> None:
        """A scalar has no vector shape."""

    @property
    def extents(self) -> None:
        """A scalar is no vector."""
        return None

    @property
    def is_static(self) -> Truth:
        """Whether the value is known while tracing; may be called as well."""
        return _STATIC if isinstance(self.value, bool | int | float) else _DYNAMIC

    @classmethod
    def ir_type_of(cls) -> Attribute:
        """The MLIR type of this numeric type."""
        from flydsl.expr.numbers.mlir_types import scalar_type

        return scalar_type(cls.mlir_name)

    @property
    def ir_type(self) -> Attribute:
        """The MLIR type of the scalar."""
        return self.ir_type_of()

    def ir_value(self) -> SSAValue:
        """The SSA value; that of a static scalar is a constant."""
        return operators.materialize(self)  # type: ignore[no-any-return]

    @staticmethod
    def from_ir_type(ir_type: Attribute) -> type[Numeric]:
        """The numeric type of an MLIR type; integers are signed."""
        dtype = numeric_by_type().get(ir_type)
        if dtype is None:
            raise FrontendError(f"{ir_type} is not the type of a scalar; use one such as fx.Int32.ir_type")
        return dtype

    @staticmethod
    def from_python_value(value: bool | int | float) -> Numeric:
        """A Python number as a scalar: Boolean, Int32 (Int64 if it does not fit), or Float32."""
        if not isinstance(value, bool | int | float):
            raise FrontendError(f"from_python_value takes a bool, int or float, found {value!r}")
        return as_numeric(value)

    def to(self, dtype: type[NumericT], *, rounding_mode: RoundingMode | None = None) -> NumericT:
        """The value converted to `dtype`: integers as in C, floats rounded to nearest even or by `rounding_mode`."""
        if rounding_mode is not None:
            return rounded(self, dtype, rounding_mode)  # type: ignore[no-any-return]
        dtype = as_dtype(dtype)  # type: ignore[assignment]
        return self if dtype is type(self) else dtype(self)

    @overload
    def bitcast(self, dtype: type[NumericT]) -> NumericT: ...
    @overload
    def bitcast(self, dtype: type[VectorT]) -> VectorT: ...
    @overload
    def bitcast(self, dtype: Attribute) -> ScalarOrVector: ...
    def bitcast(self, dtype: type[Numeric] | type[Vector] | Attribute) -> Numeric | Vector:
        """The same bits as a `dtype`, a numeric or vector type; raises FrontendError for another width."""
        dtype = numeric_by_type().get(dtype, dtype)  # type: ignore[arg-type]
        if not (isinstance(dtype, type) and issubclass(dtype, Numeric)):
            emitter = current()
            vector = emitter.value("vector.from_elements", [self.ir_value()], emitter.type(type(self), [1]))
            return emitter.box(vector).bitcast(dtype)
        if dtype.width != self.width:
            raise FrontendError(
                f"cannot bitcast {type(self).__name__} of {self.width} bits to {dtype.__name__} of {dtype.width} bits; "
                "the widths must be equal"
            )
        return dtype.wrap(operators.bitcast(self, dtype))

    def select(self, true_value: VectorLike, false_value: VectorLike) -> ScalarOrVector:
        """`true_value` if this Boolean is true, else `false_value`, without a branch."""
        return operators.select(self, true_value, false_value)

    @classmethod
    def __dsl_size_of__(cls) -> int:
        return max(1, -(-cls.width // 8))

    @classmethod
    def __dsl_align_of__(cls) -> int:
        return cls.__dsl_size_of__()

    @classmethod
    def __peek_from_ptr__(cls, ptr: Pointer) -> Self:
        return ptr.load(cls)

    @classmethod
    def __poke_into_ptr__(cls, ptr: Pointer, value: ScalarLike) -> None:
        ptr._recast(cls).store(value)

    def __bool__(self) -> bool:
        hint = "branch with an if statement, combine with `&`, `|` and .select(), or call fx.max and fx.min"
        try:
            return bool(self._static("a Python condition", hint))
        except FrontendError as error:
            error.is_condition = True
            raise

    def __int__(self) -> int:
        return int(self._static("int()", "keep it as it is, or convert with fx.Int32(...)"))

    def __float__(self) -> float:
        hint = "keep it as it is, convert with fx.Float32(...), or call fx.sqrt and the like instead of math.sqrt"
        return float(self._static("float()", hint))

    def __index__(self) -> int:
        if self.is_float:
            raise FrontendError(f"{with_article(type(self).__name__)} cannot be an index")
        hint = "count with fx.range_constexpr, or put the items in a tensor"
        return int(self._static("an index of Python code", hint))

    def __hash__(self) -> int:
        """The hash of a static scalar is that of the equal Python number."""
        return hash(self._static("a key of a dict or set", "choose with if and elif, or put the items in a tensor"))

    def _static(self, use: str, hint: str) -> bool | int | float:
        if not isinstance(self.value, bool | int | float):
            raise DynamicValueError(
                f"{use} needs a value known while tracing, found a dynamic {type(self).__name__}; {hint}"
            )
        return self.value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.value if self.is_static else '?'})"

    def __extract_to_ir_values__(self) -> list[SSAValue]:
        return [self.ir_value()]

    @classmethod
    def __construct_from_ir_values__(cls, values: list[SSAValue]) -> Self:
        return cls.wrap(values[0])

    type = ir_type  # as SSA values have it; the last name, as it hides the builtin one from annotations


class Integer(Numeric, width=32, signed=True):
    """Base of the integer types."""

    __slots__ = ()

    def __init__(self, x: ScalarLike | SSAValue = 0) -> None:
        super().__init__(x)


class Float(Numeric, width=32):
    """Base of the floating-point types."""

    __slots__ = ()

    def __init__(self, x: ScalarLike | SSAValue = 0) -> None:
        super().__init__(x)
