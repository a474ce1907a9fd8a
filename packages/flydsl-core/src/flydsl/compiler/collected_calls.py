"""Calls that are compiled and not launched: the code of each is collected instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from flydsl.compiler.interpreting import blocks

if TYPE_CHECKING:
    from flydsl.compiler.artifact import Artifact

_ARTIFACTS: ContextVar[list[Artifact] | None] = ContextVar("flydsl_collected_artifacts", default=None)


def is_collecting() -> bool:
    """Whether calls of this context are compiled only."""
    return _ARTIFACTS.get() is not None


def collect(artifact: Artifact) -> None:
    """Keep the code of a call for the block around it."""
    artifacts = _ARTIFACTS.get()
    if artifacts is not None:
        artifacts.append(artifact)


@contextmanager
def collecting_artifacts() -> Iterator[list[Artifact]]:
    """Compile the calls of @jit functions in the block and launch none; the list gets their code, call by call.

    Needs no device. `flyc.compile` in the block launches nothing either; what it gave before launches as ever.
    """
    artifacts: list[Artifact] = []
    token = _ARTIFACTS.set(artifacts)
    blocks.add(1)
    try:
        yield artifacts
    finally:
        blocks.add(-1)
        _ARTIFACTS.reset(token)
