"""The kernel calls of graphs by key: what a trace resolved, what launches it, and how another process finds it.

A key is text made of the compiled code and of how the arguments are passed, never an address or a number of this
process: torch shares its graph caches among processes.
"""

from __future__ import annotations

import hashlib
import json
import weakref
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from flydsl.backend.runtime import new_lock
from flydsl.base.errors import RuntimeFailure

if TYPE_CHECKING:
    from flydsl.backend.frameworks import BoundCall
    from flydsl.compiler import JitFunction
    from flydsl.torch.call_structure import Values

Part = tuple[str, Any]
"""Where a leaf of the arguments is: ('in' | 'out' | 'int' | 'float', index) in the operator's lists, or a value."""

_LISTS = ("in", "out", "int", "float", "value")


class GraphCall(NamedTuple):
    """A kernel call of a graph: the lists of the operator in, a launch out."""

    launch: Callable[..., None]
    parts: tuple[tuple[int, int], ...]
    constants: tuple[Any, ...]
    build: Callable[[Sequence[Any]], Sequence[Any]] | None = None
    """What makes arguments of leaves, where some are containers."""

    @classmethod
    def of(cls, launch: Callable[..., None], parts: Sequence[Part], build: Any = None) -> GraphCall:
        """A call of `launch` with leaves from these parts."""
        constants = tuple(what for kind, what in parts if kind == "value")
        rest = iter(range(len(constants)))
        places = tuple((_LISTS.index(kind), next(rest) if kind == "value" else what) for kind, what in parts)
        return cls(launch, places, constants, build)

    def __call__(
        self,
        ins: Sequence[torch.Tensor],
        outs: Sequence[torch.Tensor],
        ints: Sequence[int],
        floats: Sequence[float],
    ) -> None:
        """Launch with the tensors and numbers of the graph."""
        lists = (ins, outs, ints, floats, self.constants)
        leaves: Sequence[Any] = [lists[kind][index] for kind, index in self.parts]
        self.launch(*(leaves if self.build is None else self.build(leaves)))


class Calls(dict[str, GraphCall]):
    """All calls that this process knows; those of others are looked for in the cache."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = new_lock()
        self._functions: dict[str, list[weakref.ref[JitFunction]]] = {}

    def add(self, function: JitFunction, values: Values, call: BoundCall, code: Code) -> str:
        """The key of a call of `function`, which is known from now on."""
        parts = [values.part(leaf, code.places) for leaf in call.leaves.values]
        key = f"{function.__name__}:{self._digest(function, call, code, parts)}"
        if dict.get(self, key) is None:
            build = call.leaves.builder(len(call.values)) if call.has_containers else None
            self[key] = GraphCall.of(function.limited(code.artifact.written), parts, build)
        _record(key, call, code, parts)  # again: the cache may have been cleared, or be another one
        return key

    def _digest(self, function: JitFunction, call: BoundCall, code: Code, parts: Sequence[Part]) -> str:
        from flydsl.backend.frameworks import digest

        types = "; ".join(f"{name}: {spec.text()}" for name, spec in call.specs().items())
        shown = [(kind, what if type(what) is int else repr(what)) for kind, what in parts]
        identity = (*self._identity(function), digest(code.artifact.key), types, shown, sorted(code.artifact.written))
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:32]

    def _identity(self, function: JitFunction) -> tuple[str, int]:
        """The name of a function, and its number among those of that name, which may come to read other values."""
        name = f"{function.__module__}.{function.__qualname__}"
        with self._lock:
            known = self._functions.setdefault(name, [])
            for number, other in enumerate(known):
                if other() is function:
                    return name, number
            known.append(weakref.ref(function))
            return name, len(known) - 1

    def __missing__(self, key: str) -> GraphCall:
        """A call that another process traced, from the cache; RuntimeFailure when it is not there."""
        from flydsl.backend.frameworks import RecordedCall
        from flydsl.base import settings

        recorded = RecordedCall.load(key)
        if recorded is None:
            name = key.partition(":")[0]
            raise RuntimeFailure(
                f"the graph calls kernel function {name!r} as {key!r}, which was traced in another process and is not "
                f"in the cache {str(settings.runtime.cache_dir)!r}; set FLYDSL_RUNTIME_CACHE_DIR to the cache of the "
                "process that traced or exported it, or trace it again"
            )
        parts = [(kind, what) for kind, what in json.loads(recorded.note)]
        self[key] = call = GraphCall.of(recorded, parts)
        return call


class Code(NamedTuple):
    """What a trace found out: the compiled code, and where each tensor of the call goes in the operator's lists."""

    artifact: Any
    places: tuple[Part, ...]


def _record(key: str, call: BoundCall, code: Code, parts: Sequence[Part]) -> None:
    """Keep the call for other processes, if its values can be written down."""
    from flydsl.backend.frameworks import BoundConstexpr, RecordedCall

    kept = [
        (kind, what) if kind != "value" or isinstance(what, bool | int | float) else ("value", None)
        for (kind, what), argument in zip(parts, call.arguments, strict=True)
        if not isinstance(argument, BoundConstexpr)
    ]
    RecordedCall.of(call, code.artifact).save(key, json.dumps(kept))


calls = Calls()
