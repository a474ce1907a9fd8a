"""One call of a @jit function in, its traced module run by the interpreter on the arguments' own memory out."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.dlpack import HOST_KINDS
from flydsl.base.errors import ArgumentError, FlyDSLError, NoBackendError, UnsupportedTensorError
from flydsl.compiler import pipeline
from flydsl.compiler.arguments import BoundArgument
from flydsl.compiler.failures import at_call
from flydsl.compiler.jit_argument import abi_values
from flydsl.compiler.ready import announce_tensors, passed_tensor
from flydsl.expr.tracing.context import interpreting
from flydsl.frontend.arguments import argument_types
from flydsl.frontend.signature import ConstexprSpec, PointerSpec, ProtocolSpec, ScalarSpec, TensorSpec
from flydsl.ir.fly.types import MemRefType, PointerType
from flydsl.ir.interpret import Address, Machine, Memory, Shadow, Tensor, known, rounder
from flydsl.layout import Dyn, Layout
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.plugins.tensor_adaptor import TensorAdaptor, TensorDesc

if TYPE_CHECKING:
    from flydsl.compiler.argument_tree import Leaves
    from flydsl.compiler.jit import JitFunction

_WAVE = 32  # threads of a wave when no backend is installed that says otherwise
_REACH = 1 << 30  # bytes around an address that came without an extent


def interpret_call(function: JitFunction, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Trace and execute; errors show the user's lines only, unless FLYDSL_DEBUG_SHOW_STACKTRACE is set."""
    try:
        with at_call():
            _run(function, args, kwargs)
    except FlyDSLError as error:
        if settings.debug.show_stacktrace:
            raise
        raise error.with_traceback(None) from error.__cause__


