"""Tensors: memory or coordinates accessed through a layout, by element or as a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Self, overload

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError, OperandError
from flydsl.expr.layouts.int_tuple import IntTuple, as_int_tuple
from flydsl.expr.layouts.layout import as_layout, has_free_mode
from flydsl.expr.layouts.modes import get_layout, get_shape, get_stride, size, slice
from flydsl.expr.memory.memory_format import loaded, memory_dtype, stored
from flydsl.expr.memory.memory_value import Addressed
from flydsl.expr.memory.pointer import Pointer, get_iter
from flydsl.expr.numbers.literals import known_number
from flydsl.expr.numbers.registry import as_dtype
from flydsl.expr.numbers.vector import Vector
from flydsl.expr.numbers.vector_shape import Shape, as_shape
from flydsl.expr.numeric import Int32, Numeric
from flydsl.expr.tracing.context import current
from flydsl.expr.tracing.unsupported import NoArithmetic

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from flydsl.expr.layouts.layout import Layout, LayoutValue
    from flydsl.expr.layouts.value import StructuredValue
    from flydsl.expr.values.operand_types import CoordLike, FullCoord, IntTupleLike, LayoutLike, ScalarLike, VectorLike
    from flydsl.expr.values.traced_types import Scalar, Structure

__all__ = [
    "Tensor",
    "make_fragment_like",
    "make_rmem_tensor",
    "make_view",
    "memref_alloca",
    "memref_load",
    "memref_load_vec",
    "memref_store",
    "memref_store_vec",
]


class Tensor(NoArithmetic, Addressed):
    """Memory accessed through a layout, or a tensor of coordinates, which has no storage.

    As an annotation of a @jit or @kernel parameter it accepts any object a tensor adaptor knows.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # a field of a struct that is annotated with Tensor takes any object a tensor adaptor knows

        def __get__(self, instance: object, owner: object = None) -> Self: ...
        def __set__(self, instance: object, value: object) -> None: ...

    def _hint(self) -> str:
        return (
            "memory, not a number; compute with an element, x[i], or with all as a vector, x.load(), and write the "
            "result with x[i] = ... or x.store(...)"
        )

    @property
    def has_storage(self) -> bool:
        """False for a coordinate tensor."""
        return self._dtype is not None

    @property
    def dtype(self) -> type[Numeric]:
        """The element type; a coordinate tensor has none."""
        if self._dtype is None:
            raise FrontendError(f"{self!r} holds coordinates and has no element type")
        return self._dtype

    element_type = dtype

    @property
    def shape(self) -> IntTuple:
        """The shape."""
        return get_shape(self)

    @property
    def stride(self) -> IntTuple:
        """The strides, in elements."""
        return get_stride(self)

    @property
    def layout(self) -> Layout:
        """The layout."""
        return get_layout(self)

    @property
    def iter(self) -> Structure:
        """The pointer or base coordinate."""
        return get_iter(self)

    @property
    def leading_dim(self) -> int | None:
        """The first mode of static stride 1, None when there is none."""
        stride = self.payload.layout.stride
        strides = stride if isinstance(stride, tuple) else (stride,)
        return next((index for index, leaf in enumerate(strides) if leaf == 1), None)

    def _layout(self) -> Layout:
        return self.layout

    def _check_coord(self, coord: StructuredValue) -> None:
        shape = getattr(self.payload.layout, "shape", None) if hasattr(self.payload, "element") else None
        self._check_rank(coord.payload, shape)
        outside = None if shape is None else _outside(coord.payload, shape)
        if outside is not None:
            index, extent = outside
            raise FrontendError(
                f"index {index} of coordinate {_text(coord.payload)} is outside the shape {_text(shape)}: "
                f"it must be at least 0{'' if extent is None else f' and less than {extent}'}"
            )

    def _check_rank(self, coord: Any, shape: Any) -> None:
        rank = len(shape) if isinstance(shape, tuple) else 1
        if shape is not None and isinstance(coord, tuple) and len(coord) not in (1, rank):
            indices = "one index" if rank == 1 else f"{rank} indices, or one that counts its elements column by column"
            raise OperandError(
                f"{self!r} has rank {rank} and is read and written by {indices}, found {len(coord)}: {_text(coord)}"
            )

    def __bool__(self) -> bool:
        raise FrontendError(f"{self!r} has no truth value; compare one of its elements, as in `if x[i] > 0`")

    def __len__(self) -> int:
        raise FrontendError(
            f"{self!r} has no len(); its extents are .shape[0], .shape[1], ..., Python numbers where they are static"
        )

    def __iter__(self) -> NoReturn:
        raise FrontendError(f"{self!r} cannot be iterated over; count with `for i in range(...)` and read x[i]")

    @overload
    def __getitem__(self, coord: FullCoord) -> Scalar: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, coord: CoordLike) -> Tensor: ...
    def __getitem__(self, coord: CoordLike) -> Scalar | Tensor:
        """The element at a coordinate; with None in the coordinate, the tensor of the modes that it keeps."""
        if has_free_mode(coord):
            return slice(self, coord)
        return memref_load(self, coord)

    def __setitem__(self, coord: CoordLike, value: VectorLike) -> None:
        """Store an element; with None in the coordinate, a vector or one scalar to the modes that it keeps."""
        if has_free_mode(coord):
            slice(self, coord).store(value)
        else:
            memref_store(value, self, coord)

    def load(self) -> Vector:
        """All elements as a vector of the tensor's shape, in colexicographic order (mode 0 changes fastest).

        FrontendError when the shape is dynamic: tile the tensor first.
        """
        return memref_load_vec(self)

    def store(self, vector: VectorLike) -> None:
        """Write a vector of as many elements as the tensor has, or one scalar to every element.

        Values are converted to the element type. FrontendError for another number of elements or a dynamic shape.
        """
        memref_store_vec(vector, self)

    def fill(self, value: ScalarLike) -> None:
        """Write one scalar, converted to the element type, to every element; the shape must be static."""
        memref_store_vec(Vector.filled(_numel(self), value, self.dtype), self)


