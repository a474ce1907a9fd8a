"""Objects whose memory launches use, kept until these have ended: exports that nobody else keeps."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from flydsl.base.errors import FlyDSLError
from flydsl.plugins.device_runtime import DeviceRuntime

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.05
"""Seconds between two looks at the events."""


class _Entry(NamedTuple):
    runtime: DeviceRuntime
    event: int
    objects: tuple[Any, ...]


class Retained:
    """What is kept. A thread of its own looks which work has ended, as long as there is any."""

    def __init__(self) -> None:
        self._start()
        os.register_at_fork(after_in_child=self._start_in_child)

    def _start(self) -> None:
        self._entries: deque[_Entry] = deque()
        self._for_good: list[object] = []
        self._lock = threading.Lock()
        self._is_watched = False

    def _start_in_child(self) -> None:
        """The child has none of the parent's work, nor its thread; its copies of the objects stay as they are."""
        before = self._entries
        self._start()
        self._for_good.append(before)

    def __len__(self) -> int:
        return len(self._entries)

    def keep(self, runtime: DeviceRuntime, ordinal: int, stream: int, objects: tuple[Any, ...]) -> None:
        """Keep objects until what is enqueued on a stream now has ended; for good, where that cannot be told."""
        try:
            event = runtime.create_event(ordinal, timing=False)
            runtime.record_event(event, stream)
        except FlyDSLError:
            self._for_good.append(objects)
            return
        with self._lock:
            self._entries.append(_Entry(runtime, event, objects))
            starts, self._is_watched = not self._is_watched, True
        if starts:
            threading.Thread(target=self._watch, name="flydsl-retained", daemon=True).start()

    def _watch(self) -> None:
        pause = _FIRST_PAUSE
        while True:
            time.sleep(pause)
            with self._lock:
                if not self._entries:
                    self._is_watched = False
                    return
                entries = list(self._entries)
            ended = [entry for entry in entries if self._has_ended(entry)]
            with self._lock:
                for entry in ended:
                    self._entries.remove(entry)
            pause = _FIRST_PAUSE if ended else min(2 * pause, _LONGEST_PAUSE)
            del entries, ended  # with the objects, which may be large

    def _has_ended(self, entry: _Entry) -> bool:
        try:
            if not entry.runtime.is_reached(entry.event):
                return False
            entry.runtime.destroy_event(entry.event)
        except FlyDSLError:
            self._for_good.append(entry.objects)
        return True


retained = Retained()


def retainer(runtime: DeviceRuntime) -> Callable[[int, int, tuple[Any, ...]], None]:
    """What keeps objects until the work of a stream of a device of `runtime` has ended."""

    def retain(ordinal: int, stream: int, objects: tuple[Any, ...]) -> None:
        if stream or not runtime.default_stream_waits:
            retained.keep(runtime, ordinal, stream, objects)

    return retain