def _run(function: JitFunction, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    leaves, bound, specs = function.bind(*args, **kwargs)
    target = _target()
    with interpreting():
        traced = pipeline.trace(function.rewritten, specs, target)
    announce_tensors(function.__name__, leaves, bound, traced.written, _stream_of)
    memories = _memories(leaves, bound)
    values = [
        value
        for index, (argument, given) in enumerate(zip(bound, leaves.values, strict=True))
        for value in _values(argument, given, memories.get(index), list(memories.values()))
    ]
    Machine(traced.module, target.warp_size, list(memories.values())).run(traced.name, values)
    for index, (argument, given) in enumerate(zip(bound, leaves.values, strict=True)):
        if index in traced.written and argument.adaptor is not None and argument.desc is not None:
            argument.adaptor.after_launch(passed_tensor(argument, given), 0, True)


def _target() -> GPUTarget:
    """The target that would be compiled for: it says how many threads a wave has."""
    try:
        return pipeline.target_of()
    except NoBackendError:
        return GPUTarget("interpreter", "any", _WAVE)


def _stream_of(_: TensorAdaptor, desc: TensorDesc) -> int:
    """The host's own, for tensors that it can read."""
    if desc.device.kind not in HOST_KINDS:
        raise UnsupportedTensorError(
            f"the tensor is on a device of DLPack kind {desc.device.kind}, and the interpreter reads memory of the "
            "host; move the tensor"
        )
    return 0


def _memories(leaves: Leaves, bound: Sequence[BoundArgument]) -> dict[int, Memory]:
    """The memory of each tensor, by its position; tensors that overlap share what is known about races."""
    found: dict[int, Memory] = {}
    for index, (parameter, argument) in enumerate(zip(leaves.parameters, bound, strict=True)):
        if argument.desc is not None and isinstance(argument.spec, TensorSpec):
            found[index] = _memory(argument.desc, f"tensor {parameter.name!r}")
    end, shadow = -1, Shadow()
    for memory in sorted(found.values(), key=lambda memory: memory.base):
        if memory.base >= end:
            shadow = Shadow()
        memory.shadow, end = shadow, max(end, memory.base + len(memory.data))
    return found


def _memory(desc: TensorDesc, name: str) -> Memory:
    """The bytes from the first to the last element."""
    size = max(1, desc.dtype.bits // 8)
    reach = [(extent - 1) * stride for extent, stride in zip(desc.shape, desc.strides, strict=True)]
    low, high = sum(min(0, r) for r in reach), sum(max(0, r) for r in reach)
    count = high - low + 1 if 0 not in desc.shape else 0
    return Memory(
        _bytes_at(desc.pointer + low * size, count * size),
        desc.pointer + low * size,
        name=name,
        needs_values=True,
        extents=_gaps(desc, size, count),
    )


def _bytes_at(address: int, count: int) -> Any:
    if count == 0:
        return bytearray()
    return memoryview((ctypes.c_char * count).from_address(address)).cast("B")


def _gaps(desc: TensorDesc, size: int, count: int) -> tuple[tuple[int, int], ...]:
    """Extents and strides in bytes, largest stride first, of a tensor that has gaps; nothing for one without.

    Tensors whose elements overlap count as having none.
    """
    modes = sorted(
        ((extent, abs(stride)) for extent, stride in zip(desc.shape, desc.strides, strict=True) if extent > 1),
        key=lambda mode: -mode[1],
    )
    total, reach = 1, 1
    for extent, stride in reversed(modes):
        if stride < reach:
            return ()
        total, reach = total * extent, reach + (extent - 1) * stride
    return () if total >= count else (*((extent, stride * size) for extent, stride in modes), (size, 1))


def _values(argument: BoundArgument, given: Any, memory: Memory | None, memories: Sequence[Memory]) -> list[Any]:
    """What the host function of the module gets for an argument."""
    spec = argument.spec
    passed = given if argument.convert is None else argument.made
    if isinstance(spec, ConstexprSpec):
        return []
    (type_, *_) = types = argument_types(spec)
    if isinstance(spec, TensorSpec):
        assert memory is not None
        assert argument.desc is not None
        assert isinstance(type_, MemRefType)
        return [Tensor(Address(memory, argument.desc.pointer, type_.element), _layout(spec.layout, argument.dynamic))]
    if isinstance(spec, ScalarSpec):
        number = getattr(passed, "value", passed)
        return [rounder(type_)(float(number) if spec.element.is_float else int(number))]
    if isinstance(spec, PointerSpec):
        assert isinstance(type_, PointerType)
        return [_address(passed.address, type_, memories)]
    if isinstance(spec, ProtocolSpec):
        return [_object_value(value, kind, memories) for value, kind in zip(abi_values(passed), types, strict=True)]
    return [None]


def _object_value(value: Any, type_: Any, memories: Sequence[Memory]) -> Any:
    """A value that an object passes by its own description."""
    if isinstance(type_, PointerType):
        return _address(value or 0, type_, memories)
    if isinstance(type_, MemRefType) or not isinstance(value, bool | int | float):
        raise ArgumentError(f"the interpreter cannot take a {type_} from an object; pass numbers and pointers")
    return rounder(type_)(value)


def _address(address: int, type_: PointerType, memories: Sequence[Memory]) -> Address:
    """An address: of a tensor among the arguments when it is inside of one, else of memory of unknown extent."""
    for memory in memories:
        if memory.base <= address < memory.base + len(memory.data):
            return Address(memory, address, type_.element, type_.swizzle)
    if address < _REACH:
        return Address(Memory(bytearray(), address, name="memory at the null pointer"), address, type_.element)
    data = _bytes_at(address, _REACH)
    memory = Memory(data, address, name=f"memory at {address:#x}", shadow=Shadow(), needs_values=True)
    return Address(memory, address, type_.element, type_.swizzle)


def _layout(layout: Layout, dynamic: Sequence[int]) -> Layout:
    """The layout with the values of its dynamic leaves, shape first."""
    rest = iter(dynamic)
    return Layout(_filled(layout.shape, rest), _filled(layout.stride, rest))


def _filled(tree: Any, values: Iterator[int]) -> Any:
    if isinstance(tree, tuple):
        return tuple(_filled(part, values) for part in tree)
    return known(next(values), tree.width, tree.div) if isinstance(tree, Dyn) else tree