def make_view(iter: Pointer | IntTupleLike, layout: LayoutLike) -> Tensor:
    """A tensor of a pointer (storage) or of a base coordinate (coordinates) and a layout with strides in elements.

    Nothing is copied, and the extent of the memory behind the pointer is not checked.
    """
    if isinstance(iter, Pointer):
        return iter.view(layout)
    return current().fly_call("make_view", [as_int_tuple(iter), as_layout(layout)], {})


def make_fragment_like(tensor: Tensor | LayoutValue, dtype: type[Numeric] | None = None) -> Tensor:
    """An uninitialised register tensor with the shape of `tensor`, and its element type unless there is a `dtype`."""
    if dtype is not None:
        element = as_dtype(dtype)
        kept = current().type(element)
    elif isinstance(tensor, Tensor):
        element, kept = tensor.dtype, tensor.value_type
    else:
        raise FrontendError("make_fragment_like of a layout needs a dtype")
    attributes = {"dtype": kept}
    return current().fly_call("make_fragment_like", [tensor], attributes, dtype=element)


def make_rmem_tensor(shape_or_layout: LayoutLike, dtype: type[Numeric]) -> Tensor:
    """An uninitialised tensor in the registers of the thread, of a static shape or layout.

    FrontendError when the layout is known only at run time.
    """
    layout = as_layout(shape_or_layout)
    if not layout.is_static:
        raise FrontendError(
            f"a register tensor has a layout known while tracing, found {layout!r}; "
            "use numbers, or a parameter annotated with fx.Constexpr"
        )
    return current().register_tensor(layout, as_dtype(dtype))


def memref_alloca(memref_type: Attribute, layout: LayoutLike) -> Tensor:
    """An uninitialised register tensor of the type `memref_type` (`fx.MemRefType.get(...)`) and its layout."""
    from flydsl.expr.targets.ir_types import ir_type_class
    from flydsl.ir.fly.attributes import REGISTER

    requested = as_layout(layout)
    if not isinstance(memref_type, ir_type_class("MemRefType")) or memref_type.space != REGISTER:
        raise FrontendError(f"memref_alloca needs a MemRefType in AddressSpace.Register, found {memref_type!r}")
    if not requested.is_static or requested.payload != memref_type.layout:
        raise FrontendError(f"memref_alloca needs the layout of its type {memref_type}, found {requested!r}")
    emitter = current()
    return emitter.box(emitter.value("fly.memref.alloca", [requested.ir_value()], memref_type))  # type: ignore[no-any-return]


