"""`@flyc.jit`: a host function that launches kernels in, a callable that compiles once for each signature out."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Sequence
from functools import cached_property
from types import FunctionType
from typing import Any

from flydsl.base import settings
from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import ArgumentError, FlyDSLError, FrontendError
from flydsl.base.location import user_traceback
from flydsl.cache.dependencies import Dependencies, dependencies
from flydsl.cache.lock import Once
from flydsl.compiler import pipeline
from flydsl.compiler.argument_tree import Leaves, expand, flat, has_container
from flydsl.compiler.arguments import BoundArgument, check_keywords
from flydsl.compiler.build import Request, artifact_for
from flydsl.compiler.compiled import CompiledFunction
from flydsl.compiler.dispatch import Call, Site, make_site
from flydsl.compiler.failures import at_call, at_launch
from flydsl.compiler.hints import NO_HINTS, CompileHints, Hints, frozen_hints
from flydsl.compiler.interpret import interpret, is_interpreting
from flydsl.compiler.plan import make_plan
from flydsl.compiler.ready import Ready, announce_tensors, bind_leaves
from flydsl.compiler.stages import Artifact, Loaded, Traced
from flydsl.expr.tracing.context import is_tracing
from flydsl.frontend.signature import Parameter, Spec, parameters
from flydsl.frontend.source import python_function
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.plugins.fingerprint import covered_packages
from flydsl.plugins.selection import ActivePair, active_pair, resolve_pair
from flydsl.plugins.stack import claim_runtime
from flydsl.runtime.kernel import check_launch


class JitFunction:
    """A host function compiled at its first call with a signature, and launched through a generated stub after it.

    Thread-safe: threads that call one cold signature compile it once. The function, its closure and its module stay as
    they are; a global, closure cell, default or helper that changes between calls is noticed.
    """

    def __init__(self, function: FunctionType) -> None:
        functools.update_wrapper(self, function)
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__wrapped__ = function
        self._hints = CompileHints(self._forget_sites)
        self._stubs: dict[tuple[type, ...], Callable[..., None]] = {}
        self._sites: dict[tuple[Any, ...], Site] = {}
        self._code: Once[Any, Artifact] = Once()
        self._loaded: Once[Any, Loaded] = Once()
        self._lock = threading.Lock()
        self._dependencies: Dependencies | None = None

    @property
    def compile_hints(self) -> dict[str, Any]:
        """Options for the backend, by name; a change of them holds for later calls."""
        return self._hints

    @compile_hints.setter
    def compile_hints(self, hints: dict[str, Any]) -> None:
        checked = dict(frozen_hints(hints))
        self._hints.clear()
        self._hints.update(checked)

    def __cache_signature__(self) -> tuple[object, ...]:
        """What the cache must know of this function when another one uses it."""
        return tuple(sorted(self._hints.items()))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters with what their annotations say."""
        return parameters(self.__wrapped__)

    @cached_property
    def _signature(self) -> inspect.Signature:
        return inspect.signature(self.__wrapped__)

    @property
    def rewritten(self) -> Any:
        """The function with its control flow rewritten."""
        return self._rewritten

    @cached_property
    def _rewritten(self) -> Any:  # a FunctionType, which type checkers would bind as a method
        from flydsl.frontend.rewrite import rewrite

        return rewrite(self.__wrapped__)

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        if not kwargs:
            stub = self._stubs.get(tuple(map(type, args)))
            if stub is not None:
                return stub(*args)
        if is_tracing():  # a host function used by another one becomes part of it
            self._rewritten(*args, **kwargs)
            return None
        with at_call():
            values = args if not kwargs else self._complete(args, kwargs)
        return self._miss(values)

    def __getitem__(self, extents: Any) -> Any:
        with at_call():
            raise FrontendError(
                f"{self.__name__!r} is a @flyc.jit function and has no grid {extents!r}; the kernels that it calls "
                "have one: kernel(...).launch(grid=..., block=...)"
            )

    def bind(self, *args: Any, **kwargs: Any) -> tuple[Leaves, list[BoundArgument], dict[str, Spec]]:
        """The leaves of the arguments, what each is bound to, and the specs of the parameters; for any device."""
        with at_call():
            leaves = expand(self.parameters, self._complete(args, kwargs))
            bound = bind_leaves(leaves, frozenset())
        return leaves, bound, self._specs(leaves, bound)

    def trace(self, *args: Any, backend: str | None = None, arch: str = "", **kwargs: Any) -> Traced:
        """Trace for these arguments and any target; `.lower().compile()` on the result makes code. Needs no device."""
        with at_call():
            leaves = expand(self.parameters, self._complete(args, kwargs))
            bound, target = bind_leaves(leaves, frozenset()), pipeline.target_of(backend, arch)
        return self._traced(leaves, bound, target, NO_HINTS)

    def prepare(self, *args: Any, **kwargs: Any) -> CompiledFunction:
        """Compile and load for these arguments; the result launches for arguments of the same types.

        It keeps the code of now, whatever globals become later; arguments of another layout are an ordinary call.
        """
        return self.prepare_with(NO_HINTS, args, kwargs)

    def prepare_with(self, hints: Hints, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CompiledFunction:
        """`prepare` with `hints` besides those of the function."""
        with at_call():
            ready = self._ready(self._complete(args, kwargs), hints)
        build = ready.leaves.builder(len(ready.given))

        def miss(values: tuple[Any, ...]) -> None:
            return self.prepare_with(hints, values, {})(*values) if hints else self(*values)

        site = self._make_site(ready, ready.written, miss=lambda leaves: miss(build(leaves)))
        site.add(ready.leaves.values, ready.plan)
        stub = site.stub
        if has_container(self.parameters, ready.given):
            key, _ = flat(self.parameters, ready.given)
            stub = self._container_stub({key: site}, miss)
        specs = [argument.spec for argument in ready.bound]
        arguments = list(zip(ready.leaves.parameters, specs, strict=True))
        return CompiledFunction(self, stub, ready.loaded, ready.runtime, arguments)

    def _miss(self, values: tuple[Any, ...]) -> None:
        if is_interpreting():
            interpret(self)(*values)
            return
        if settings.compile.compile_only:
            with at_call():
                leaves = expand(self.parameters, self._complete(values, {}))
                self._artifact(leaves, bind_leaves(leaves, frozenset()), pipeline.target_of())
            return
        try:
            with at_call():
                stub = self._resolve(values)
        except FlyDSLError as error:
            if settings.debug.show_stacktrace:
                raise
            raise error.with_traceback(None) from error.__cause__  # the message shows the user's lines
        except Exception as error:
            frames = None if settings.debug.show_stacktrace else user_traceback(error.__traceback__)
            if frames is None:
                raise
            raise error.with_traceback(frames) from error.__cause__
        stub(*values)

    def _resolve(self, given: tuple[Any, ...]) -> Callable[..., None]:
        """The stub for a call with the arguments `given`, with a plan that serves it."""
        ready = self._ready(given)
        with self._lock:
            return self._publish(ready)

    def _ready(self, given: tuple[Any, ...], hints: Hints = NO_HINTS) -> Ready:
        """The code for a call with the arguments `given`, loaded."""
        pair = active_pair()
        leaves = expand(self.parameters, self._complete(given, {}))
        runtime = claim_runtime(pair)
        bound = bind_leaves(leaves, pair.runtime.device_kinds)
        devices = (b.desc.device for b in bound if b.desc is not None)
        ordinal = next((d.ordinal for d in devices if d.kind != DeviceKind.CPU), runtime.current_ordinal())
        target = pipeline.target_of(pair.backend.name, device=runtime.device_info(ordinal))
        artifact = self._artifact(leaves, bound, target, hints)
        announce_tensors(
            self.__name__, leaves, bound, artifact.written, lambda adaptor, desc: adaptor.current_stream(desc.device)
        )
        with at_launch(lambda: self._traced(leaves, bound, target, hints)):
            loaded = self._loaded.get((artifact.launcher, pair.runtime.name, ordinal), lambda: artifact.load(ordinal))
        plan = make_plan(loaded, runtime.api_table(), bound)
        loaded = loaded._replace(artifact=artifact)  # equal code may have been loaded for another key
        return Ready(given, leaves, bound, plan, loaded, runtime, pair, hints)

    def _publish(self, ready: Ready) -> Callable[..., None]:
        """Add a plan to its site; the site's stub is made anew when it has to report more written tensors,
        or to look which device is current.
        """
        types = tuple(map(type, ready.given))
        containers = has_container(self.parameters, ready.given)
        key, given = flat(self.parameters, ready.given) if containers else (types, ready.given)
        site = self._sites.get(key)
        if site is None or not site.serves(ready.pair, ready.written, ready.current):
            deps = self._dependencies
            site = self._make_site(
                ready,
                ready.written | (site.written if site is not None else frozenset()),
                pair=ready.pair,
                is_current=deps.checker() if deps is not None and deps.guards else None,
                current=ready.current or (site.current if site is not None else None),
                miss=self._miss if not containers else self._miss_of_leaves(ready),
            )
            self._sites[key] = site
        site.add(given, ready.plan)
        stub = site.stub if not containers else self._container_stub(self._sites, self._miss)
        self._stubs[types] = stub
        return stub

    def _container_stub(self, sites: dict[Any, Site], miss: Callable[[tuple[Any, ...]], None]) -> Callable[..., None]:
        """A stub for calls with containers: it hands their leaves to the stub of the site of their structure."""

        def stub(*args: Any) -> None:
            key, leaves = flat(self.parameters, args)
            site = sites.get(key)
            return miss(args) if site is None else site.stub(*leaves)

        return stub

    def _miss_of_leaves(self, ready: Ready) -> Callable[[tuple[Any, ...]], None]:
        build = ready.leaves.builder(len(ready.given))
        return lambda leaves: self._miss(build(leaves))

    def _make_site(
        self,
        ready: Ready,
        written: frozenset[int],
        *,
        pair: ActivePair | None = None,
        is_current: Callable[[], bool] | None = None,
        current: Callable[[], int] | None = None,
        miss: Callable[[tuple[Any, ...]], None],
    ) -> Site:
        runtime, leaves, given = ready.runtime, ready.leaves, ready.leaves.first(len(ready.given))

        def check(values: tuple[Any, ...]) -> None:
            with at_call():
                bind_leaves(leaves._replace(values=(*values, *leaves.values[given:])), frozenset())

        def fail(code: int) -> None:
            artifact = ready.loaded.artifact
            with at_launch(lambda: self._traced(leaves, ready.bound, artifact.target, ready.hints)):
                check_launch(code, runtime)

        return make_site(
            Call(leaves.parameters, ready.bound, leaves.values, given),
            written,
            pair=pair,
            is_current=is_current,
            current=current,
            miss=miss,
            check=check,
            fail=fail,
        )

    def _traced(self, leaves: Leaves, bound: Sequence[BoundArgument], target: GPUTarget, hints: Hints) -> Traced:
        merged = frozen_hints({**self._hints, **hints})
        return pipeline.trace(self._rewritten, self._specs(leaves, bound), target, merged)

    def _artifact(
        self, leaves: Leaves, bound: Sequence[BoundArgument], target: GPUTarget, hints: Hints = NO_HINTS
    ) -> Artifact:
        merged = frozen_hints({**self._hints, **hints})
        deps = self._current_dependencies(covered_packages(resolve_pair(target.backend)))
        request = Request(self.__name__, lambda: self._rewritten, self._specs(leaves, bound), target, deps, merged)
        key = (target, request.signature(), deps.digest, tuple(request.options().items()))
        return self._code.get(key, lambda: artifact_for(request))

    def _forget_sites(self) -> None:
        with self._lock:
            self._sites, self._stubs = {}, {}

    def _current_dependencies(self, covered: frozenset[str]) -> Dependencies:
        """What the function reads now, outside of the packages `covered`; code made from older values is forgotten."""
        with self._lock:
            known = self._dependencies
            if known is None or known.covered != covered or not known.is_current():
                self._dependencies = known = dependencies(self.__wrapped__, covered=covered)
                self.__dict__.pop("_rewritten", None)
                self.__dict__.pop("_signature", None)
                self._sites, self._stubs = {}, {}
            return known

    def _specs(self, leaves: Leaves, bound: Sequence[BoundArgument]) -> dict[str, Spec]:
        names = [parameter.name for parameter in self.parameters]
        return dict(zip(names, leaves.specs([argument.spec for argument in bound]), strict=True))

    def _complete(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments by position, defaults included."""
        if not kwargs and len(args) == len(self.parameters):
            return args
        try:
            check_keywords(self._signature, kwargs)
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentError(f"{self.__name__}: {error}") from None
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<jit {self.__qualname__}>"


def jit(func: Callable[..., None] | None = None) -> Any:
    """Decorate a host function that builds arguments and launches kernels."""

    def decorate(function: Callable[..., None]) -> JitFunction:
        return JitFunction(python_function(function))

    return decorate if func is None else decorate(func)
