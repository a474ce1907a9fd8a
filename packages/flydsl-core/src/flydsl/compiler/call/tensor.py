"""Tensor arguments: an address with a layout, of which the dynamic leaves are passed at run time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from struct import Struct
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from flydsl.adaptors.resolve import adaptor_for
from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import ArgumentError, ShapeError, UnsupportedTensorError
from flydsl.cache.guards import Guard
from flydsl.compiler.call.argument import (
    BoundArgument,
    CParameter,
    ElementSpec,
    PlanPart,
    c_parts,
    check_alignment,
    next_codes,
    padded_size,
)
from flydsl.compiler.call.element_types import element_name
from flydsl.compiler.call.index_width import leaf_width
from flydsl.compiler.call.scalar import INT32
from flydsl.compiler.call.tensor_argument import TensorArgument, check_writable
from flydsl.expr.memory.memory_format import memory_dtype
from flydsl.layout import Dyn, Layout, flatten, leaves
from flydsl.plugins.active.border import check_signature, described
from flydsl.plugins.tensor_adaptor import DeviceRef, ExchangeRead, HeaderRead, TensorAdaptor, TensorDesc

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.compiler.call.stub import StubSource
    from flydsl.frontend.signature import Parameter
    from flydsl.ir.interpret import Memory
    from flydsl.toolchain.slots import Slot


_TREES: tuple[Literal["shape", "stride"], ...] = ("shape", "stride")


@dataclass(frozen=True, slots=True)
class TensorSpec(ElementSpec):
    """A tensor in global memory: element type, layout with static and dynamic leaves, alignment in bytes."""

    layout: Layout
    align: int
    notes_writes: ClassVar[bool] = True

    def text(self) -> str:
        return f"tensor<{self.dtype}, {self.layout}, align<{self.align}>>"

    def ir_types(self) -> list[Attribute]:
        from flydsl.ir.fly.attributes import GLOBAL
        from flydsl.ir.fly.types import MemRefType

        return [MemRefType(memory_dtype(self.element).ir_type_of(), GLOBAL, self.layout, self.align)]

    def traced_value(self, values: Sequence[SSAValue]) -> Any:
        from flydsl.expr.values.wrap import box

        return box(values[0], self.element)

    def leaves(self, what: Literal["shape", "stride"]) -> Sequence[Any]:
        """The leaves of the layout's shape or stride."""
        return _leaves(self.layout.shape if what == "shape" else self.layout.stride)

    @property
    def open_leaves(self) -> list[tuple[Literal["shape", "stride"], int]]:
        """The dynamic leaves of the layout in the order in which they are packed, each with its mode."""
        return [(what, mode) for what in _TREES for mode, leaf in enumerate(self.leaves(what)) if isinstance(leaf, Dyn)]

    def c_parameters(self, slots: Iterator[Slot]) -> Iterator[CParameter]:
        yield from ElementSpec.c_parameters(self, slots)
        if labels := [f"{what}{mode}" for what, mode in self.open_leaves]:
            yield from c_parts(labels, next(slots))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BoundTensor(BoundArgument):
    """A tensor of a call, with the adaptor that reads it, what that holds of it, and how it describes it.

    `dynamic` are the values of the dynamic shape leaves, then of the dynamic stride leaves.
    """

    spec: TensorSpec
    adaptor: TensorAdaptor
    held: Any
    desc: TensorDesc
    dynamic: tuple[int, ...]

    @classmethod
    def takes(cls, parameter: Parameter, value: Any) -> bool:
        return True

    @classmethod
    def bind(cls, parameter: Parameter, value: Any, device_kinds: frozenset[int]) -> Self:
        marked = value if isinstance(value, TensorArgument) else None
        adaptor = marked.adaptor if marked else _adaptor(parameter.kind, value)
        held = adaptor.hold(marked.tensor if marked else value)
        desc = described(adaptor, held)
        check_signature(adaptor, held)
        if device_kinds and desc.device.kind not in device_kinds:
            raise UnsupportedTensorError(
                f"the tensor is on a device of DLPack kind {desc.device.kind}, and the active runtime takes kinds "
                f"{sorted(device_kinds)}; move the tensor, or choose the backend of its device with "
                "FLYDSL_COMPILE_BACKEND"
            )
        name = element_name(desc.dtype)
        layout = marked.layout if marked else bare_layout(desc)
        if marked and leaf_width(desc) == 64 and any(leaf.width == 32 for leaf in leaves(layout)):
            raise ShapeError(
                "the tensor has grown since its layout was marked, to more than 32 bits count: mark it anew"
            )
        align = marked.alignment if marked else max(1, desc.dtype.bits // 8)
        check_alignment("tensor", desc.pointer, align)
        spec = TensorSpec(name, layout, align)
        return cls(parameter, value, None, spec, adaptor, held, desc, dynamic_values(layout, desc))

    def aligned_to(self, alignment: int) -> Self:
        """So are all rows then, if their strides are multiples of it too; what the caller has marked stays as it is."""
        if alignment <= self.spec.align or isinstance(self.passed, TensorArgument) or self.desc.pointer % alignment:
            return self
        elements = max(1, alignment * 8 // self.desc.dtype.bits)
        return replace(self, spec=replace(self.spec, align=alignment, layout=_divided(self.desc, elements)))

    @property
    def tensor(self) -> Any:
        """The framework's tensor."""
        return self.passed.tensor if isinstance(self.passed, TensorArgument) else self.passed

    def held_value(self) -> Any:
        return self.held

    def device(self) -> DeviceRef:
        return self.desc.device

    def is_live(self, device_kinds: frozenset[int]) -> bool | None:
        kind = self.desc.device.kind
        return kind != DeviceKind.CPU or not device_kinds or kind in device_kinds

    def is_captured(self) -> bool:
        return self.adaptor.is_capturing(self.desc.device)

    def extent(self) -> tuple[int, int]:
        return self.desc.extent()

    def check_launch(self) -> None:
        if not self.desc.pointer and 0 not in self.desc.shape:
            raise UnsupportedTensorError(
                f"argument {self.parameter.name!r}: the tensor of shape {tuple(self.desc.shape)} has no memory, its "
                "address is null"
            )

    def plan_part(self, slots: Iterator[Slot]) -> PlanPart:
        codes, layout = next_codes(slots), b""
        if self.dynamic:
            slot = next(slots)
            layout = Struct("<" + slot.format).pack(*self.dynamic).ljust(padded_size([slot.size]), b"\0")
        return PlanPart(f"{codes}{len(layout)}s", (self.spec.align - 1, layout))

    def find_stream(self, stub: StubSource, index: int, name: str) -> None:
        if stub.current_stream is None and _overrides(self.adaptor, "current_stream"):
            stub.current_stream = self.adaptor.current_stream

    def write_stub(self, stub: StubSource, index: int, name: str) -> None:
        adaptor, inline = self.adaptor, self.adaptor.inline
        is_marked = isinstance(self.passed, TensorArgument)
        tensor = stub.held(index, adaptor, f"{name}.tensor" if is_marked else name)
        if inline is not None and not is_marked:
            stub.names.update(inline.names)
            pointer = inline.pointer.format(x=name)
            stub.unserved.update(dict.fromkeys(item.format(x=name) for item in inline.unserved))
            stub.add_signature([item.format(x=name) for item in inline.items], index, name, inline.matcher)
        else:
            stub.names[f"adaptor{index}"] = adaptor
            pointer = f"adaptor{index}.pointer({tensor})"
            stub.keys += [f"{name}.layout", f"{name}.alignment"] if is_marked else []
            stub.keys.append(f"adaptor{index}.signature({tensor})")
            if _overrides(adaptor, "before_launch"):
                written = index in stub.written
                stub.before.append(f"adaptor{index}.before_launch({tensor}, {stub.stream_or(0)}, {written})")
            if tensor == f"h{index}":  # a copy on a device is another one for the stream of the launch
                stub.before.append(f"p{index} = {pointer}")
        stub.reads.append(f"p{index} = {pointer}")
        stub.masks.append(f"(p{index} & m{index})")
        stub.non_null.append(f"p{index}")
        stub.plan += [f"m{index}", f"b{index}"]
        stub.packed += [f"p{index}", f"b{index}"]
        stub.addresses.append(f"p{index}")
        if index in stub.written:
            self._write_written(stub, index, tensor)
        self._write_used(stub, index, tensor)

    def _write_written(self, stub: StubSource, index: int, tensor: str) -> None:
        """Tell the framework after the launch that its tensor changed."""
        inline = self.adaptor.inline
        if inline is not None and inline.written:
            stub.names.update(inline.names)
            stub.after.setdefault(inline.written, []).append(tensor)
        elif _overrides(self.adaptor, "after_launch"):
            stub.names[f"adaptor{index}"] = self.adaptor
            stub.after[f"adaptor{index}.after_launch({tensor}, {stub.stream_or(0)}, True)"] = []

    def native(self, is_written: bool) -> tuple[object, ...] | None:
        cls, adaptor = type(self.passed), self.adaptor
        read = None if isinstance(self.passed, TensorArgument) else adaptor.native_read(cls)
        if read is None or (adaptor.inline is None and _overrides(adaptor, "before_launch")):
            return None
        if is_written and _overrides(adaptor, "after_launch") and self.native_note() is None:
            return None
        if isinstance(read, HeaderRead):
            fields = read.data, read.ndim, read.shape, read.strides, read.dtype, read.flags
            return "header", cls, fields, read.mask
        capsule = getattr(cls, "__dlpack_c_exchange_api__", None)
        if capsule is None:
            return None
        never_written = read.never_written if is_written else ()
        shared, state = tuple(map(tuple, read.shared)), read.state or ()
        return "exchange", cls, capsule, read.never, never_written, "dtype", shared, state, read.idle

    def native_note(self) -> Callable[[tuple[Any, ...]], object] | None:
        read = self.adaptor.native_read(type(self.tensor))
        return read.written if isinstance(read, ExchangeRead) else None

    def native_guards(self) -> tuple[Guard, ...]:
        read = self.adaptor.native_read(type(self.tensor))
        steady = read.steady if isinstance(read, ExchangeRead) else ()
        return tuple(Guard("item", owner, name, value) for owner, name, value in steady)

    def native_streams(self, current_stream: Callable[..., int] | None) -> object | None:
        cls = type(self.tensor)
        read = self.adaptor.native_read(cls) if self.adaptor.current_stream == current_stream else None
        tells = isinstance(read, ExchangeRead) and read.streams
        return getattr(cls, "__dlpack_c_exchange_api__", None) if tells else None

    def _write_used(self, stub: StubSource, index: int, tensor: str) -> None:
        """Tell the framework after a launch on a stream that was passed, of which it knows nothing."""
        inline, streams = self.adaptor.inline, [stream for stream in stub.streams if stream.isidentifier()]
        is_told = index in stub.written and (inline is None or not inline.written)
        if streams and not is_told and _overrides(self.adaptor, "after_launch"):
            name = f"adaptor_{id(self.adaptor)}"
            stub.names.update({name: self.adaptor, "note_used": _note_used})
            note = f"({' or '.join(streams)}) and note_used({name}, stream, {{xs}})"
            stub.after.setdefault(note, []).append(tensor)

    def announce(self, function: str, stream_of: Callable[[TensorAdaptor, TensorDesc], int], is_written: bool) -> None:
        try:
            stream = stream_of(self.adaptor, self.desc)
            if is_written:
                check_writable(self.desc, function, self.adaptor.read_only_advice)
            self.adaptor.before_launch(self.held, stream, is_written)
        except UnsupportedTensorError as error:
            raise UnsupportedTensorError(f"argument {self.parameter.name!r}: {error}") from None

    def note_written(self) -> None:
        self.adaptor.after_launch(self.held, 0, True)

    def memory(self) -> Memory:
        from flydsl.compiler.call.host_memory import tensor_memory

        return tensor_memory(self.desc, f"tensor {self.parameter.name!r}")

    def interpreted(self, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
        from flydsl.compiler.call.host_memory import filled_layout
        from flydsl.ir.fly.types import MemRefType
        from flydsl.ir.interpret import Address, Tensor

        (kind,) = self.spec.ir_types()
        assert memory is not None
        assert isinstance(kind, MemRefType)
        address = Address(memory, self.desc.pointer, kind.element)
        return [Tensor(address, filled_layout(self.spec.layout, self.dynamic))]


def _note_used(adaptor: TensorAdaptor, stream: int, *tensors: Any) -> None:
    for tensor in tensors:
        adaptor.after_launch(tensor, stream, False)


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
    """The layout of an unmarked tensor: dynamic shape, of i64 when large; dynamic i64 strides, the unit one static."""
    rank = len(desc.shape)
    if rank == 0:
        return Layout((1,), (1,))
    unit = next((mode for mode in reversed(range(rank)) if desc.strides[mode] == 1), None)
    strides = tuple(1 if mode == unit else Dyn(64) for mode in range(rank))
    return Layout((Dyn(leaf_width(desc)),) * rank, strides)


def _divided(desc: TensorDesc, elements: int) -> Layout:
    """`bare_layout`, with strides that are known to be multiples of `elements` where they are."""
    layout = bare_layout(desc)
    found = zip(_leaves(layout.stride), desc.strides or (1,), strict=True)
    strides = (
        Dyn(leaf.width, elements) if isinstance(leaf, Dyn) and stride % elements == 0 else leaf
        for leaf, stride in found
    )
    return Layout(layout.shape, tuple(strides))


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


def _overrides(adaptor: TensorAdaptor, method: str) -> bool:
    return getattr(type(adaptor), method) is not getattr(TensorAdaptor, method)
