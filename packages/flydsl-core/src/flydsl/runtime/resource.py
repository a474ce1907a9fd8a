"""Handles with a lifetime, closed exactly once."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from flydsl.base.errors import RuntimeFailure

if TYPE_CHECKING:
    from flydsl.runtime.device import Device


class Resource:
    """Base of streams, events and buffers: owned ones are released on close or when collected, foreign ones never."""

    __slots__ = ("__weakref__", "_finalizer", "_handle", "device")

    def __init__(self, device: Device, handle: int, release: Callable[[int], None] | None) -> None:
        self.device, self._handle = device, handle
        self._finalizer: weakref.finalize[..., Resource] | None = None
        if release is not None:
            self._finalizer = weakref.finalize(self, release, handle)
            self._finalizer.atexit = False  # a driver may be gone by then; the process's end frees everything

    @property
    def is_closed(self) -> bool:
        """Whether it was released; never true of what another library owns."""
        return self._finalizer is not None and not self._finalizer.alive

    @property
    def handle(self) -> int:
        """The runtime's handle or pointer; RuntimeFailure once closed."""
        if self.is_closed:
            raise RuntimeFailure(f"this {type(self).__name__.lower()} is closed")
        return self._handle

    def close(self) -> None:
        """Release it, if it is owned; closing twice is allowed."""
        if self._finalizer is not None:
            self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._handle:#x} of {self.device!r}>"
