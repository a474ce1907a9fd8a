"""Specialisations that are compiled and loaded: callables that launch, and C files that do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from flydsl.base.errors import ArgumentError, FlyDSLError, RuntimeFailure
from flydsl.base.location import locating
from flydsl.base.wording import articled
from flydsl.compiler.artifact import Artifact, Loaded
from flydsl.expr.tracing.context import is_tracing, refuse_tracing
from flydsl.runtime.kernel import kernel_handles

if TYPE_CHECKING:
    from flydsl.compiler.call.argument import ArgumentSpec
    from flydsl.compiler.jit import JitFunction
    from flydsl.frontend.signature import Parameter
    from flydsl.plugins.device_runtime import DeviceRuntime


class CompiledFunction:
    """A specialisation that is compiled and loaded; call it with all arguments, by position."""

    __slots__ = ("_count", "_loaded", "_parameters", "_runtime", "_specs", "_stub", "_types", "function")

    def __init__(
        self,
        function: JitFunction,
        stub: Callable[..., None],
        loaded: Loaded,
        runtime: DeviceRuntime,
        arguments: Sequence[tuple[Parameter, ArgumentSpec]],
        types: Sequence[type],
    ) -> None:
        self.function, self._stub = function, stub
        self._types, self._count = tuple(types), len(function.parameters)
        self._loaded, self._runtime = loaded, runtime
        self._parameters, self._specs = [p for p, _ in arguments], [spec for _, spec in arguments]

    def __call__(self, *args: Any) -> None:
        """Launch; the arguments have the types of those it was compiled for."""
        if is_tracing():
            refuse_tracing(self.function.__name__, "called in its compiled form")
        if len(args) != self._count:
            names = ", ".join(parameter.name for parameter in self.function.parameters)
            with locating():
                raise ArgumentError(
                    f"{self.function.__name__} was compiled for {self._count} arguments ({names}), "
                    f"found {len(args)}; defaults do not count here"
                )
        try:
            self._stub(*args)
        except Exception as error:
            if isinstance(error, ArgumentError) or not isinstance(error, FlyDSLError):
                self._check_types(args)
            raise

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
        return self._loaded.artifact

    def max_blocks_per_cu(self) -> int:
        """Blocks that one compute unit of the device runs at a time: the least of all kernels of the function.

        RuntimeFailure when the block size is not known before a launch.
        """
        kernels = kernel_handles(self._loaded.module.value or 0, len(self.artifact.kernels))
        found = []
        for name, handle in zip(self.artifact.kernels, kernels, strict=True):
            block = self.artifact.blocks.get(name)
            if block is None:
                raise RuntimeFailure(
                    f"kernel {name!r} is launched with a block size of run time; "
                    "launch it with static numbers, or declare known_block_size",
                    kernel=name,
                )
            found.append(self._runtime.max_blocks_per_unit(self._loaded.ordinal, handle, block))
        return min(found)

    def export_to_c(self, file_path: str | Path, file_name: str, function_prefix: str = "") -> None:
        """Write `file_name.h`, `file_name.c` and `fly_abi.h` to the folder `file_path`: this code behind a C API.

        Functions are `PREFIX_load`, `PREFIX_launch` and `PREFIX_unload`; without a prefix it is the function's name.
        """
        from flydsl.compiler.export_c import export

        export(self.artifact, self._parameters, self._specs, Path(file_path), file_name, function_prefix)

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
    return articled(kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}")
