"""The code of one @jit function: what it is traced from, and what was compiled and loaded of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.base.errors import UnwatchedValueWarning
from flydsl.base.location import user_location
from flydsl.base.process.fork_locks import new_lock
from flydsl.base.process.recursion import DeepRecursion
from flydsl.base.startup.collector import CollectorPause
from flydsl.cache.dependencies import Dependencies, dependencies
from flydsl.cache.lock import Once
from flydsl.compiler.options.hints import Hints
from flydsl.compiler.options.target_options import has_lines, key_options, tools
from flydsl.compiler.stages.artifact import Artifact, Loaded
from flydsl.compiler.stages.build import Request, artifact_for, built, traced_for
from flydsl.compiler.stages.pipeline import Traced, trace
from flydsl.compiler.stages.transformed_function import TransformedFunction
from flydsl.frontend.signature import ArgSpec
from flydsl.plugins.active.fingerprint import covered_packages
from flydsl.plugins.active.selection import resolve_pair
from flydsl.plugins.compile_backend import GPUTarget

if TYPE_CHECKING:
    from flydsl.plugins.device_runtime import DeviceRuntime

Specs = Mapping[str, ArgSpec]

_MAX_ARTIFACTS = 1024
"""Artifacts that one function keeps: one called with ever new constants must not fill the memory."""


class FunctionCode:
    """The code of a function for any arguments and targets, each made once; threads that need the same one wait.

    A global, closure cell, default or helper that has changed is noticed whenever code is asked for. With too many
    artifacts it starts again, and calls `forget` for what else keeps them: the cache on disk has them still.
    """

    def __init__(self, function: FunctionType, forget: Callable[[], None]) -> None:
        self._forget = forget
        self._function: Any = function  # a FunctionType, which type checkers would bind as a method
        self._lock = new_lock()
        self._dependencies: Dependencies | None = None
        self._rewritten = TransformedFunction(function)
        self._artifacts: Once[Any, Artifact] = Once()
        self._loaded: Once[Any, Loaded] = Once()
        self._has_warned = False

    @property
    def rewritten(self) -> Any:
        """The function with its control flow rewritten."""
        return self._rewritten()

    @property
    def loads(self) -> int:
        """How many artifacts are loaded."""
        return len(self._loaded)

    def dependencies(self, target: GPUTarget) -> Dependencies:
        """What the function reads now, outside of the packages that the fingerprint of the target's plugins covers."""
        covered = covered_packages(resolve_pair(target.backend))
        with self._lock:
            known = self._dependencies
            if known is None or known.covered != covered or not known.is_current():
                self._dependencies = known = dependencies(self._function, covered=covered)
                self._rewritten.forget()
            return known

    def traced(self, specs: Specs, target: GPUTarget, hints: Hints) -> Traced:
        """The Fly module for arguments of these types."""
        with DeepRecursion():
            return trace(self.rewritten, specs, target, hints)

    def artifact(self, specs: Specs, target: GPUTarget, hints: Hints) -> tuple[Artifact, Dependencies]:
        """Machine code for arguments of these types, from the cache or else compiled; and what it rests on."""
        with CollectorPause(), DeepRecursion():
            return self._artifact(specs, target, hints)

    def _artifact(self, specs: Specs, target: GPUTarget, hints: Hints) -> tuple[Artifact, Dependencies]:
        dependencies = self.dependencies(target)
        request = Request(self._function.__name__, lambda: self.rewritten, specs, target, dependencies, hints)
        if len(self._artifacts) >= _MAX_ARTIFACTS:
            self._artifacts = Once()
        if dependencies.unguarded:
            return self._traced_artifact(request), dependencies
        made_by = tools(target.backend)
        request = request._replace(tools=made_by)
        options = (*key_options(hints, target.backend).items(), *made_by.items())
        positions = dependencies.source_positions if has_lines(hints) else ""
        pair = resolve_pair(target.backend)  # a backend may be replaced by another one of its name
        key = (pair, target, request.signature(), dependencies.token, positions, options)
        artifact = self._artifacts.get(key, lambda: artifact_for(request, lambda: self._settle(dependencies)))
        with self._lock:
            known = self._dependencies
        return artifact, known if known is not None and known.token == dependencies.token else dependencies

    def _traced_artifact(self, request: Request) -> Artifact:
        """The artifact of a function that reads what nothing can watch: traced at each call, compiled once an IR."""
        traced = traced_for(request)
        self._warn_once(request.dependencies.unguarded)
        return self._artifacts.get(tuple(traced.key().items()), lambda: built(traced))

    def _warn_once(self, unguarded: str) -> None:
        with self._lock:
            had, self._has_warned = self._has_warned, True
        if not had:
            import warnings

            caller = user_location()
            warnings.warn_explicit(
                f"{self._function.__name__!r} is traced at each call, as no check sees a change of all that it reads; "
                f"{unguarded}; pass such a value as an argument, or keep it in a global number, string or tuple",
                UnwatchedValueWarning,
                caller.file if caller is not None else __file__,
                caller.line if caller is not None else 1,
            )

    def _settle(self, dependencies: Dependencies) -> None:
        """A trace has ended: what it changed itself is no reason to trace again."""
        after = dependencies.after_trace()
        with self._lock:
            if self._dependencies is dependencies:
                self._dependencies = after

    def loaded(
        self,
        artifact: Artifact,
        runtime: DeviceRuntime,
        ordinal: int,
        before_load: Callable[[], object] = lambda: None,
    ) -> Loaded:
        """`artifact` on a device of the active runtime; `before_load` may refuse to load what is not loaded yet."""

        def load() -> Loaded:
            before_load()
            return artifact.load(ordinal)

        if len(self._loaded) >= _MAX_ARTIFACTS and runtime.unloads_unused:
            self._loaded = Once()
            self._forget()
        loaded = self._loaded.get((artifact.launcher, runtime, ordinal), load)
        return loaded._replace(artifact=artifact)  # equal code may have been loaded for another key


class KeptCode(NamedTuple):
    """The code that was made for one call, whatever its function reads since; of other calls that of the function."""

    code: FunctionCode
    specs: Specs
    target: GPUTarget
    made: tuple[Artifact, Dependencies]

    def artifact(self, specs: Specs, target: GPUTarget, hints: Hints) -> tuple[Artifact, Dependencies]:
        """As `FunctionCode.artifact`."""
        wanted, known = (target, _texts(specs)), (self.target, _texts(self.specs))
        return self.made if wanted == known else self.code.artifact(specs, target, hints)


def _texts(specs: Specs) -> dict[str, str]:
    return {name: spec.text() for name, spec in specs.items()}
