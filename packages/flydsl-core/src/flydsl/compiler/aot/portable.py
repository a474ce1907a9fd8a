"""Compiled code with an argument template, launched by other frameworks."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal, NamedTuple, Self, TypeGuard

from flydsl.adaptors.abstract import AbstractNumber, AbstractTensor
from flydsl.base.errors import ArgumentError, ShapeError
from flydsl.compiler.call.argument import BoundArgument
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.constexpr import BoundConstexpr
from flydsl.compiler.call.scalar import BoundScalar, number_bytes
from flydsl.compiler.call.stream import BoundStream, stream_handle
from flydsl.compiler.call.stub import make_site, packing
from flydsl.compiler.call.tensor import BoundTensor
from flydsl.compiler.stages.artifact import Artifact
from flydsl.expr.numeric import Numeric
from flydsl.layout import Dyn
from flydsl.runtime.abi import ABI_VERSION
from flydsl.toolchain.slots import Slot

_FORMATS = {"address": "<Q", "shape": "<q", "stride": "<q"}
_NARROW = "<i"


class Field(NamedTuple):
    """Bytes of the packed arguments that hold what is known when the code runs.

    `tensor` is the number of the tensor that they tell of, or for a `value`, of the number that they hold.
    """

    offset: int
    size: int
    tensor: int
    what: Literal["address", "shape", "stride", "value"]
    mode: int = 0


@dataclass(frozen=True, slots=True)
class CallTemplate:
    """Code for one list of arguments, and these packed as `fly_launch_packed` takes them, with `fields` left open.

    `tensors` are the placeholders among the arguments in order; `alignments` the bytes that the code relies on for the
    address of each, `written` the numbers of those that some kernel may write. `numbers` are the types of the numbers
    that are open, in order. A stream is that of the launch.
    """

    artifact: Artifact
    template: bytes = field(repr=False)
    fields: tuple[Field, ...] = field(repr=False)
    tensors: tuple[AbstractTensor, ...]
    alignments: tuple[int, ...]
    written: tuple[int, ...]
    numbers: tuple[type[Numeric], ...] = ()

    @classmethod
    def of(cls, function: str, call: BoundCall, artifact: Artifact) -> Self:
        """`call`, which `check_portable` lets pass, for its `artifact`."""
        call.announce(function, artifact.written, lambda adaptor, desc: 0)
        bound = {index: a for index, a in enumerate(call.arguments) if isinstance(a, BoundTensor)}
        numbers = {index: number for number, index in enumerate(bound)}
        fields = tuple(_fields(call.arguments, artifact.slots))
        return cls(
            artifact=artifact,
            template=_template(call, artifact, fields),
            fields=fields,
            tensors=tuple(_placeholder(argument) for argument in bound.values()),
            alignments=tuple(argument.spec.align for argument in bound.values()),
            written=tuple(numbers[index] for index in artifact.written if index in numbers),
            numbers=tuple(argument.spec.element for argument in call.arguments if _is_open_number(argument)),
        )

    @property
    def key(self) -> str:
        """A digest of everything that a launch depends on but the tensors: equal keys launch alike."""
        state = hashlib.sha256(f"{ABI_VERSION} {self.artifact.target} {self.artifact.runtime_kind}\0".encode())
        state.update(repr((self.fields, self.tensors, self.alignments, self.written)).encode() + b"\0")
        state.update(hashlib.sha256(self.template).digest() + hashlib.sha256(self.artifact.launcher).digest())
        return state.hexdigest()

    def pack(
        self,
        addresses: Sequence[int],
        shapes: Sequence[Sequence[int]] | None = None,
        numbers: Sequence[bool | int | float] = (),
    ) -> bytes:
        """The packed arguments for tensors at these addresses; `shapes` of all of them when an extent is open.

        `numbers` are the values of those that are open. ArgumentError when one breaks what the code relies on.
        """
        known = [tensor.shape for tensor in self.tensors] if shapes is None else [tuple(shape) for shape in shapes]
        if not len(addresses) == len(known) == len(self.tensors):
            raise ArgumentError(f"expected {len(self.tensors)} tensors, found {len(addresses)} and {len(known)} shapes")
        for number, (address, tensor, shape) in enumerate(zip(addresses, self.tensors, known, strict=True)):
            self._check(number, address, tensor, shape)
        if len(numbers) != len(self.numbers):
            raise ArgumentError(f"expected {len(self.numbers)} numbers, found {len(numbers)}")
        packed = bytearray(self.template)
        for entry in self.fields:
            if entry.what == "value":
                packed[entry.offset : entry.offset + entry.size] = number_bytes(
                    self.numbers[entry.tensor], numbers[entry.tensor]
                )
                continue
            value = addresses[entry.tensor] if entry.what == "address" else _value(known[entry.tensor], entry)
            code = _FORMATS[entry.what] if entry.size == 8 else _NARROW
            struct.pack_into(code, packed, entry.offset, value)
        return bytes(packed)

    def _check(self, number: int, address: int, tensor: AbstractTensor, shape: Sequence[int | None]) -> None:
        if address % self.alignments[number]:
            raise ArgumentError(
                f"tensor {number} is at {address:#x}, which is not a multiple of {self.alignments[number]} bytes"
            )
        fits = len(shape) == len(tensor.shape) and all(
            extent is not None and expected in (None, extent)
            for extent, expected in zip(shape, tensor.shape, strict=False)
        )
        if not fits:
            raise ArgumentError(f"tensor {number} has shape {tuple(shape)}, the code is for {tensor.shape}")
        narrow = any(f.tensor == number and f.what == "shape" and f.size < 8 for f in self.fields)
        if narrow and _is_large(tensor, shape):
            raise ArgumentError(f"tensor {number} of shape {tuple(shape)} has 2^30 elements or 4 GiB: too many here")


def check_portable(call: BoundCall) -> None:
    """ArgumentError for what cannot leave the process: addresses, in whatever form, and streams.

    ShapeError for a layout that takes an open extent for a number.
    """
    for argument in call.arguments:
        if isinstance(argument, BoundTensor):
            _check_tensor(argument)
        elif isinstance(argument, BoundStream) and stream_handle(argument.passed):
            raise ArgumentError(f"argument {argument.parameter.name!r}: the stream is that of the launch, pass None")
        elif not isinstance(argument, BoundScalar | BoundConstexpr | BoundStream):
            raise ArgumentError(
                f"argument {argument.parameter.name!r} is of type {type(argument.passed).__name__}, which may hold an "
                "address of this process: pass tensors, numbers and compile-time values"
            )


def _check_tensor(argument: BoundTensor) -> None:
    name, tensor = argument.parameter.name, argument.tensor
    if not isinstance(tensor, AbstractTensor):
        raise ArgumentError(
            f"argument {name!r} is of type {type(tensor).__name__}: "
            "pass a flyc.AbstractTensor, a placeholder without memory"
        )
    spec = argument.spec
    leaves = [("shape", spec.leaves("shape")), ("stride", spec.leaves("stride"))]
    for what, mode, leaf in ((what, mode, leaf) for what, tree in leaves for mode, leaf in enumerate(tree)):
        if not _is_open(tensor, what, mode) or (isinstance(leaf, Dyn) and leaf.div == 1):
            continue
        raise ShapeError(
            f"argument {name!r}: the {what} of mode {mode} is open, and its layout has {leaf} there; mark the mode "
            "dynamic, without a divisibility"
        )


def _is_open(tensor: AbstractTensor, what: str, mode: int) -> bool:
    """Whether an open extent decides the extent or the stride of a mode."""
    return None in (tensor.shape[mode : mode + 1] if what == "shape" else tensor.shape[mode + 1 :])


def _placeholder(argument: BoundTensor) -> AbstractTensor:
    tensor = argument.tensor
    assert isinstance(tensor, AbstractTensor)
    return tensor


def _template(call: BoundCall, artifact: Artifact, fields: Sequence[Field]) -> bytes:
    """The arguments as a stub packs them, by a launch that keeps the bytes; zeros in the fields."""
    packed: list[bytes] = []

    def keep(*launch: Any) -> int:
        packed.append(launch[-1])
        return 0

    def unreachable(*_: Any) -> None:
        raise AssertionError("a plan was given")

    site = make_site(
        call, frozenset(), pair=None, is_current=None, miss=unreachable, check=call.check(), fail=unreachable
    )
    plan = (keep, None, None, None, *packing(artifact.slots, call))
    site.stub(*(0 if isinstance(leaf, AbstractNumber) else leaf for leaf in call.passed_leaves), plan)
    template = bytearray(packed[0])
    for entry in fields:
        template[entry.offset : entry.offset + entry.size] = bytes(entry.size)
    return bytes(template)


def _fields(arguments: Sequence[BoundArgument], slots: Sequence[Slot]) -> Iterator[Field]:
    """What tensors leave open, their addresses, open extents, and the strides that these decide; and open numbers."""
    rest, number, numbers = iter(slots), 0, count()
    for argument in arguments:
        parts = list(argument.spec.c_parameters(rest))
        if _is_open_number(argument):
            yield Field(parts[0].offset, parts[0].size, next(numbers), "value")
        if not isinstance(argument, BoundTensor):
            continue
        tensor = _placeholder(argument)
        yield Field(parts[0].offset, parts[0].size, number, "address")
        for (what, mode), part in zip(argument.spec.open_leaves, parts[1:], strict=True):
            if _is_open(tensor, what, mode):
                yield Field(part.offset, part.size, number, what, mode)
        number += 1


def _is_open_number(argument: BoundArgument) -> TypeGuard[BoundScalar]:
    return isinstance(argument, BoundScalar) and isinstance(argument.passed, AbstractNumber)


def _value(shape: Sequence[int | None], entry: Field) -> int:
    """The extent, or the stride of a row-major tensor, as the placeholder counts it."""
    if entry.what == "shape":
        return shape[entry.mode] or 0
    step = 1
    for extent in shape[entry.mode + 1 :]:
        step *= max(1, extent or 0)
    return step


def _is_large(tensor: AbstractTensor, shape: Sequence[int | None]) -> bool:
    from flydsl.compiler.call.index_width import leaf_width

    closed = AbstractTensor(tuple(shape), tensor.dtype, device=tensor.device)
    return leaf_width(closed.describe()) == 64