def memref_load(memref: Tensor, indices: CoordLike) -> Scalar:
    """The element at a coordinate; of a coordinate tensor, the coordinate itself."""
    coord = as_int_tuple(indices)
    memref._check_coord(coord)
    operands = [memref.ir_value(), coord.ir_value()]
    if not memref.has_storage:
        return current().box(current().fly("memref.load", operands))  # type: ignore[no-any-return]
    return loaded(memref.dtype, memref.value_type, current().fly("memref.load", operands))  # type: ignore[no-any-return]


def memref_store(value: VectorLike, memref: Tensor, indices: CoordLike) -> None:
    """Store one element, converted to the tensor's element type as in C: a float is truncated to an integer."""
    if not memref.has_storage:
        raise FrontendError(f"{memref!r} holds coordinates, which are computed and cannot be written")
    if isinstance(value, Vector | Tensor | str):
        raise FrontendError(
            f"an element of {memref!r} is one number, found {value!r}; "
            "write several with .store(), or take one of them by its index"
        )
    coord = as_int_tuple(indices)
    memref._check_coord(coord)
    element = stored(memref.value_type, memref.dtype(known_number(value)))
    operands = [element, memref.ir_value(), coord.ir_value()]
    current().op("fly.memref.store", operands)


def memref_load_vec(memref: Tensor) -> Vector:
    """All elements as a vector, in colexicographic order; the shape must be static.

    Of a tensor of coordinates that are single indices, the indices.
    """
    count = _numel(memref)
    if not memref.has_storage:
        indices = Vector.from_elements([_index(memref_load(memref, position)) for position in range(count)])
        return Vector(indices, _shape_of(memref))
    dtype = memref.dtype
    kind = current().type(memory_dtype(dtype, memref.value_type), [count])
    value = current().value("fly.memref.load_vec", [memref.ir_value()], kind)
    return Vector(loaded(dtype, memref.value_type, value, (count,)), _shape_of(memref))


def memref_store_vec(vector: VectorLike, memref: Tensor) -> None:
    """Store a vector with as many elements as the tensor, or one scalar to all, converted to the element type."""
    count = _numel(memref)
    if not isinstance(vector, Vector):
        vector = Vector.filled(count, vector, memref.dtype)
    if vector.numel != count:
        raise FrontendError(
            f"a vector of {vector.numel} elements cannot be stored to {count} elements of {memref!r}; "
            "take a part of the tensor first, as with fx.slice(fx.zipped_divide(x, 4), (None, i))"
        )
    if vector.extents == vector.shape == _shape_of(memref):
        vector = vector.in_order_of_tensors()
    value = stored(memref.value_type, vector.to(memref.dtype))
    current().op("fly.memref.store_vec", [value, memref.ir_value()])


def _shape_of(memref: Tensor) -> Shape:
    """The static shape of a tensor, as vectors have it."""
    return as_shape(memref.shape.to_py_value())


def _index(coord: Any) -> Any:
    if not coord.is_leaf:
        raise FrontendError(f"a vector holds numbers, and {coord!r} is a coordinate of several; take them one by one")
    return Int32(coord)


def _numel(memref: Tensor) -> int:
    count = size(memref.shape)
    if not count.is_static:
        raise FrontendError(f"vector access needs a static shape, found {memref!r}; tile the tensor first")
    return int(count)


def _outside(coord: algebra.IntTuple, shape: algebra.IntTuple) -> tuple[int, int | None] | None:
    """The first static index that is out of bounds, and its extent (None if dynamic)."""
    if isinstance(coord, tuple):
        if not isinstance(shape, tuple) or len(shape) != len(coord):
            return None  # the op itself reports that these are not congruent
        return next(filter(None, map(_outside, coord, shape)), None)
    if not isinstance(coord, int):
        return None
    extent = algebra.size(shape)
    limit = extent if isinstance(extent, int) else None
    return (coord, limit) if coord < 0 or (limit is not None and coord >= limit) else None


def _text(value: object) -> str:
    return f"({','.join(map(_text, value))})" if isinstance(value, tuple) else str(value)
