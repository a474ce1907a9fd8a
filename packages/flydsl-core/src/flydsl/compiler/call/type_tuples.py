"""The types of a call's arguments as a tuple, which calls are told apart by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

TypeTuple = Callable[..., tuple[type, ...]]


class _ByCount(dict[int, TypeTuple]):
    """Generated functions: they take half as long as `tuple(map(type, values))`, at each call."""

    def __missing__(self, count: int) -> TypeTuple:
        names = [f"v{i}" for i in range(count)]
        space: dict[str, Any] = {}
        exec(f"def types({', '.join(names)}): return ({''.join(f'type({name}), ' for name in names)})", space)
        return self.setdefault(count, space["types"])


TYPE_TUPLE = _ByCount()
"""`TYPE_TUPLE[len(values)](*values)`."""
