"""Findings of `flydsl doctor`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flydsl.base.errors import FlyDSLError, shown


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `is_problem` when something is broken, and the text says what to do."""

    topic: str
    text: str
    is_problem: bool = False


def attempt(topic: str, describe: Callable[[], str], advice: str = "") -> Finding:
    """The text of `describe`, or why it fails and `advice`: whatever a plugin does, the report goes on."""
    try:
        return Finding(topic, describe())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return Finding(topic, "\n".join(filter(None, [described(error), advice])), is_problem=True)


def described(error: BaseException) -> str:
    """An error as one reads it: our own speak for themselves, others need their name."""
    own = isinstance(error, FlyDSLError)
    return str(error) if own else f"{type(error).__name__}: {shown(error)}"
