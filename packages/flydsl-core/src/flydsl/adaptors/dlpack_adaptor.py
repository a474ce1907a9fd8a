"""The tensor adaptor for any object with `__dlpack__`: array libraries without an adaptor of their own.

Reads the capsule and never consumes it, so the memory stays the exporter's. An export may be a copy that lives as long
as its capsule, so each call makes one and keeps it until its work has ended. Legacy (unversioned) capsules cannot say
that an array may be written: they count as read-only, as in NumPy.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

from flydsl.adaptors.dlpack_capsule import read_capsule
from flydsl.base.dlpack import DEFAULT_STREAM_IS_1, HOST_KINDS
from flydsl.base.errors import UnsupportedTensorError
from flydsl.base.wording import with_article
from flydsl.plugins.tensor_adaptor import TensorAdaptor, TensorDesc


class Exporter(Protocol):
    """An object that speaks DLPack."""

    def __dlpack__(self, *, stream: int | None, max_version: tuple[int, int] = ...) -> object: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...


class Export:
    """One export of an object: its capsules, which keep the memory, and the tensor of the latest."""

    __slots__ = ("capsules", "desc", "is_copy", "source")

    def __init__(self, source: Exporter) -> None:
        self.source = source
        self.capsules: list[object] = []
        self.desc, self.is_copy = self._read(_no_wait(source))

    def order(self, stream: int) -> None:
        """Export again, ordered before `stream`: of a copy this is another one, which counts from now on."""
        desc, self.is_copy = self._read(stream)
        if desc._replace(pointer=0) != self.desc._replace(pointer=0):
            raise UnsupportedTensorError(
                f"{with_article(type(self.source).__name__)} exports another tensor at each question: {desc}, and "
                f"before {self.desc}"
            )
        self.desc = desc

    def _read(self, stream: int | None) -> tuple[TensorDesc, bool]:
        capsule = _export(self.source, stream)
        self.capsules.append(capsule)
        return read_capsule(capsule)


class DLPackAdaptor(TensorAdaptor):
    """Objects that speak DLPack, at a few microseconds a tensor."""

    name = "dlpack"

    def hold(self, obj: Exporter | Export) -> Export:
        """The export that a call uses; UnsupportedTensorError when the object refuses, or exports no tensor."""
        return obj if isinstance(obj, Export) else Export(obj)

    def describe(self, obj: Exporter | Export) -> TensorDesc:
        """The description in the exported capsule; UnsupportedTensorError when the object refuses to export."""
        return self.hold(obj).desc

    def signature(self, obj: Exporter | Export) -> Hashable:
        """Everything in the description but the pointer."""
        desc = self.describe(obj)
        return desc.shape, desc.strides, desc.dtype, desc.device, desc.read_only

    def pointer(self, obj: Exporter | Export) -> int:
        """Address of the first element."""
        return self.describe(obj).pointer

    def before_launch(self, obj: Exporter | Export, stream: int, written: bool) -> None:
        """Let the exporter order its pending work before `stream`; refuse to write a copy, and what is read-only."""
        held = self.hold(obj)
        kind, name = held.desc.device.kind, with_article(type(held.source).__name__)
        if kind not in HOST_KINDS:
            held.order(1 if kind in DEFAULT_STREAM_IS_1 and stream == 0 else stream)
        if written and held.desc.read_only:
            raise UnsupportedTensorError(f"{name} is read-only through DLPack and the kernel writes it")
        if written and held.is_copy:
            raise UnsupportedTensorError(f"{name} exports a copy through DLPack, and what the kernel writes is lost")


def _no_wait(obj: Exporter) -> int | None:
    """The stream argument that asks the exporter not to synchronise."""
    try:
        kind = obj.__dlpack_device__()[0]
    except Exception as error:
        raise _refused(obj, error) from error
    return None if kind in HOST_KINDS else -1


def _export(obj: Exporter, stream: int | None) -> object:
    try:
        try:
            return obj.__dlpack__(stream=stream, max_version=(1, 0))
        except TypeError:  # an exporter from before DLPack 1.0
            return obj.__dlpack__(stream=stream)
    except Exception as error:
        raise _refused(obj, error) from error


def _refused(obj: Exporter, error: Exception) -> UnsupportedTensorError:
    return UnsupportedTensorError(f"{with_article(type(obj).__name__)} does not export through DLPack: {error}")
