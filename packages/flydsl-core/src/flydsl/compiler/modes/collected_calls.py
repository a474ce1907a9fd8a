"""Calls that are compiled and not launched: the code of each is collected instead."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flydsl.compiler.modes.call_mode import call_mode, changed_mode

if TYPE_CHECKING:
    from flydsl.compiler.stages.artifact import Artifact


def is_collecting() -> bool:
    """Whether calls of this context are compiled only."""
    return call_mode().artifacts is not None


def collect(artifact: Artifact) -> None:
    """Keep the code of a call for the block around it."""
    artifacts = call_mode().artifacts
    if artifacts is not None:
        artifacts.append(artifact)


@contextmanager
def collecting_artifacts() -> Iterator[list[Artifact]]:
    """Compile the calls of @jit functions in the block and launch none; the list gets their code, call by call.

    Needs no device. `flyc.compile` in the block launches nothing either; what it gave before launches as ever.
    """
    artifacts: list[Artifact] = []
    with changed_mode(artifacts=artifacts):
        yield artifacts
