"""Marks of a timeline inside of kernels: they leave no code, as no backend here records them.

Programs that mark their kernels run as they are; to time kernels, use the vendor's profiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from flydsl.base.errors import UnsupportedConstructError

inactive_token = 0
"""The token of a range that is not recorded."""


def tracing_enabled() -> bool:
    """Whether marks are recorded: they are not."""
    return False


def mark(name: str, payload: Any = None) -> None:
    """A point of the timeline."""


def range_push(name: str, payload: Any = None) -> None:
    """The start of a nested range."""


def range_pop() -> None:
    """The end of the innermost range."""


def range_start(name: str, payload: Any = None) -> int:
    """The start of a range that `range_stop` ends."""
    return inactive_token


def range_stop(token: int) -> None:
    """The end of a range."""


@contextmanager
def range(name: str, payload: Any = None) -> Iterator[None]:
    """A range of the timeline around the block."""
    yield


def capture(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises UnsupportedConstructError: there is no recorder of marks."""
    raise UnsupportedConstructError(
        "marks of fx.ktrace are not recorded, so there is no capture of them; time kernels with the vendor's profiler"
    )


collect = summary = capture
