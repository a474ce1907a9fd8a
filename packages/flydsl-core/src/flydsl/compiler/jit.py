"""`@flyc.jit`: a host function that compiles once for each signature; `_prepare` is the story of a call."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Collection, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, Self, overload

from flydsl.base import settings
from flydsl.base.errors import ArgumentError, CompileError, FlyDSLError, FrontendError
from flydsl.base.files.source_text import keep_texts
from flydsl.base.interception import is_tracing, slow_path_call
from flydsl.base.location import locating, user_traceback
from flydsl.base.other_versions import other_attribute
from flydsl.base.process.fork_locks import forks_wait
from flydsl.base.process.global_object import GlobalObject
from flydsl.compiler.aot.compiled import CompiledFunction
from flydsl.compiler.aot.preparation import Preparation
from flydsl.compiler.call.bound_call import BoundCall, call_recorder
from flydsl.compiler.call.prepared_call import PreparedCall
from flydsl.compiler.call.sites import Sites
from flydsl.compiler.call.stub import make_plan
from flydsl.compiler.call.type_tuples import TYPE_TUPLE
from flydsl.compiler.modes.ambient_hints import HintedCalls, ambient_hints
from flydsl.compiler.modes.call_mode import blocks, is_interpreting
from flydsl.compiler.modes.collected_calls import collect, is_collecting
from flydsl.compiler.options.hints import NO_HINTS, CompileHints, Hints, HintValue, frozen_hints
from flydsl.compiler.options.llvm_pass_settings import NAMES, FileStates, Paths, normalised
from flydsl.compiler.options.target_options import target_of, tensor_alignment
from flydsl.compiler.stages.failures import at_launch
from flydsl.compiler.stages.function_code import FunctionCode, KeptCode
from flydsl.compiler.stages.pipeline import Traced
from flydsl.expr.tracing.context import refuse_tracing
from flydsl.expr.tracing.interruptions import is_part_of_trace, outside_of_trace
from flydsl.frontend.rewriting.source import python_function
from flydsl.frontend.signature import ArgumentOrder, Parameter, Parameters
from flydsl.plugins.active.border import checked_table
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import claim_runtime

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    from flydsl.cache.dependencies import Dependencies
    from flydsl.compiler.aot.portable import CallTemplate
    from flydsl.compiler.stages.artifact import Artifact
    from flydsl.plugins.compile_backend import GPUTarget

    # a default: JitFunction alone is one of any parameters
    P = ParamSpec("P", default=...)
else:
    from typing import ParamSpec

    P = ParamSpec("P")


class JitFunction(GlobalObject, Generic[P]):
    """A host function compiled at its first call with a signature, and launched through a generated stub after it.

    Thread-safe: threads that call one cold signature compile it once. The function, its closure and its module stay as
    they are; a global, closure cell, default or helper that changes between calls is noticed.
    """

    def __init__(self, function: FunctionType, hints: Hints = NO_HINTS) -> None:
        functools.update_wrapper(self, function)
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__wrapped__ = function
        self._texts = keep_texts(function)
        self._parameters, self._order = Parameters(function), ArgumentOrder(function)
        self._sites = Sites()
        self._code = FunctionCode(function, self._sites.clear)
        self._stubs = self._sites.stubs
        self._hints = CompileHints(self._sites.clear)
        self._hints.update(frozen_hints(hints))
        self._hinted: dict[object, HintedCalls] = {}
        self._last = threading.local()

    @property
    def compile_hints(self) -> dict[str, HintValue]:
        """Options for the backend, by name; a change of them holds for later calls."""
        return self._hints

    @compile_hints.setter
    def compile_hints(self, hints: dict[str, HintValue]) -> None:
        checked = dict(frozen_hints(hints))
        self._hints.clear()
        self._hints.update(checked)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """An attribute that other versions have."""
            return other_attribute(self, "flydsl.compiler.JitFunction", name)

    def __cache_signature__(self) -> tuple[object, ...]:
        """What the cache must know of this function when another one uses it."""
        return tuple(sorted(self._hints.items()))

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters with what their annotations say."""
        return self._parameters()

    @property
    def rewritten(self) -> Any:  # a FunctionType, which type checkers would bind as a method
        """The function with its control flow rewritten."""
        return self._code.rewritten

    # An editor shows the parameters as they are written; a caller passes arrays for tensors and numbers for scalars.
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Launch; gives None. In a traced function it is a helper, and gives what it returns."""
        if not (blocks.open or is_tracing()):
            values = self._order.known(args, kwargs) if kwargs else args
            if values is not None:
                launch = self._sites.launch
                if launch is not None and launch(*values) is not NotImplemented:
                    return None
                stub = self._stubs.get(TYPE_TUPLE[len(values)](*values))
                if stub is not None:
                    return stub(*values)
        return slow_path_call(self, args, kwargs)

    def slow_path_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call inside of a trace, interpreted, or the first one of its kind."""
        if is_part_of_trace():  # a function used by another one becomes part of it
            return self.rewritten(*args, **kwargs)
        if is_tracing():
            with outside_of_trace():
                return self(*args, **kwargs)
        values = args
        if kwargs:
            with locating():
                values = self._complete(args, kwargs)
        if is_collecting():
            collect(self._compile(values))
            return None
        if is_interpreting():
            return self._interpret(values)
        if hints := ambient_hints():
            return self._calls_with(hints)(*values)
        stub = self._stubs.get(tuple(map(type, values)))
        return self._miss(values) if stub is None else stub(*values)

    def __getitem__(self, extents: object) -> NoReturn:
        with locating():
            raise FrontendError(
                f"{self.__name__!r} is a @flyc.jit function and has no grid {extents!r}; the kernels that it calls "
                "have one: kernel(...).launch(grid=..., block=...)"
            )

    def bind(self, *args: Any, **kwargs: Any) -> BoundCall:
        """The call with these arguments, bound for any device."""
        with locating():
            return BoundCall.of(self.parameters, self._complete(args, kwargs))

    def trace(self, *args: Any, backend: str | None = None, arch: str = "", **kwargs: Any) -> Traced:
        """Trace for these arguments and any target; `.lower().compile()` on the result makes code. Needs no device."""
        with locating():
            target = target_of(backend, arch)
            specs = self.bind(*args, **kwargs).aligned_to(tensor_alignment(target)).specs()
        return self._code.traced(specs, target, self._merged(NO_HINTS))

    def portable(self, *args: Any, backend: str | None = None, arch: str = "", **kwargs: Any) -> CallTemplate:
        """Code for these arguments on any target, and the arguments packed but for tensors, which are placeholders.

        For whoever launches from elsewhere, such as a framework's own compiler. Needs no device.
        """
        from flydsl.compiler.aot.portable import CallTemplate, check_portable

        refuse_tracing(self.__name__, "compiled")
        with locating():
            call, target = self.bind(*args, **kwargs), target_of(backend, arch)
            check_portable(call)
            artifact, _ = self._code.artifact(call.specs(), target, self._merged(NO_HINTS))
            return CallTemplate.of(self.__name__, call, artifact)

    def prepare(self, *args: Any, **kwargs: Any) -> CompiledFunction:
        """Compile and load for these arguments; the result launches for arguments of the same types.

        It keeps the code of now, whatever globals become later; arguments of another layout are an ordinary call.
        """
        return self.prepare_with(NO_HINTS, args, kwargs, launch=False)

    def prepare_with(
        self, hints: Hints, args: tuple[Any, ...], kwargs: dict[str, Any], *, launch: bool = False
    ) -> CompiledFunction:
        """`prepare` with `hints` besides those of the function; `launch` also launches it, for arguments that are live.

        Nothing is loaded or launched where calls are compiled only, nor for placeholders (`BoundCall.is_placeholder`).
        """
        refuse_tracing(self.__name__, "prepared")
        preparation = Preparation(self, self._code, hints, self._prepare, self._artifact_of)
        with locating():
            values = self._complete(args, kwargs)
            given = len(values) if kwargs else len(args)
            if preparation.is_ahead(values):
                return preparation.unloaded(values, given)
            prepared = self._prepare(values, hints)
            compiled, site = preparation.loaded(prepared, given)
        if launch:
            prepared.launch(site)
        return compiled

    def get_last_artifact(self) -> Artifact:
        """The code of the last call of this thread for which code was made or looked up: the first one of its kind.

        Calls like an earlier one leave it as it is; `flyc.compile(function, ...).artifact` is that of known arguments.
        """
        artifact: Artifact | None = getattr(self._last, "artifact", None)
        if artifact is None:
            with locating():
                raise CompileError(
                    f"{self.__name__!r} has no last artifact: no call in this thread needed code; call it, or take "
                    f"flyc.compile({self.__name__}, ...).artifact"
                )
        return artifact

    def limited(self, written: Collection[int]) -> Callable[..., None]:
        """This function for a caller who was told what it writes: leaves of its arguments, by position.

        What it gives takes all arguments by position; RuntimeFailure for code that writes more than `written`.
        """
        from flydsl.compiler.modes.write_checked_calls import WriteCheckedCalls

        return WriteCheckedCalls(self, self._sites.derive(), frozenset(written))

    @forks_wait()
    def _prepare(self, values: tuple[Any, ...], hints: Hints = NO_HINTS, kept: KeptCode | None = None) -> PreparedCall:
        """A call from its arguments to what launches it: they are bound, code is found or made, and loaded."""
        pair, merged = active_pair(), self._merged(hints)
        everything, runtime = self._complete(values, {}), claim_runtime(pair)
        call = BoundCall.of(self.parameters, everything, len(values), pair.runtime.device_kinds)
        call = call.aligned_to(pair.backend.tensor_alignment)
        ordinal = call.ordinal(runtime.name)
        if ordinal is None:
            ordinal = runtime.current_ordinal()
        target = target_of(pair.backend.name, device=runtime.device_info(ordinal))
        specs, files = call.specs(), FileStates.of(merged)
        artifact, dependencies = (kept or self._code).artifact(specs, target, merged)
        self._last.artifact = artifact
        call.announce(self.__name__, artifact.written, lambda adaptor, desc: adaptor.current_stream(desc.device))
        trace = functools.partial(self._code.traced, specs, target, merged)
        with at_launch(trace):
            loaded = self._code.loaded(artifact, runtime, ordinal, lambda: call.refuse_capture(self.__name__))
        plan = make_plan(loaded, checked_table(runtime), call, with_extents=runtime.checks_extents)
        return PreparedCall(call, plan, loaded, runtime, pair, dependencies, trace, files)

    def _miss(self, values: tuple[Any, ...]) -> None:
        """A call that no stub serves; its errors show the user's lines only."""
        recorder = call_recorder(self.parameters, values)
        if recorder is not None:
            return recorder(self, values)
        return self.launch_by(self._sites, values, self._miss)

    def launch_by(
        self,
        sites: Sites,
        values: tuple[Any, ...],
        miss: Callable[[tuple[Any, ...]], None],
        check: Callable[[PreparedCall], object] = lambda prepared: None,
    ) -> None:
        """Launch, and let `sites` serve calls like this one, with `miss` for others; `check` may raise before."""
        if settings.compile.compile_only:
            with locating():
                self._compile(values)
            return
        try:
            with locating(), forks_wait():
                prepared = self._prepare(values)
                check(prepared)
                site = sites.publish(prepared, values, miss)
        except FlyDSLError as error:
            if settings.debug.show_stacktrace:
                raise
            raise error.with_traceback(None) from error.__cause__  # the message shows the user's lines
        except Exception as error:
            frames = None if settings.debug.show_stacktrace else user_traceback(error.__traceback__)
            if frames is None:
                raise
            raise error.with_traceback(frames) from error.__cause__
        prepared.launch(site)

    @forks_wait()
    def _compile(self, values: tuple[Any, ...]) -> Artifact:
        """Compile for these arguments, and fill the cache."""
        target = target_of()
        return self._artifact_of(self.bind(*values).aligned_to(tensor_alignment(target)), target, NO_HINTS)[0]

    def _artifact_of(self, call: BoundCall, target: GPUTarget, hints: Hints) -> tuple[Artifact, Dependencies]:
        found = self._code.artifact(call.specs(), target, self._merged(hints))
        self._last.artifact = found[0]
        return found

    def _effective_compile_hints(self) -> Hints:
        """The hints of a call made now; autotuners ask for them by this name."""
        return self._merged(NO_HINTS)

    def _calls_with(self, hints: Hints) -> HintedCalls:
        key = tuple(sorted(hints.items()))
        calls = self._hinted.get(key)
        return calls or self._hinted.setdefault(key, HintedCalls(self, self._sites.derive()))

    def _interpret(self, values: tuple[Any, ...]) -> None:
        from flydsl.compiler.modes.interpreted_call import interpret_call

        interpret_call(self, values, {})

    def _merged(self, hints: Hints) -> Hints:
        return frozen_hints({**ambient_hints(), **self._hints, **hints})

    def _complete(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """All arguments by position, defaults included."""
        if not kwargs and len(args) == len(self.parameters):
            return args
        try:
            return self._order(args, kwargs)
        except TypeError as error:
            raise ArgumentError(f"{self.__name__}: {error}") from None

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., None]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Self | Callable[..., None]:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<jit {self.__qualname__}>"


