"""Buffers: device memory with a lifetime, and copies from and to host memory and other buffers."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Self

from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.base.wording import with_article
from flydsl.plugins.device_runtime import CopyKind
from flydsl.runtime.resource import Resource

if TYPE_CHECKING:
    from typing_extensions import Buffer as HostMemory

    from flydsl.runtime.device import Device
    from flydsl.runtime.stream import Stream


class Buffer(Resource):
    """`size` bytes at the device pointer `handle`."""

    __slots__ = ("size",)

    def __init__(
        self, device: Device, handle: int, size: int, *, owned: bool, release: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(device, handle, (release or device.runtime.free) if owned else None)
        self.size = size

    @classmethod
    def allocate(cls, device: Device, size: int, stream: Stream | None = None) -> Self:
        """New memory; use `Device.allocate()`."""
        size = _checked_size(size)
        runtime = device.begin_work()
        if stream is None:
            return cls(device, runtime.allocate(device.ordinal, size), size, owned=True)
        if stream.device != device:
            raise ArgumentError(f"memory of {device!r} cannot be ordered by a stream of {stream.device!r}")
        release = partial(_free_on, stream)
        return cls(device, runtime.allocate_on(stream.handle, device.ordinal, size), size, owned=True, release=release)

    @classmethod
    def from_handle(cls, pointer: int, size: int, device: Device) -> Self:
        """Memory that another library owns."""
        return cls(device, pointer, size, owned=False)

    def copy_from(self, source: Buffer | HostMemory, *, stream: Stream | None = None) -> None:
        """Copy all of `source` to the start of this buffer.

        From host memory (anything with the buffer protocol, contiguous) the copy is complete on return; from another
        buffer it is only enqueued.
        """
        if isinstance(source, Buffer):
            self._copy(source, self, source.size, stream)
            return
        pointer, size, _keep = _host_pointer(source, writable=False)
        self._enqueue(self.handle, pointer, size, stream, CopyKind.HOST_TO_DEVICE)
        self._finish(stream)

    def copy_to(self, target: Buffer | HostMemory, *, stream: Stream | None = None) -> None:
        """Fill all of `target` from the start of this buffer; as `copy_from` about host memory."""
        if isinstance(target, Buffer):
            self._copy(self, target, target.size, stream)
            return
        pointer, size, _keep = _host_pointer(target, writable=True)
        self._enqueue(pointer, self.handle, size, stream, CopyKind.DEVICE_TO_HOST)
        self._finish(stream)

    def fill(self, value: int, *, stream: Stream | None = None) -> None:
        """Set every byte to `value` (0-255); only enqueued."""
        if not 0 <= value <= 255:
            raise ArgumentError(f"a buffer is filled with a byte from 0 to 255, got {value!r}")
        self.device.runtime.memset(self.handle, value, self.size, stream.handle if stream is not None else 0)

    def _copy(self, source: Buffer, target: Buffer, size: int, stream: Stream | None) -> None:
        """Enqueue a copy between buffers, of one device or of two."""
        if source.device == target.device:
            self._enqueue(target.handle, source.handle, size, stream, CopyKind.DEVICE_TO_DEVICE)
            return
        self._check(size)
        ordinals = target.device.ordinal, source.device.ordinal
        if size:
            self.device.runtime.copy_between(
                target.handle, ordinals[0], source.handle, ordinals[1], size, stream.handle if stream is not None else 0
            )

    def _enqueue(self, to: int, source: int, size: int, stream: Stream | None, kind: CopyKind) -> None:
        self._check(size)
        if size:
            self.device.runtime.copy(to, source, size, stream.handle if stream is not None else 0, kind)

    def _check(self, size: int) -> None:
        if size > self.size:
            raise RuntimeFailure(f"a copy of {size!r} bytes exceeds a buffer of {self.size!r} bytes")

    def _finish(self, stream: Stream | None) -> None:
        """Host memory belongs to the caller again when a copy returns."""
        self.device.runtime.synchronize_stream(stream.handle if stream is not None else 0)


def _checked_size(size: object) -> int:
    """A number of bytes that a driver takes; what is wider would be cut."""
    try:
        found = operator.index(size)  # type: ignore[arg-type]
    except TypeError:
        found = -1
    if not 0 <= found < 1 << 63:
        raise ArgumentError(f"a buffer has from 0 to 2**63 - 1 bytes, an integer; found {size!r}")
    return found


def _free_on(stream: Stream, pointer: int) -> None:
    """Release memory behind what is in `stream`, which lives until then; of a stream that was closed, at once."""
    if stream.is_closed:
        stream.device.runtime.free(pointer)
    else:
        stream.device.runtime.free_on(stream.handle, pointer)


def _host_pointer(memory: HostMemory, *, writable: bool) -> tuple[int, int, object]:
    """Address and size of an object with the buffer protocol, and what keeps them valid."""
    view = memoryview(memory)
    if not view.c_contiguous or (writable and view.readonly):
        wanted = "writable and C-contiguous" if writable else "C-contiguous"
        raise ArgumentError(f"host memory must be {wanted}, got {with_article(repr(type(memory).__name__))}")
    if view.nbytes == 0:
        return 0, 0, view
    if view.readonly:  # ctypes exports no address of it: bytes are read in place, anything else through a copy
        data = memory if isinstance(memory, bytes) else view.tobytes()
        return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0, len(data), data
    array = (ctypes.c_char * view.nbytes).from_buffer(view.cast("B"))
    return ctypes.addressof(array), view.nbytes, array
