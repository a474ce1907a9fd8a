"""The Python values of one call in; argument specs, and the values to pack for a launcher, out."""

from __future__ import annotations

import inspect
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from flydsl.adaptors.resolve import adaptor_for
from flydsl.base.errors import ArgumentError, FlyDSLError, ShapeError, UnsupportedTensorError
from flydsl.compiler.tensor_argument import TensorArgument
from flydsl.expr.folding import bfloat16_bits
from flydsl.expr.numeric import BFloat16, Boolean, Float32, Int32, Int64, Numeric
from flydsl.expr.stream import Stream
from flydsl.frontend.signature import ArgSpec, ConstexprSpec, Parameter, ScalarSpec, StreamSpec, TensorSpec
from flydsl.layout import Dyn, Layout, flatten
from flydsl.plugins.tensor_adaptor import DType, TensorAdaptor, TensorDesc

__all__ = [
    "BoundArgument",
    "bfloat16_argument",
    "bind",
    "check_keywords",
    "element_name",
    "scalar_bits",
    "stream_handle",
]

_INT32 = range(-(1 << 31), 1 << 31)
# MLIR name of a float -> `struct` code that checks its range, and its largest finite value
_FLOATS = {
    "f16": ("<e", 65504.0),
    "bf16": ("<f", 3.3895313892515355e38),
    "f32": ("<f", 3.4028234663852886e38),
    "f64": ("<d", 1.7976931348623157e308),
}
# DLPack (type code, bits) -> numeric type
_ELEMENTS: dict[tuple[int, int], str] = {
    **{(0, bits): f"Int{bits}" for bits in (8, 16, 32, 64)},
    **{(1, bits): f"Uint{bits}" for bits in (8, 16, 32, 64)},
    **{(2, bits): f"Float{bits}" for bits in (16, 32, 64)},
    (4, 16): "BFloat16",
    (6, 8): "Uint8",
    (10, 8): "Float8E4M3FN",
    (11, 8): "Float8E4M3FNUZ",
    (12, 8): "Float8E5M2",
    (14, 8): "Float8E8M0FNU",
}


class BoundArgument(NamedTuple):
    """One argument of a call: its spec, how to read it again, and what it packs besides its pointer."""

    spec: ArgSpec
    adaptor: TensorAdaptor | None = None
    desc: TensorDesc | None = None
    dynamic: tuple[int, ...] = ()
    """Dynamic shape leaves, then dynamic stride leaves, of a tensor."""


