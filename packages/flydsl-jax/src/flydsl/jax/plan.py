"""The plan of a call: which bytes of a launcher's packed arguments come from which buffer of the XLA call.

`plan.h` of the native library has the format, and reads it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Self

from flydsl.base.errors import ArgumentError

if TYPE_CHECKING:
    from flydsl.backend.frameworks import CallTemplate
    from flydsl.compiler import AbstractTensor

VERSION = 1
What = Literal["address", "shape", "stride", "value"]

_WHATS: tuple[What, ...] = ("address", "shape", "stride", "value")
_HEADER = struct.Struct("<4s9I")
_TENSOR = struct.Struct("<6I")
_EXTENT = struct.Struct("<q")
_FIELD = struct.Struct("<5I")
_OPEN = -1
_NAME_BYTES = 512


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer of an XLA call: its number among the inputs, or among the outputs."""

    is_output: bool
    index: int


@dataclass(frozen=True, slots=True)
class PlanTensor:
    """A tensor argument: which buffer it is, and what the code assumes of it.

    `shape` has None for an extent that is open until run time; such a tensor is row-major. A narrow tensor must fit
    32-bit indices: less than 2^30 elements and 4 GiB. `align` is in bytes, `bits` are those of an element.
    """

    buffer: Buffer
    shape: tuple[int | None, ...]
    bits: int
    align: int = 1
    is_narrow: bool = True


@dataclass(frozen=True, slots=True)
class PlanField:
    """Bytes of the packed arguments that hold what is known of a tensor at each call; a value is all its elements."""

    offset: int
    size: int
    tensor: int
    what: What
    mode: int = 0


@dataclass(frozen=True, slots=True)
class CallPlan:
    """The packed arguments of a call with `inputs` and `outputs` buffers: a template and the fields to fill in.

    `name` is the function's, for messages.
    """

    name: str
    template: bytes = field(repr=False)
    inputs: int
    outputs: int
    tensors: Sequence[PlanTensor]
    fields: Sequence[PlanField]

    @classmethod
    def of(
        cls,
        portable: CallTemplate,
        buffers: Sequence[Buffer],
        inputs: int,
        outputs: int,
        numbers: Sequence[PlanTensor] = (),
    ) -> Self:
        """The plan of `portable`, whose tensors are `buffers` of an XLA call, one for each; `numbers` have its open
        numbers as elements.
        """
        if len(buffers) != len(portable.tensors):
            raise ArgumentError(f"expected a buffer for each of {len(portable.tensors)} tensors, found {len(buffers)}")
        narrow = {entry.tensor for entry in portable.fields if entry.what == "shape" and entry.size < 8}
        tensors = [
            PlanTensor(buffer, _shape(tensor), tensor.dtype.bits * tensor.dtype.lanes, align, number in narrow)
            for number, (buffer, tensor, align) in enumerate(
                zip(buffers, portable.tensors, portable.alignments, strict=True)
            )
        ]
        behind = len(tensors)  # where the numbers are
        fields = [
            PlanField(offset, size, number + behind if what == "value" else number, what, mode)
            for offset, size, number, what, mode in portable.fields
        ]
        return cls(portable.artifact.name, portable.template, inputs, outputs, [*tensors, *numbers], fields)

    def encode(self) -> bytes:
        """The attribute `plan` of the custom call; the same bytes for equal plans."""
        name = self.name.encode()[:_NAME_BYTES].decode(errors="ignore").encode()  # cut between characters
        counts = (self.inputs, self.outputs, len(self.tensors), len(self.fields), len(self.template), len(name))
        body = b"".join([*self._tensors(), *self._extents(), *self._fields(), self.template, name])
        return _HEADER.pack(b"FLYP", VERSION, _HEADER.size + len(body), *counts, 0) + body

    def _tensors(self) -> Iterator[bytes]:
        for one in self.tensors:
            buffer = one.buffer
            yield _TENSOR.pack(buffer.is_output, buffer.index, len(one.shape), one.bits, one.align, one.is_narrow)

    def _extents(self) -> Iterator[bytes]:
        for one in self.tensors:
            yield from (_EXTENT.pack(_OPEN if extent is None else extent) for extent in one.shape)

    def _fields(self) -> Iterator[bytes]:
        for one in sorted(self.fields, key=lambda one: one.tensor):
            yield _FIELD.pack(one.offset, one.size, _WHATS.index(one.what), one.tensor, one.mode)


def _shape(tensor: AbstractTensor) -> tuple[int | None, ...]:
    """The shape of the tensor's buffer: one number that every index gives is an array of shape ()."""
    return () if tensor.strides == (0,) else tensor.shape
