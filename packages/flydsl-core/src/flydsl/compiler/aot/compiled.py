"""Specialisations that are compiled and loaded: callables that launch, and C files that do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Self

from flydsl.base import settings
from flydsl.base.errors import ArgumentError, FlyDSLError, RuntimeFailure
from flydsl.base.location import locating
from flydsl.base.wording import with_article
from flydsl.compiler.call.fits import Fits
from flydsl.compiler.modes.collected_calls import is_collecting
from flydsl.compiler.stages.artifact import Artifact, Loaded
from flydsl.expr.tracing.context import is_tracing, refuse_tracing
from flydsl.runtime.kernel import kernel_handles

if TYPE_CHECKING:
    from flydsl.compiler.call.bound_call import BoundCall
    from flydsl.compiler.call.stub import Site
    from flydsl.compiler.jit import JitFunction
    from flydsl.plugins.device_runtime import DeviceRuntime


class Ready(NamedTuple):
    """Code that is loaded: what serves calls, the site of the first one, and where it is."""

    stub: Callable[..., None]
    site: Site
    loaded: Loaded
    runtime: DeviceRuntime


class CompiledFunction:
    """A specialisation that is compiled, and loaded unless it was made for placeholders; call it by position.

    Compile-time arguments may be left out, and what the compiled call left out. A tensor may come as itself or marked,
    whichever it was compiled with.
    """

    __slots__ = ("_artifact", "_fits", "_load", "_other_types", "_ready", "_specs", "_stub", "_types", "function")

    def __init__(
        self,
        function: JitFunction,
        call: BoundCall,
        artifact: Artifact,
        load: Callable[[tuple[Any, ...]], Ready],
        given: int,
    ) -> None:
        self.function, self._artifact, self._load = function, artifact, load
        self._ready: Ready | None = None
        self._stub: Callable[..., None] = self._launch_first
        self._types = tuple(map(type, call.values))
        self._fits = Fits.of(call, given)
        self._other_types: set[tuple[type, ...]] = set()
        self._specs = [(argument.parameter, argument.spec) for argument in call.arguments]

    __cache_attributes__ = ("function", "_artifact")
    """What `__cache_signature__` is made of, values that do not change."""

    def __cache_signature__(self) -> tuple[object, ...]:
        """What a function that only holds it reads: its code, by the key; it is not called while tracing."""
        return self.function, *sorted(self._artifact.key.items())

    def serve(self, ready: Ready) -> Site:
        """Launch by this code from now on."""
        self._ready, self._stub = ready, ready.stub
        return ready.site

    def __call__(self, *args: Any) -> None:
        """Launch; the arguments have the types of those it was compiled for."""
        if is_tracing():
            refuse_tracing(self.function.__name__, "called in its compiled form")
        if len(args) != len(self._types) or (self._other_types and tuple(map(type, args)) in self._other_types):
            with locating():
                args = self._fits.fitted(self.function.__name__, args)
        try:
            return self._stub(*args)
        except Exception as error:
            if isinstance(error, FlyDSLError) and not isinstance(error, ArgumentError):
                raise
            # nothing is launched before all arguments are read
            fitted = self._refitted(args)
            if fitted is None:
                self._check_types(args)
                raise
        return self._stub(*fitted)

    def _refitted(self, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """The arguments as the code takes them, when one is a tensor that is marked, or not, unlike the code's own."""
        types = tuple(map(type, args))
        if types == self._types or types in self._other_types or not self._fits.changes(types):
            return None
        with locating():
            fitted = self._fits.fitted(self.function.__name__, args)
        self._other_types.add(types)
        return fitted

    def _launch_first(self, *args: Any) -> None:
        """Load the code, which was compiled without a device, and launch it."""
        if not (settings.compile.compile_only or is_collecting()):
            with locating():
                self.serve(self._load(args))
            self._stub(*args)

    def _check_types(self, args: tuple[Any, ...]) -> None:
        """Raise ArgumentError for the first argument of another type than it was compiled for, after a failed call."""
        for parameter, value, kind in zip(self.function.parameters, args, self._types, strict=True):
            if type(value) is not kind:
                with locating():
                    raise ArgumentError(
                        f"argument {parameter.name!r}: {self.function.__name__!r} was compiled for {_described(kind)}, "
                        f"found {_described(type(value))}; pass the former, call the function itself, or compile it "
                        "for these"
                    ) from None

    @property
    def artifact(self) -> Artifact:
        """The compiled code."""
        return self._artifact

    def max_blocks_per_cu(self) -> int:
        """Blocks that one compute unit of the device runs at a time: the least of all kernels of the function.

        RuntimeFailure when the block size is not known before a launch, and when the code is not loaded.
        """
        if self._ready is None:
            raise RuntimeFailure(
                f"{self.function.__name__!r} was compiled without memory of a device and is not loaded; call it with "
                "tensors of a device first"
            )
        loaded, runtime = self._ready.loaded, self._ready.runtime
        kernels = kernel_handles(loaded.module.value or 0, len(self.artifact.kernels))
        found = []
        for name, handle in zip(self.artifact.kernels, kernels, strict=True):
            block = self.artifact.blocks.get(name)
            if block is None:
                raise RuntimeFailure(
                    f"kernel {name!r} is launched with a block size of run time; "
                    "launch it with static numbers, or declare known_block_size",
                    kernel=name,
                )
            found.append(runtime.max_blocks_per_unit(loaded.ordinal, handle, block))
        return min(found)

    def export_to_c(self, file_path: str | Path, file_name: str, function_prefix: str = "") -> None:
        """Write `file_name.h`, `file_name.c` and `fly_abi.h` to the folder `file_path`: this code behind a C API.

        Functions are `PREFIX_load`, `PREFIX_launch` and `PREFIX_unload`; without a prefix it is the function's name.
        """
        from flydsl.compiler.aot.export_c import export

        parameters, specs = [p for p, _ in self._specs], [spec for _, spec in self._specs]
        export(self.artifact, parameters, specs, Path(file_path), file_name, function_prefix)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        """pickle.PicklingError: it is code that is loaded into this process."""
        from pickle import PicklingError

        raise PicklingError(
            f"{self!r} cannot be pickled: its code is loaded into this process; pickle the function "
            f"{self.function.__name__!r} and the arguments, and call flyc.compile there, which finds the code on disk"
        )

    def __repr__(self) -> str:
        return f"<compiled {self.function.__qualname__} for {self.artifact.target}>"


def _described(kind: type) -> str:
    """What the values of a type are, for a message."""
    from flydsl.compiler.call.tensor_argument import TensorArgument

    if issubclass(kind, TensorArgument):
        return "what flyc.from_dlpack gives"
    if kind is type(None):
        return "None"
    return with_article(
        kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    )
