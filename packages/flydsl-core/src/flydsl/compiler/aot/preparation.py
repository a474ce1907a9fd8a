"""How a @jit function becomes a `CompiledFunction`: loaded at once, or compiled ahead of anything to launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.location import locating
from flydsl.compiler.aot.compiled import CompiledFunction, Ready
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.container import flat
from flydsl.compiler.call.sites import container_stub
from flydsl.compiler.modes.collected_calls import collect, is_collecting
from flydsl.compiler.options.target_options import target_of, tensor_alignment
from flydsl.compiler.stages.function_code import FunctionCode, KeptCode
from flydsl.plugins.active.selection import active_pair

if TYPE_CHECKING:
    from flydsl.cache.dependencies import Dependencies
    from flydsl.compiler.call.prepared_call import PreparedCall
    from flydsl.compiler.call.stub import Site
    from flydsl.compiler.jit import JitFunction
    from flydsl.compiler.options.hints import Hints
    from flydsl.compiler.stages.artifact import Artifact
    from flydsl.plugins.compile_backend import GPUTarget

Values = tuple[Any, ...]


class Preparation:
    """One function with the hints of this compilation, and what loads or makes its code for arguments."""

    __slots__ = ("_code", "_function", "_hints", "_make", "_prepare")

    def __init__(
        self,
        function: JitFunction,
        code: FunctionCode,
        hints: Hints,
        prepare: Callable[[Values, Hints, KeptCode | None], PreparedCall],
        make: Callable[[BoundCall, GPUTarget, Hints], tuple[Artifact, Dependencies]],
    ) -> None:
        self._function, self._code, self._hints = function, code, hints
        self._prepare, self._make = prepare, make

    def is_ahead(self, values: Values) -> bool:
        """Whether nothing is to be loaded: calls are compiled only, or the arguments are placeholders."""
        if settings.compile.compile_only or is_collecting():
            return True
        kinds = active_pair().runtime.device_kinds
        return BoundCall.of(self._function.parameters, values).is_placeholder(kinds)

    def unloaded(self, values: Values, given: int) -> CompiledFunction:
        """Code for these arguments, the first `given` of them no defaults; a call with live ones loads it."""
        target = target_of()
        call = BoundCall.of(self._function.parameters, values).aligned_to(tensor_alignment(target))
        artifact, dependencies = self._make(call, target, self._hints)
        collect(artifact)
        kept = KeptCode(self._code, call.specs(), target, (artifact, dependencies))
        return CompiledFunction(self._function, call, artifact, self._loader(kept), given)

    def loaded(self, prepared: PreparedCall, given: int) -> tuple[CompiledFunction, Site]:
        """What launches like this call, whose first `given` arguments are no defaults, and the site of such calls."""
        compiled = CompiledFunction(self._function, prepared.call, prepared.loaded.artifact, self._loader(None), given)
        return compiled, compiled.serve(self._ready(prepared))

    def _loader(self, kept: KeptCode | None) -> Callable[[Values], Ready]:
        return lambda values: self._ready(self._prepare(values, self._hints, kept))

    def _ready(self, prepared: PreparedCall) -> Ready:
        call, site = prepared.call, prepared.make_site(self._miss)
        site.add(call.passed_leaves, prepared.plan, call.held)
        stub = site.serve
        if call.has_containers:
            key, _ = flat(self._function.parameters, call.values)
            stub = container_stub(self._function.parameters, {key: site}, self._miss)
        return Ready(stub, site, prepared.loaded, prepared.runtime)

    def _miss(self, values: Values) -> None:
        """A call with arguments of another layout: an ordinary one, or one with these hints."""
        if not self._hints:
            self._function(*values)
            return None
        with locating():
            other = self._prepare(values, self._hints, None)
        return other.launch(other.make_site(self._miss))