def bind(parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> BoundArgument:
    """`value` as the argument for `parameter`; errors name the parameter, what it got and what it takes."""
    try:
        return _bind(parameter, value, device_kinds)
    except FlyDSLError as error:
        error.args = (f"argument {parameter.name!r}: {error.args[0]}", *error.args[1:])
        raise


def element_name(dtype: DType) -> str:
    """The numeric type of a DLPack dtype."""
    name = _ELEMENTS.get((dtype.code, dtype.bits)) if dtype.lanes == 1 else None
    if name is None:
        raise UnsupportedTensorError(
            f"dtype with DLPack code {dtype.code}, {dtype.bits} bits and {dtype.lanes} lanes is not supported; "
            f"supported: {', '.join(sorted(set(_ELEMENTS.values())))}"
        )
    return name


def stream_handle(stream: Any) -> int:
    """The runtime's handle of a stream argument: None, an integer, or an object that has one."""
    return 0 if stream is None else (stream if isinstance(stream, Stream) else Stream(stream)).handle


def scalar_bits(dtype: type[Numeric], value: Any) -> Any:
    """`value` as `struct` packs it for a slot of type `dtype`; ArgumentError when it does not fit."""
    if dtype.is_float:
        return _float_bits(dtype, value)
    if isinstance(value, float):
        raise ArgumentError(f"a {dtype.__name__} takes an integer, found {value!r}; convert it with int()")
    number = value.__index__()
    if dtype.width == 1:
        return bool(number)
    low = -(1 << (dtype.width - 1)) if dtype.is_signed else 0
    if not low <= number < low + (1 << dtype.width):
        raise ArgumentError(
            f"{number} does not fit in {dtype.__name__}; pass a value from {low} to {low + (1 << dtype.width) - 1}"
        )
    return number - (1 << dtype.width) if number >> (dtype.width - 1) and number > 0 else number


def check_keywords(signature: inspect.Signature, given: Mapping[str, Any]) -> None:
    """TypeError for a keyword that names no parameter, which Python reports only after missing arguments."""
    unknown = [name for name in given if name not in signature.parameters]
    if unknown:
        raise TypeError(
            f"got an unexpected keyword argument {unknown[0]!r}; the parameters are {', '.join(signature.parameters)}"
        )


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


def _bind(parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> BoundArgument:
    kind = parameter.kind
    if kind == "constexpr":
        return BoundArgument(ConstexprSpec(value, _encode(value)))
    if kind == "stream" or (kind == "any" and isinstance(value, Stream)):
        stream_handle(value)
        return BoundArgument(StreamSpec())
    if kind == "scalar" or (kind == "any" and _is_number(value)):
        return _bind_scalar(parameter.scalar or _default_type(value), value)
    if kind == "any" and (value is None or isinstance(value, str | type)):
        return BoundArgument(ConstexprSpec(value, _encode(value)))
    return _bind_tensor(kind, value, device_kinds)


def _bind_scalar(dtype: type[Numeric], value: Any) -> BoundArgument:
    if isinstance(value, Numeric) and value.is_static:
        value = value.value
    if not _is_number(value):
        raise ArgumentError(f"{dtype.__name__} takes a number, found {type(value).__name__}")
    scalar_bits(dtype, value)
    return BoundArgument(ScalarSpec(dtype.__name__))


def _bind_tensor(kind: str, value: Any, device_kinds: frozenset[int]) -> BoundArgument:
    marked = value if isinstance(value, TensorArgument) else None
    adaptor = marked.adaptor if marked else _adaptor(kind, value)
    desc = adaptor.describe(marked.tensor if marked else value)
    if device_kinds and desc.device.kind not in device_kinds:
        raise UnsupportedTensorError(
            f"the tensor is on a device of DLPack kind {desc.device.kind}, and the active runtime takes kinds "
            f"{sorted(device_kinds)}; move the tensor, or choose the backend of its device with FLYDSL_COMPILE_BACKEND"
        )
    name = element_name(desc.dtype)
    layout, align = (marked.layout, marked.alignment) if marked else (bare_layout(desc), max(1, desc.dtype.bits // 8))
    if desc.pointer % align:
        raise UnsupportedTensorError(
            f"the tensor is at {desc.pointer:#x}, which is not a multiple of {align} bytes; copy it"
        )
    return BoundArgument(TensorSpec(name, layout, align), adaptor, desc, dynamic_values(layout, desc))


def _adaptor(kind: str, value: Any) -> TensorAdaptor:
    """The adaptor that reads `value`; without an annotation the value may have been meant as part of the code."""
    try:
        return adaptor_for(type(value))
    except ArgumentError as error:
        if kind != "any":
            raise
        raise ArgumentError(
            f"{error}; annotate the parameter with fx.Constexpr when its value is part of the code, as `self` is"
        ) from None


def bare_layout(desc: TensorDesc) -> Layout:
    """The layout of an unmarked tensor: dynamic i32 shape, dynamic i64 strides, the unit stride static."""
    rank = len(desc.shape)
    if rank == 0:
        return Layout((1,), (1,))
    unit = next((mode for mode in reversed(range(rank)) if desc.strides[mode] == 1), None)
    strides = tuple(1 if mode == unit else Dyn(64) for mode in range(rank))
    return Layout((Dyn(32),) * rank, strides)


def dynamic_values(layout: Layout, desc: TensorDesc) -> tuple[int, ...]:
    """What fills the dynamic leaves of `layout`, shape first; ShapeError when the tensor breaks the layout."""
    shape = _leaf_values("shape", _leaves(layout.shape), desc.shape or (1,))
    return (*shape, *_leaf_values("stride", _leaves(layout.stride), desc.strides or (1,)))


def _leaves(tree: Any) -> Sequence[Any]:
    flat = flatten(tree)
    return flat if isinstance(flat, tuple) else (flat,)


def _leaf_values(what: str, leaves: Sequence[Any], values: Sequence[int]) -> list[int]:
    found = []
    for mode, (leaf, value) in enumerate(zip(leaves, values, strict=True)):
        if not isinstance(leaf, Dyn):
            if leaf != value:
                raise ShapeError(
                    f"{what} {value} of mode {mode} breaks the static layout, which has {leaf}; mark the mode dynamic"
                )
            continue
        if value % leaf.div:
            raise ShapeError(f"{what} {value} of mode {mode} is not a multiple of {leaf.div}, as it was declared")
        if leaf.width == 32 and value not in _INT32:
            raise ShapeError(f"{what} {value} of mode {mode} does not fit in 32 bits; split the tensor")
        found.append(value)
    return found


def _default_type(value: Any) -> type[Numeric]:
    if isinstance(value, Numeric):
        return type(value)
    if isinstance(value, bool):
        return Boolean
    if hasattr(value, "__index__"):
        return Int32 if value.__index__() in _INT32 else Int64
    return Float32


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | int | float | Numeric):
        return True
    return (
        getattr(value, "shape", None) == ()
        and hasattr(value, "item")
        and (hasattr(value, "__index__") or hasattr(value, "__float__"))
    )


def _encode(value: Any) -> str:
    from flydsl.cache.dependencies import encode_value

    return encode_value(value)
