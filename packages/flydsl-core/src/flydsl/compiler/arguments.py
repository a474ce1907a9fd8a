"""The Python values of one call in; argument specs, and the values to pack for a launcher, out."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from flydsl.adaptors.dtypes import DTYPES
from flydsl.adaptors.resolve import adaptor_for
from flydsl.base.errors import ArgumentError, FlyDSLError, ShapeError, UnsupportedTensorError
from flydsl.cache.dependencies import encode_value
from flydsl.compiler.jit_argument import JitArgumentRegistry, abi_sizes, is_jit_argument
from flydsl.compiler.pointer_argument import PointerArgument
from flydsl.compiler.scalar_argument import INT32, bind_scalar, is_number
from flydsl.compiler.tensor_argument import TensorArgument
from flydsl.expr.threads.stream import Stream
from flydsl.frontend.signature import (
    ArgSpec,
    ConstexprSpec,
    Parameter,
    PointerSpec,
    ProtocolSpec,
    StreamSpec,
    TensorSpec,
)
from flydsl.layout import Dyn, Layout, flatten
from flydsl.plugins.tensor_adaptor import DType, TensorAdaptor, TensorDesc

_ELEMENTS: dict[DType, str] = {
    **{DTYPES[f"{kind}{bits}"]: f"{kind.capitalize()}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{DTYPES[f"float{bits}"]: f"Float{bits}" for bits in (16, 32, 64)},
    DTYPES["bfloat16"]: "BFloat16",
    DTYPES["bool"]: "Boolean",
    **{
        DTYPES[f"float8_{form}"]: f"Float8{form.upper()}"
        for form in ("e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e8m0fnu")
    },
}
"""The numeric types of tensor elements."""


class BoundArgument(NamedTuple):
    """One argument of a call: its spec, how to read it again, and what it packs besides its pointer."""

    spec: ArgSpec
    adaptor: TensorAdaptor | None = None
    desc: TensorDesc | None = None
    dynamic: tuple[int, ...] = ()
    """Dynamic shape leaves, then dynamic stride leaves, of a tensor."""
    abi: tuple[int, ...] = ()
    """Bytes of the values that an object passes by its own `__c_abi_spec__`."""
    convert: Callable[[Any], Any] | None = None
    """What makes the argument of the value that was passed, when its type is registered."""
    made: Any = None
    """What `convert` made."""


def bind(parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> BoundArgument:
    """`value` as the argument for `parameter`; errors name the parameter, what it got and what it takes."""
    try:
        return _bind(parameter, value, device_kinds)
    except FlyDSLError as error:
        error.args = (f"argument {parameter.name!r}: {error.args[0]}", *error.args[1:])
        raise


def element_name(dtype: DType) -> str:
    """The numeric type of a DLPack dtype."""
    name = _ELEMENTS.get(dtype)
    if name is None:
        raise UnsupportedTensorError(
            f"dtype with DLPack code {dtype.code}, {dtype.bits} bits and {dtype.lanes} lanes is not supported; "
            f"supported: {', '.join(sorted(set(_ELEMENTS.values())))}"
        )
    return name


def stream_handle(stream: Any) -> int:
    """The runtime's handle of a stream argument: None, an integer, or an object that has one."""
    return 0 if stream is None else (stream if isinstance(stream, Stream) else Stream(stream)).handle


def check_keywords(signature: inspect.Signature, given: Mapping[str, Any]) -> None:
    """TypeError for a keyword that names no parameter, which Python reports only after missing arguments."""
    unknown = [name for name in given if name not in signature.parameters]
    if unknown:
        raise TypeError(
            f"got an unexpected keyword argument {unknown[0]!r}; the parameters are {', '.join(signature.parameters)}"
        )


def _bind(parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> BoundArgument:
    kind = parameter.kind
    if kind == "constexpr":
        return BoundArgument(ConstexprSpec(value, _encode(value)))
    registered = JitArgumentRegistry.get(type(value))
    if registered is not None:
        return _bind_registered(parameter, value, registered, device_kinds)
    if is_jit_argument(value):
        return _bind_object(value, JitArgumentRegistry.get_dsl_type(type(value)))
    if kind == "stream" or (kind == "any" and isinstance(value, Stream)):
        stream_handle(value)
        return BoundArgument(StreamSpec())
    if kind == "pointer" or isinstance(value, PointerArgument):
        return BoundArgument(_bind_pointer(kind, value))
    if kind == "scalar" or (kind == "any" and is_number(value)):
        return BoundArgument(bind_scalar(parameter.scalar, value))
    if kind == "any" and (value is None or isinstance(value, str | type)):
        return BoundArgument(ConstexprSpec(value, _encode(value)))
    return _bind_tensor(kind, value, device_kinds)


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
    _check_alignment("tensor", desc.pointer, align)
    return BoundArgument(TensorSpec(name, layout, align), adaptor, desc, dynamic_values(layout, desc))


def _bind_pointer(kind: str, value: Any) -> PointerSpec:
    if not isinstance(value, PointerArgument):
        raise ArgumentError(
            f"a pointer is passed as flyc.from_c_void_p(element_type, address), found {type(value).__name__}"
        )
    if kind not in ("any", "pointer"):
        raise ArgumentError(f"a {kind} is expected, found {value!r}; annotate the parameter with fx.Pointer")
    _check_alignment("pointer", value.address, value.alignment)
    return PointerSpec(value.element_type.__name__, int(value.address_space), value.alignment)


def _check_alignment(what: str, address: int, align: int) -> None:
    if address % align:
        raise UnsupportedTensorError(
            f"the {what} is at {address:#x}, which is not a multiple of {align} bytes; copy the data"
        )


def _bind_registered(
    parameter: Parameter, value: Any, registered: tuple[Any, type[Any]], device_kinds: frozenset[int]
) -> BoundArgument:
    """What the registered callable makes of `value`: an argument of ours, or an object that says what it is."""
    convert, dsl_type = registered
    made = convert(value)
    if type(made) in JitArgumentRegistry.registry:
        raise ArgumentError(
            f"the JIT argument of a {type(value).__name__} is a {type(made).__name__}, which is registered itself"
        )
    if is_jit_argument(made):
        return _bind_object(made, dsl_type)._replace(convert=convert, made=made)
    return _bind(parameter, made, device_kinds)._replace(convert=convert, made=made)


def _bind_object(argument: Any, dsl_type: type[Any]) -> BoundArgument:
    """`argument` with a key of everything that the code is made from: IR types, what is seen, its own signature."""
    from flydsl.frontend.arguments import argument_types

    types = ", ".join(map(str, argument_types(ProtocolSpec("", dsl_type, argument))))
    signature = f"{dsl_type.__module__}.{dsl_type.__qualname__}, [{types}], {_encode(argument.__cache_signature__())}"
    return BoundArgument(ProtocolSpec(signature, dsl_type, argument), abi=abi_sizes(argument))


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
        if leaf.width == 32 and value not in INT32:
            raise ShapeError(f"{what} {value} of mode {mode} does not fit in 32 bits; split the tensor")
        found.append(value)
    return found


def _encode(value: Any) -> str:
    return encode_value(value)
