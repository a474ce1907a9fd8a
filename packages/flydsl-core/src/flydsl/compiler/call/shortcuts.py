"""Shortcuts of a call site: plans found by one comparison of all tensors, in the framework's own code."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from flydsl.plugins.tensor_adaptor import Match, Matcher

MOST = 2
"""Shortcuts of one key. Each that does not fit delays the calls that find their plan without one."""


class Shortcuts(dict[Hashable, tuple[tuple[Match, Any], ...]]):
    """By what the tensors do not tell: comparisons, each with the plan for tensors of which it is true.

    Entries are replaced whole, so that readers need no lock.
    """

    __slots__ = ("_matcher", "_plans", "_written")

    def __init__(self, plans: Mapping[Any, Any], matcher: Matcher, written: Sequence[bool]) -> None:
        self._plans, self._matcher, self._written = plans, matcher, written

    def add(self, rest: Hashable, tensors: Sequence[Any], key: Callable[..., Hashable], leaves: Sequence[Any]) -> None:
        """A shortcut to the plan of calls with these leaves; where none can be made, one that never fits."""
        match = self._matcher(tensors, self._written)
        # tensors that another thread changes meanwhile match no longer, or have the plan that is found now
        plan = self._plans.get(key(*leaves)) if match is not None and match(*tensors) else None
        entry = (_never, None) if match is None or plan is None else (match, plan)
        self[rest] = (*self.get(rest, ())[: MOST - 1], entry)


def _never(*tensors: Any) -> bool:
    return False
