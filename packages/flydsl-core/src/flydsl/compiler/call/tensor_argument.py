"""Tensor arguments with a layout of their own, static until it is marked dynamic."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from flydsl.adaptors.overlap import is_overlapping
from flydsl.adaptors.resolve import adaptor_for
from flydsl.base.errors import ShapeError, UnsupportedTensorError
from flydsl.base.location import locating
from flydsl.compiler.call.index_width import leaf_width
from flydsl.layout import Dyn, Layout
from flydsl.plugins.active.border import described
from flydsl.plugins.tensor_adaptor import TensorAdaptor, TensorDesc


class TensorArgument:
    """A tensor whose whole layout is part of the code, except for what the `mark_*` methods make dynamic.

    Marking changes the argument in place and returns it; a marked layout has a signature of its own.
    """

    __slots__ = ("_shape", "_stride", "adaptor", "alignment", "tensor", "wide_stride")

    def __init__(self, tensor: Any, *, assumed_align: int | None = None, use_32bit_stride: bool = False) -> None:
        self.tensor = tensor
        self.adaptor = adaptor_for(type(tensor))
        desc = described(self.adaptor, tensor)
        self._shape: list[Any] = list(desc.shape) or [1]
        self._stride: list[Any] = list(desc.strides) or [1]
        self.wide_stride = not use_32bit_stride
        element = max(1, desc.dtype.bits // 8)
        self.alignment = element if assumed_align is None else assumed_align
        if self.alignment <= 0 or self.alignment % element:
            raise ShapeError(
                f"assumed_align is a multiple of the {element} bytes of an element, found {assumed_align!r}"
            )

    @property
    def layout(self) -> Layout:
        """The layout that the code is specialised for."""
        return Layout(tuple(self._shape), tuple(self._stride))

    def describe(self) -> TensorDesc:
        """The tensor as its adaptor sees it now."""
        return described(self.adaptor, self.tensor)

    def mould(self) -> Callable[[Any], TensorArgument]:
        """What makes of another tensor an argument that is marked as this one is now; it keeps no tensor.

        It raises ShapeError for a tensor of another rank, or of extents that break what is promised of them.
        """
        shape, stride = tuple(self._shape), tuple(self._stride)
        alignment, is_wide = self.alignment, self.wide_stride

        def moulded(tensor: Any) -> TensorArgument:
            argument = TensorArgument(tensor, assumed_align=alignment, use_32bit_stride=not is_wide)
            return argument._marked_like(shape, stride)

        return moulded

    def _marked_like(self, shape: Sequence[Any], stride: Sequence[Any]) -> Self:
        """Open the modes that are dynamic in these leaves; those that are not have the extents of the tensor."""
        if len(shape) != len(self._shape):
            raise ShapeError(f"a tensor of rank {len(shape)} is expected, found one of rank {len(self._shape)}")
        open_shape = [(mode, leaf.div) for mode, leaf in enumerate(shape) if isinstance(leaf, Dyn)]
        open_stride = [(mode, leaf.div) for mode, leaf in enumerate(stride) if isinstance(leaf, Dyn)]
        extents = {k: leaf for mode, div in open_shape for k, leaf in self._dynamic("extent", [mode], div).items()}
        strides = {k: leaf for mode, div in open_stride for k, leaf in self._dynamic("stride", [mode], div).items()}
        return self._mark(extents, strides)

    def mark_layout_dynamic(self, leading_dim: int | None = None, divisibility: int = 1) -> Self:
        """Make every extent and stride dynamic, except for the stride 1 of `leading_dim` (found when it is not given).

        `divisibility` is promised, here and at each call, for the leading extent and for the dynamic strides.
        """
        with locating():
            leading = self._leading(leading_dim)
            others = [mode for mode in range(len(self._shape)) if mode != leading]
            shape = self._dynamic("extent", [leading], divisibility) | self._dynamic("extent", others, 1)
            stride = self._dynamic("stride", others, divisibility) | {leading: 1}
        return self._mark(shape, stride)

    def mark_shape_dynamic(self, dims: int | Sequence[int] | None = None, divisibility: int = 1) -> Self:
        """Make the extents of `dims` (all by default) dynamic, each a multiple of `divisibility`."""
        with locating():
            return self._mark(self._dynamic("extent", self._modes(dims), divisibility), {})

    def mark_stride_dynamic(self, dims: int | Sequence[int] | None = None, divisibility: int = 1) -> Self:
        """Make the strides of `dims` (all by default) dynamic, each a multiple of `divisibility`."""
        with locating():
            return self._mark({}, self._dynamic("stride", self._modes(dims), divisibility))

    def _mark(self, shape: Mapping[int, Any], stride: Mapping[int, Any]) -> Self:
        """Replace leaves by mode; nothing fails from here on."""
        for leaves, changes in ((self._shape, shape), (self._stride, stride)):
            for mode, leaf in changes.items():
                leaves[mode] = leaf
        return self

    def _dynamic(self, what: str, modes: Sequence[int], divisibility: int) -> dict[int, Any]:
        """A dynamic leaf for each of `modes`; ShapeError when the tensor of now breaks what it promises."""
        if type(divisibility) is not int or divisibility < 1:
            raise ShapeError(f"divisibility is a positive integer, found {divisibility!r}")
        desc = self.describe()
        values = (desc.shape if what == "extent" else desc.strides) or (1,)
        for mode in modes:
            if values[mode] % divisibility:
                raise ShapeError(
                    f"{what} {values[mode]} of mode {mode} is not a multiple of divisibility {divisibility}"
                )
        width = 64 if what == "stride" and self.wide_stride else leaf_width(desc)
        return {mode: Dyn(width, divisibility) for mode in modes}

    def _leading(self, leading_dim: int | None) -> int:
        strides = self.describe().strides or (1,)
        if leading_dim is None:
            leading_dim = next((mode for mode in reversed(range(len(strides))) if strides[mode] == 1), None)
            if leading_dim is None:
                raise ShapeError(f"no mode has stride 1 in strides {tuple(strides)}; use mark_stride_dynamic")
        (mode,) = self._modes(leading_dim)
        if strides[mode] != 1:
            raise ShapeError(f"leading_dim {leading_dim} has stride {strides[mode]}, and the leading mode has stride 1")
        return mode

    def _modes(self, dims: int | Sequence[int] | None) -> list[int]:
        rank = len(self._shape)
        wanted = range(rank) if dims is None else [dims] if isinstance(dims, int) else dims
        if not isinstance(wanted, Iterable) or not all(isinstance(mode, int) for mode in wanted):
            raise ShapeError(f"dims are mode numbers, found {dims!r}")
        found: list[int] = []
        for mode in wanted:
            if not -rank <= mode < rank:
                raise ShapeError(f"mode {mode} does not exist in a tensor of rank {rank}")
            if mode % rank in found:
                raise ShapeError(f"dims {dims!r} name mode {mode % rank} twice")
            found.append(mode % rank)
        return found


def from_dlpack(tensor: object, *, assumed_align: int | None = None, use_32bit_stride: bool = False) -> TensorArgument:
    """`tensor` (any object a tensor adaptor knows) as an argument with a static layout; chain `mark_*` to open it.

    `assumed_align` promises an alignment in bytes, checked at each call; `use_32bit_stride` makes dynamic strides i32
    where 32 bits are enough for the indices of the tensor.
    """
    return TensorArgument(tensor, assumed_align=assumed_align, use_32bit_stride=use_32bit_stride)


def check_writable(desc: TensorDesc, function: str, advice: str = TensorAdaptor.read_only_advice) -> None:
    """UnsupportedTensorError for a tensor that `function` writes and that cannot take it."""
    if desc.read_only:
        raise UnsupportedTensorError(f"the tensor is read-only, and {function} writes to it; {advice}")
    modes = [mode for mode, (n, step) in enumerate(zip(desc.shape, desc.strides, strict=True)) if n > 1 and step == 0]
    if modes and 0 not in desc.shape:
        raise UnsupportedTensorError(
            f"the tensor has stride 0 in mode {modes[0]} (it is expanded: its elements share memory), and {function} "
            "writes to it; pass a copy"
        )
    if is_overlapping(desc.shape, desc.strides):
        raise UnsupportedTensorError(
            f"elements of the tensor share memory (shape {desc.shape}, strides {desc.strides}), and {function} writes "
            "to it; pass a copy"
        )