@overload
def jit(func: Callable[P, object]) -> JitFunction[P]: ...
@overload
def jit(
    func: None = None,
    *,
    llvm_pass_pipeline: str | None = None,
    llvm_pass_plugins: Paths | None = None,
    llvm_codegen_passes: str | None = None,
    llvm_codegen_plugins: Paths | None = None,
) -> Callable[[Callable[P, object]], JitFunction[P]]: ...
def jit(
    func: Callable[..., object] | None = None,
    *,
    llvm_pass_pipeline: str | None = None,
    llvm_pass_plugins: Paths | None = None,
    llvm_codegen_passes: str | None = None,
    llvm_codegen_plugins: Paths | None = None,
) -> Any:
    """Decorate a host function that builds arguments and launches kernels.

    `llvm_pass_pipeline` is a pipeline over LLVM IR in place of LLVM's own (`my-pass,default<O2>`), with the passes of
    `llvm_pass_plugins`; `llvm_codegen_passes` are put into code generation (`my-pass@before:machine-scheduler`), from
    `llvm_codegen_plugins`. They are compile hints, and win over the environment variables of the same names.
    """
    passes = (llvm_pass_pipeline, llvm_codegen_passes, llvm_pass_plugins, llvm_codegen_plugins)
    hints = {name: normalised(name, value) for name, value in zip(NAMES, passes, strict=True) if value is not None}

    def decorate(function: Callable[..., object]) -> JitFunction:
        return JitFunction(python_function(function), hints)

    return decorate if func is None else decorate(func)
