"""Calls that outlive their function: code and arguments by name in the cache, for processes that know no source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self

from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.base.location import locating
from flydsl.cache.lock import Once
from flydsl.cache.store import default_store
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.constexpr import BoundConstexpr
from flydsl.compiler.call.stub import Site, make_plan, make_site
from flydsl.compiler.stages.artifact import Artifact, Loaded
from flydsl.compiler.stages.failures import at_launch
from flydsl.compiler.stages.pipeline import Traced
from flydsl.expr import numeric
from flydsl.frontend.signature import Parameter
from flydsl.plugins.active.border import checked_table
from flydsl.plugins.active.selection import ActivePair, active_pair
from flydsl.plugins.active.stack import claim_runtime
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.runtime.kernel import check_launch
from flydsl.runtime.retained import retainer


class RecordedArgument(NamedTuple):
    """A leaf of the arguments: its name, the kind of its parameter, the type of a number, and the text of its spec."""

    name: str
    kind: str
    dtype: str
    text: str

    def parameter(self) -> Parameter:
        """The parameter that takes such arguments only."""
        return Parameter(self.name, self.kind, getattr(numeric, self.dtype) if self.dtype else None)


class RecordedCall:
    """Compiled code and the types of the leaves that it takes; compile-time values are part of the code."""

    def __init__(
        self, compiled: Artifact, arguments: Sequence[RecordedArgument], written: Sequence[int], note: str = ""
    ) -> None:
        self.note = note
        self._compiled, self.arguments = compiled, tuple(arguments)
        self.artifact = replace(compiled, written=tuple(written))
        self._parameters = [argument.parameter() for argument in arguments]
        self._sites: dict[tuple[type, ...], Site] = {}
        self._loaded: Once[Any, Loaded] = Once()

    @classmethod
    def of(cls, call: BoundCall, artifact: Artifact) -> Self:
        """The call without its function, which `artifact` is the code of."""
        kept = [
            (position, argument)
            for position, argument in enumerate(call.arguments)
            if not isinstance(argument, BoundConstexpr)
        ]
        written = tuple(index for index, (position, _) in enumerate(kept) if position in artifact.written)
        arguments = []
        for _, argument in kept:
            kind = argument.parameter.kind
            text, dtype = argument.spec.text(), getattr(argument.spec, "dtype", "")
            if kind == "any":
                kind = "scalar" if text == dtype else "tensor" if dtype else kind
            name = argument.parameter.name
            arguments.append(RecordedArgument(name, kind, dtype if kind == "scalar" else "", text))
        return cls(artifact, arguments, written)

    def save(self, name: str, note: str = "") -> bool:
        """Keep the call in the cache under `name`, with text of the caller; False when there is no cache."""
        record = {"note": note, "arguments": json.dumps(self.arguments), "written": json.dumps(self.artifact.written)}
        store = default_store()
        if store.load(self._compiled.key) is None and not store.save(self._compiled.to_entry()):
            return False
        return store.link({"call": name}, {**record, "artifact": json.dumps(dict(self._compiled.key))})

    @classmethod
    def load(cls, name: str) -> Self | None:
        """The call of that name in the cache, if it is there with its code."""
        store = default_store()
        record = store.resolve({"call": name})
        entry = store.load(json.loads(record["artifact"])) if record is not None else None
        if record is None or entry is None:
            return None
        arguments = [RecordedArgument(*fields) for fields in json.loads(record["arguments"])]
        return cls(Artifact.from_entry(entry), arguments, json.loads(record["written"]), record["note"])

    def __call__(self, *leaves: Any) -> None:
        """Launch with these leaves, which must be of the types that the code is for."""
        site = self._sites.get(tuple(map(type, leaves)))
        return self._miss(leaves) if site is None else site.stub(*leaves)

    def _miss(self, leaves: tuple[Any, ...]) -> None:
        with locating():
            pair = active_pair()
            runtime = claim_runtime(pair)
            call = BoundCall.of(self._parameters, leaves, len(leaves), pair.runtime.device_kinds)
            self._check(call)
            call.announce(self.artifact.name, self.artifact.written, lambda a, desc: a.current_stream(desc.device))
            ordinal = call.ordinal(runtime.name)
            loaded = self._load(call, runtime, runtime.current_ordinal() if ordinal is None else ordinal)
            plan = make_plan(loaded, checked_table(runtime), call, with_extents=runtime.checks_extents)
        types = tuple(map(type, leaves))
        site = self._sites.get(types)
        if site is None or site.pair is not pair:
            self._sites[types] = site = self._site(call, pair, runtime)
        if ordinal is not None or runtime.device_count() < 2:  # else each call asks for the current device
            site.add(leaves, plan, call.held)
        site.stub(*leaves, plan, held=call.held)

    def _check(self, call: BoundCall) -> None:
        for recorded, argument in zip(self.arguments, call.arguments, strict=True):
            if argument.spec.text() != recorded.text:
                raise ArgumentError(
                    f"argument {recorded.name!r} of {self.artifact.name!r} is {argument.spec.text()}, the recorded "
                    f"code is for {recorded.text}; run where the function is known, which compiles for it"
                )

    def _load(self, call: BoundCall, runtime: DeviceRuntime, ordinal: int) -> Loaded:
        def load() -> Loaded:
            call.refuse_capture(self.artifact.name)
            return self.artifact.load(ordinal)

        return self._loaded.get((runtime, ordinal), load)

    def _site(self, call: BoundCall, pair: ActivePair, runtime: DeviceRuntime) -> Site:
        check_leaves = call.check()

        def check(leaves: tuple[Any, ...]) -> None:
            with locating():
                check_leaves(leaves)

        def fail(code: int) -> None:
            with at_launch(_no_trace):
                check_launch(code, runtime)

        return make_site(
            call,
            frozenset(self.artifact.written),
            pair=pair,
            is_current=None,
            miss=self._miss,
            check=check,
            fail=fail,
            within=runtime.launch_within if runtime.checks_extents else None,
            retain=retainer(runtime),
        )


def _no_trace() -> Traced:
    raise FlyDSLError("the function is not known here")
