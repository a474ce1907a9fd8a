"""The metaclass of numeric types: width, signedness, MLIR and NumPy counterparts from class keywords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.errors import AbstractTypeError
from flydsl.expr.numbers.dtype_names import extended_dtype, is_dtype

if TYPE_CHECKING:
    from xdsl.ir import Attribute


class NumericMeta(type):
    """The class of numeric types: `class Int32(Integer, width=32, ir_type="i32", signed=True, np_dtype="int32")`.

    The properties of a type (`fx.Int32.width`, `.ir_type`, `.is_float`, `.numpy_dtype`, `.zero`) are attributes of the
    class; abstract types have no `ir_type`.
    """

    mlir_name: str
    width: int
    _is_float: bool
    _np_dtype: str | None
    _zero: int | float

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        attrs: dict[str, object],
        width: int = 8,
        np_dtype: str | None = None,
        ir_type: str | None = None,
        signed: bool | None = None,
        zero: int | float | None = None,
        **kwargs: object,
    ) -> NumericMeta:
        """A numeric type; `ir_type` is its MLIR spelling, `signed` is None for floats."""
        is_float = signed is None and width > 1
        attrs |= {
            "mlir_name": ir_type or "",
            "width": width,
            "log_width": (width - 1).bit_length(),
            "signed": signed,
            # one bit has no sign to extend: a Boolean counts as 0 or 1
            "is_signed": signed is not False and width > 1,
            "is_float": is_float,
            "_is_float": is_float,
            "_np_dtype": np_dtype,
            "_zero": zero if zero is not None else 0.0 if is_float else 0,
        }
        return super().__new__(mcs, name, bases, attrs, **kwargs)

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, object], **kwargs: object) -> None:
        super().__init__(name, bases, attrs)

    @property
    def ir_type(cls) -> Attribute:
        """The MLIR type."""
        if not cls.mlir_name:
            raise AbstractTypeError(f"{cls.__name__} is abstract and has no MLIR type; use fx.Int32 or the like")
        from flydsl.expr.numbers.mlir_types import scalar_type

        return scalar_type(cls.mlir_name)

    @property
    def is_float(cls) -> bool:
        """Whether the type is a floating-point type."""
        return cls._is_float

    @property
    def is_integer(cls) -> bool:
        """Whether the type is an integer type; Boolean and Index are."""
        return not cls._is_float

    @property
    def numpy_dtype(cls) -> Any:
        """NumPy's dtype of the elements, None where NumPy has none."""
        if cls._np_dtype is None:
            return None
        import numpy

        return numpy.dtype(cls._np_dtype)

    @property
    def dtype(cls) -> Any:
        """NumPy's dtype of the elements, as NumPy asks classes for it: `np.zeros(4, fx.Float32)`."""
        dtype = cls.numpy_dtype
        return extended_dtype(cls) if dtype is None else dtype

    def __eq__(cls, other: object) -> Any:
        """Whether it is that type; also of NumPy, torch, or by name, as in `x.dtype == np.float32`."""
        if cls is other or isinstance(other, NumericMeta):
            return cls is other
        return is_dtype(cls, other)

    __hash__ = type.__hash__

    @property
    def zero(cls) -> int | float:
        """The zero of the type, as a Python number."""
        return cls._zero


class Truth(int):
    """A truth value that may also be called: `x.is_static` and `x.is_static()` are the same."""

    __slots__ = ()

    def __call__(self) -> bool:
        return bool(self)

    def __repr__(self) -> str:
        return repr(bool(self))
