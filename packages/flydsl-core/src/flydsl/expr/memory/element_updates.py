"""Atomic operations on elements of tensors and arrays, from those on pointers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, cast, overload

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import as_int_tuple
from flydsl.expr.layouts.layout import has_free_mode
from flydsl.expr.layouts.modes import crd2idx
from flydsl.expr.memory.pointer import Pointer, get_iter
from flydsl.expr.memory.storage import Storage
from flydsl.expr.memory.tensor import Tensor

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import CoordLike, ScalarLike
    from flydsl.expr.values.traced_types import Scalar

    class Update(Protocol):
        """An atomic operation with one number: `(pointer, value)` or `(tensor, coordinate, value)`."""

        @overload
        def __call__(self, ptr: Pointer, value: ScalarLike, /, **options: Any) -> Scalar: ...
        @overload
        def __call__(self, ptr: Pointer, *, value: ScalarLike, **options: Any) -> Scalar: ...
        @overload
        def __call__(self, ptr: Tensor | Storage, coord: CoordLike, value: ScalarLike, /, **options: Any) -> Scalar: ...

    class Exchange(Protocol):
        """The same with two numbers, the expected and the new one."""

        @overload
        def __call__(self, ptr: Pointer, cmp: ScalarLike, val: ScalarLike, /, **options: Any) -> Scalar: ...
        @overload
        def __call__(self, ptr: Pointer, *, cmp: ScalarLike, val: ScalarLike, **options: Any) -> Scalar: ...
        @overload
        def __call__(
            self, ptr: Tensor | Storage, coord: CoordLike, cmp: ScalarLike, val: ScalarLike, /, **options: Any
        ) -> Scalar: ...


def update(function: Callable[..., Scalar]) -> Update:
    """`function(pointer, value)` that also takes a tensor or an array, and the coordinate of an element."""
    return cast("Update", _of_elements(function, 1))


def exchange(function: Callable[..., Scalar]) -> Exchange:
    """The same for `function(pointer, cmp, val)`."""
    return cast("Exchange", _of_elements(function, 2))


def _of_elements(function: Callable[..., Scalar], count: int) -> Callable[..., Scalar]:
    numbers = ", ".join(("value",) if count == 1 else ("cmp", "val"))

    @wraps(function)
    def called(ptr: Any, *operands: Any, **options: Any) -> Scalar:
        given = len(operands) + len({"value", "cmp", "val"} & options.keys())
        if isinstance(ptr, Tensor | Storage) and given == count + 1:
            return function(_element(function.__name__, ptr, operands[0]), *operands[1:], **options)
        if given != count:
            name = function.__name__
            raise FrontendError(
                f"fx.{name} takes (tensor, coordinate, {numbers}) or (pointer, {numbers}), found {ptr!r} with {given} "
                "more"
            )
        return function(ptr, *operands, **options)

    return called


def _element(name: str, memory: Tensor | Storage, coord: CoordLike) -> Pointer:
    """The pointer of an element, where the layout has it."""
    if has_free_mode(coord):
        raise FrontendError(f"fx.{name} updates one element, found the coordinate {coord!r} of several")
    if isinstance(coord, tuple) and len(coord) == 1 and (isinstance(memory, Storage) or memory.shape.is_leaf):
        coord = coord[0]
    if isinstance(memory, Storage):
        return memory._element(coord).ptr  # type: ignore[arg-type]
    index = as_int_tuple(coord)
    memory._check_coord(index)
    if not memory.has_storage:
        raise FrontendError(f"{memory!r} holds coordinates, which are computed and cannot be written")
    return cast("Pointer", get_iter(memory) + crd2idx(index, memory.layout))
