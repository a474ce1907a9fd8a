"""Copies of tiles by the copy engine (TMA): one thread starts them, and an mbarrier or a group tells of their end.

    @flyc.jit
    def launch(a: fx.Tensor, ...):
        load, coordinates = fx.nvvm.make_tma_load(a, smem_layout, (128, 64))
        kernel(load, coordinates, ...).launch(grid=..., block=128)

    @flyc.kernel
    def kernel(load, coordinates, ...):
        tile = coordinates[...]                    # the part of the coordinates that is the tile
        if fx.thread_idx.x == 0:
            fx.nvvm.mbarrier_arrive_expect_tx(full, load.tile_bytes)
            fx.copy(load, tile, smem, mbar=full)
        fx.nvvm.mbarrier_wait(full, 0)

A tensor map is made at each call of the `@jit` function from the tensor's address, shape and strides. What lies beyond
the tensor is loaded as zeros and not stored; but rows are stored 16 bytes at a time, so that those of a tensor that is
stored to are multiples of that. Loads write what `smem_layout` says, which begins at an address that is a
multiple of 128 bytes, with a swizzle of 1024.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flydsl import layout as algebra
from flydsl.backend.language import current, memory_dtype, user_location
from flydsl.base.errors import FrontendError
from flydsl.expr import (
    Int8,
    Int64,
    Pointer,
    Tensor,
    as_layout,
    get_iter,
    get_leaves,
    make_identity_layout,
    make_int_tuple,
    make_view,
)
from flydsl_cuda.tensor_map import GRANULE, MAX_RANK, BoxError, Boxes, Recipe, plan

from .chips import SM90, require
from .tma_atoms import TmaLoad, TmaReduce, TmaStore

if TYPE_CHECKING:
    from flydsl.backend.language import LayoutLike


__all__ = ["make_tma_load", "make_tma_reduce", "make_tma_store"]

_ALIGNMENT = 64
_SIGNED = 32
_BYTE = Int8
_BITS = ("and", "or", "xor")
_REDUCTIONS: dict[str, tuple[str, ...]] = {
    "u32": ("add", "min", "max", "inc", "dec", *_BITS),
    "i32": ("add", "min", "max", *_BITS),
    "u64": ("add", "min", "max", *_BITS),
    "i64": ("add", "min", "max", *_BITS),
    "f16": ("add", "min", "max"),
    "bf16": ("add", "min", "max"),
    "f32": ("add",),
    "f64": ("add",),
}
"""What the copy engine combines elements by, of each type."""
_OPERATIONS = _REDUCTIONS["u32"]


def make_tma_load(
    tensor: Tensor, smem_layout: LayoutLike, tile: Sequence[int] | None = None, *, multicast: bool = False
) -> tuple[TmaLoad, Tensor]:
    """An atom that loads tiles of `tensor`, and the tensor's coordinates; in host code, for kernels to be handed.

    `tile` is the tile's extent along each mode of the tensor, by default the shape of `smem_layout`, which says where
    its elements lie in shared memory: densely, in the order of the tensor's contiguous mode, in columns of the span of
    the swizzle. `multicast` is for loads into several blocks of a cluster.
    """
    boxes, pointer, coordinates, bits = _made("make_tma_load", tensor, smem_layout, tile, written=False)
    return TmaLoad(pointer, boxes, bits, multicast=multicast), coordinates


def make_tma_store(
    tensor: Tensor, smem_layout: LayoutLike, tile: Sequence[int] | None = None
) -> tuple[TmaStore, Tensor]:
    """An atom that stores tiles to `tensor`, and its coordinates; as `make_tma_load`."""
    boxes, pointer, coordinates, bits = _made("make_tma_store", tensor, smem_layout, tile, written=True)
    return TmaStore(pointer, boxes, bits), coordinates


def make_tma_reduce(
    tensor: Tensor, smem_layout: LayoutLike, tile: Sequence[int] | None = None, *, op: str = "add"
) -> tuple[TmaReduce, Tensor]:
    """The same for stores that combine by `op`: add, min, max, inc, dec, and, or, xor; the type has to have it."""
    if op not in _OPERATIONS:
        raise FrontendError(f"op of fx.nvvm.make_tma_reduce is one of {', '.join(_OPERATIONS)}, found {op!r}")
    boxes, pointer, coordinates, bits = _made("make_tma_reduce", tensor, smem_layout, tile, written=True)
    _check_reduction(op, memory_dtype(tensor.dtype, tensor.value_type))
    return TmaReduce(pointer, boxes, bits, op=op), coordinates


def _made(
    name: str, tensor: Tensor, smem_layout: LayoutLike, tile: Sequence[int] | None, *, written: bool
) -> tuple[Boxes, Pointer, Tensor, int]:
    """The boxes, a pointer to the map, the coordinates, and the bits of an element."""
    from flydsl.backend.ir import EncodeTensorMapOp, PointerType
    from flydsl_cuda.dialect import TENSOR_MAP

    require(name, SM90, in_kernel=False)
    emitter = current()
    if emitter.kind != "host":
        raise FrontendError(f"fx.nvvm.{name} is called in the @jit function, and its result handed to the kernel")
    if not isinstance(tensor, Tensor) or not tensor.has_storage:
        raise FrontendError(f"fx.nvvm.{name} needs a tensor in global memory, found {tensor!r}")
    strides = _strides(name, tensor)
    dtype = memory_dtype(tensor.dtype, tensor.value_type)
    if smem_layout is None:
        raise FrontendError(f"smem_layout of fx.nvvm.{name} is the layout of the tile in shared memory, found None")
    smem = as_layout(smem_layout).payload
    shape, steps = get_leaves(tensor.shape), get_leaves(tensor.stride)
    try:
        extents = _extents(name, smem, tile)
        boxes = plan(strides, extents, smem, dtype.width // 8)
        recipe = Recipe(_element(dtype), dtype.width // 8, boxes.box, boxes.swizzle, written).to_bytes()
        _check_rows(shape[boxes.order[0]], dtype.width // 8, written=written)
    except BoxError as error:
        raise FrontendError(f"fx.nvvm.{name}: {error}") from None
    sizes = [Int64(shape[mode]).ir_value() for mode in boxes.order]
    pitches = [(Int64(steps[mode]) * (dtype.width // 8)).ir_value() for mode in boxes.order]
    type_ = PointerType(emitter.type(_BYTE), TENSOR_MAP, _ALIGNMENT)
    op = EncodeTensorMapOp.of(get_iter(tensor).ir_value(), sizes, pitches, recipe, type_, written=written)
    emitter.builder.location = user_location()
    emitter.builder.insert(op)
    first = make_int_tuple(tuple([0] * len(shape)) if len(shape) > 1 else 0)
    coordinates = make_view(first, make_identity_layout(tensor.shape))
    return boxes, Pointer(type_, op.results[0], _BYTE), coordinates, dtype.width


def _check_reduction(op: str, dtype: Any) -> None:
    known = _REDUCTIONS.get(_element(dtype), ())
    if op not in known:
        others = f"of these it has {', '.join(known)}" if known else f"it does with {', '.join(_REDUCTIONS)}"
        raise FrontendError(
            f"fx.nvvm.make_tma_reduce: the copy engine combines no elements of {dtype.__name__} by {op!r}; {others}"
        )


def _check_rows(extent: Any, element_bytes: int, *, written: bool) -> None:
    """Of a known extent; others are looked at by each launch."""
    if written and isinstance(extent, int) and extent * element_bytes % GRANULE:
        raise BoxError(
            f"the copy engine stores whole {GRANULE} bytes, and would overwrite what is behind rows of "
            f"{extent * element_bytes} bytes; take a tensor with rows of a multiple of that"
        )


def _strides(name: str, tensor: Tensor) -> list[int | None]:
    """Of each mode, None where it is known at run time."""
    layout = tensor.payload.layout
    if not isinstance(layout, algebra.Layout) or tensor.payload.swizzle is not None:
        raise FrontendError(f"fx.nvvm.{name} needs a tensor with a plain layout, found {tensor!r}")
    shape = layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)
    if any(isinstance(mode, tuple) for mode in shape) or len(shape) > MAX_RANK:
        raise FrontendError(
            f"fx.nvvm.{name} needs a tensor of 1 to {MAX_RANK} modes that are no tuples, found {layout}; "
            "make the map of the whole tensor, and tile its coordinates"
        )
    strides = layout.stride if isinstance(layout.stride, tuple) else (layout.stride,)
    return [stride if isinstance(stride, int) else None for stride in strides]


def _extents(name: str, smem: Any, tile: Sequence[int] | None) -> tuple[int, ...]:
    if tile is None:
        outer = getattr(smem, "outer", smem)
        modes = list(outer) if isinstance(outer.shape, tuple) else [outer]
        sizes: list[Any] = [algebra.size(mode) for mode in modes]
        tile = sizes
    are_extents = isinstance(tile, tuple | list) and all(type(extent) is int and extent > 0 for extent in tile)
    if not are_extents:
        raise FrontendError(f"the tile of fx.nvvm.{name} is positive numbers known while tracing, found {tile!r}")
    return tuple(tile)


def _element(dtype: Any) -> str:
    """The name of the engine's type of elements; types that it does not know are moved as bits."""
    name: str = dtype.mlir_name
    if name in ("f16", "bf16", "f32", "f64"):
        return name
    if dtype.width not in (8, 16, 32, 64):
        raise BoxError(f"the copy engine moves elements of 1, 2, 4 or 8 bytes, found {dtype.__name__}")
    signed = bool(getattr(dtype, "signed", False)) and dtype.width >= _SIGNED
    return f"{'i' if signed else 'u'}{dtype.width}"
