"""Python's operators on scalars and vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Self

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.named_methods import NamedMethods
from flydsl.expr.numbers.numpy_functions import OPERATORS, refusal
from flydsl.expr.numbers.operands import Operand
from flydsl.expr.numbers.operators import absolute, binary, compare, invert, negate
from flydsl.expr.numbers.powers import power

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import VectorLike
    from flydsl.expr.values.traced_types import ScalarOrVector


class Arithmetic(NamedMethods):
    """Base of scalars and vectors: Python's operators."""

    __slots__ = ()

    def __add__(self, other: VectorLike) -> ScalarOrVector:
        return binary("add", self, other)

    def __radd__(self, other: VectorLike) -> ScalarOrVector:
        return binary("add", other, self)

    def __sub__(self, other: VectorLike) -> ScalarOrVector:
        return binary("sub", self, other)

    def __rsub__(self, other: VectorLike) -> ScalarOrVector:
        return binary("sub", other, self)

    def __mul__(self, other: VectorLike) -> ScalarOrVector:
        return binary("mul", self, other)

    def __rmul__(self, other: VectorLike) -> ScalarOrVector:
        return binary("mul", other, self)

    def __truediv__(self, other: VectorLike) -> ScalarOrVector:
        return binary("truediv", self, other)

    def __rtruediv__(self, other: VectorLike) -> ScalarOrVector:
        return binary("truediv", other, self)

    def __floordiv__(self, other: VectorLike) -> ScalarOrVector:
        return binary("floordiv", self, other)

    def __rfloordiv__(self, other: VectorLike) -> ScalarOrVector:
        return binary("floordiv", other, self)

    def __mod__(self, other: VectorLike) -> ScalarOrVector:
        return binary("mod", self, other)

    def __rmod__(self, other: VectorLike) -> ScalarOrVector:
        return binary("mod", other, self)

    def __divmod__(self, other: VectorLike) -> tuple[ScalarOrVector, ScalarOrVector]:
        return binary("floordiv", self, other), binary("mod", self, other)

    def __rdivmod__(self, other: VectorLike) -> tuple[ScalarOrVector, ScalarOrVector]:
        return binary("floordiv", other, self), binary("mod", other, self)

    def __pow__(self, other: VectorLike, modulus: None = None) -> ScalarOrVector:
        if modulus is not None:
            raise FrontendError("pow(x, y, z) of values of a kernel has no modulus; write x ** y % z")
        return power(self, other)

    def __rpow__(self, other: VectorLike) -> ScalarOrVector:
        return power(other, self)

    def __and__(self, other: VectorLike) -> ScalarOrVector:
        return binary("and", self, other)

    def __rand__(self, other: VectorLike) -> ScalarOrVector:
        return binary("and", other, self)

    def __or__(self, other: VectorLike) -> ScalarOrVector:
        return binary("or", self, other)

    def __ror__(self, other: VectorLike) -> ScalarOrVector:
        return binary("or", other, self)

    def __xor__(self, other: VectorLike) -> ScalarOrVector:
        return binary("xor", self, other)

    def __rxor__(self, other: VectorLike) -> ScalarOrVector:
        return binary("xor", other, self)

    def __lshift__(self, other: VectorLike) -> ScalarOrVector:
        return binary("lshift", self, other)

    def __rlshift__(self, other: VectorLike) -> ScalarOrVector:
        return binary("lshift", other, self)

    def __rshift__(self, other: VectorLike) -> ScalarOrVector:
        return binary("rshift", self, other)

    def __rrshift__(self, other: VectorLike) -> ScalarOrVector:
        return binary("rshift", other, self)

    def __neg__(self) -> Any:
        return negate(self)

    def __pos__(self) -> Self:
        return self

    def __invert__(self) -> ScalarOrVector:
        return invert(self)

    def __abs__(self) -> ScalarOrVector:
        return absolute(self)

    def __eq__(self, other: object) -> ScalarOrVector:  # type: ignore[override]
        return compare("eq", self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> ScalarOrVector:  # type: ignore[override]
        return compare("ne", self, other)  # type: ignore[arg-type]

    def __lt__(self, other: VectorLike) -> ScalarOrVector:
        return compare("lt", self, other)

    def __le__(self, other: VectorLike) -> ScalarOrVector:
        return compare("le", self, other)

    def __gt__(self, other: VectorLike) -> ScalarOrVector:
        return compare("gt", self, other)

    def __ge__(self, other: VectorLike) -> ScalarOrVector:
        return compare("ge", self, other)

    def __hash__(self) -> int:
        return id(self)

    def __array_ufunc__(self, ufunc: object, method: str, *inputs: Any, **_: object) -> Any:
        """NumPy's scalars take part in operators as Python numbers; its functions run on the host."""
        operation = OPERATORS.get(name := getattr(ufunc, "__name__", ""))
        if operation is not None and method == "__call__" and all(map(_is_number_like, inputs)):
            return operation(*(x if isinstance(x, Operand) else x.item() for x in inputs))
        raise FrontendError(refusal(name, inputs))

    def __array__(self, *_: object, **__: object) -> NoReturn:
        raise FrontendError(f"NumPy computes in Python, and {self!r} is a value of a kernel; pass arrays as arguments")


def _is_number_like(value: object) -> bool:
    return isinstance(value, Operand) or (hasattr(value, "item") and getattr(value, "shape", None) == ())
