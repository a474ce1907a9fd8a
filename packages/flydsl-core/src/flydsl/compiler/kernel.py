"""`@flyc.kernel`: functions whose bodies are device code, which @jit functions call and launch."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from types import FunctionType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, Self, TypeAlias, overload

from flydsl.base.errors import FrontendError, OperandError
from flydsl.base.files.source_text import keep_texts
from flydsl.base.location import is_result_dropped, locating, user_location
from flydsl.base.other_versions import other_attribute
from flydsl.base.process.global_object import GlobalObject
from flydsl.compiler.stages.transformed_function import TransformedFunction
from flydsl.expr.threads.stream import Stream
from flydsl.expr.tracing.context import current, is_tracing
from flydsl.frontend.rewriting.source import python_function
from flydsl.frontend.signature import Parameters, bound_arguments

if TYPE_CHECKING:  # a default: KernelFunction alone is one of any parameters
    from typing_extensions import ParamSpec
    from xdsl.ir import Attribute

    from flydsl.expr.values.operand_types import IntLike
    from flydsl.frontend.signature import Parameter

    P = ParamSpec("P", default=...)
    Q = ParamSpec("Q")
    Extents: TypeAlias = IntLike | tuple[IntLike, ...] | list[IntLike]
else:
    from typing import ParamSpec

    P, Q = ParamSpec("P"), ParamSpec("Q")


_ATTRIBUTES = ("unit_attrs", "value_attrs")


class KernelFunction(GlobalObject, Generic[P]):
    """Device code. Calling it inside a @jit function gives a `KernelLauncher`; `.launch(...)` on that launches it."""

    __cache_attributes__ = ("name", "known_block_size", "annotation_names")
    """What `__cache_signature__` is made of, values that do not change."""

    def __init__(
        self, function: FunctionType, name: str | None = None, known_block_size: Sequence[int] | None = None
    ) -> None:
        functools.update_wrapper(self, function)
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__wrapped__ = function
        self._texts = keep_texts(function)
        self._parameters, self._rewritten = Parameters(function), TransformedFunction(function)
        self.name, self.annotation_names = name, self._parameters.local
        self.known_block_size = None if known_block_size is None else _block_size(known_block_size)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The function's parameters with what their annotations say."""
        return self._parameters()

    @property
    def rewritten(self) -> FunctionType:
        """The function with its control flow rewritten."""
        return self._rewritten()  # type: ignore[no-any-return]

    @property
    def _func(self) -> Any:  # a FunctionType, which type checkers would bind as a method
        """The function as it is written, by the name that generated code of frameworks asks for."""
        return self.__wrapped__

    @property
    def _known_block_size(self) -> tuple[int, ...] | None:
        """`known_block_size`, by the name under which programs that make kernels set it before their first call."""
        return self.known_block_size

    @_known_block_size.setter
    def _known_block_size(self, size: Sequence[int] | None) -> None:
        self.known_block_size = None if size is None else _block_size(size)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """An attribute that other versions have."""
            return other_attribute(self, "flydsl.compiler.KernelFunction", name)

    def __cache_signature__(self) -> tuple[object, ...]:
        """What the cache must know besides the function itself."""
        return (self.name, self.known_block_size, self.annotation_names)

    # An editor shows the parameters as they are written; a caller passes what converts to them, as numbers for scalars.
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> KernelLauncher: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> KernelLauncher: ...
    def __call__(self, *args: Any, **kwargs: Any) -> KernelLauncher:
        if not is_tracing():
            with locating():
                raise FrontendError(
                    f"kernel {self.__name__!r} is called by Python; call it in a function decorated with @flyc.jit, "
                    "and launch there what that gives: kernel(...).launch(grid=..., block=...)"
                )
        if current().kind != "host":
            raise FrontendError(
                f"kernel {self.__name__!r} is called inside a kernel; call it from a @jit function, or make it a helper"
            )
        if is_result_dropped():
            raise FrontendError(
                f"kernel {self.__name__!r} is called and never launched; add .launch(grid=..., block=...) to the call"
            )
        attributes = self._take_attributes(kwargs)
        try:
            arguments = bound_arguments(self.__wrapped__, args, kwargs)
        except TypeError as error:
            names = ", ".join(parameter.name for parameter in self.parameters)
            listed = "" if names in str(error) else f"; the parameters are {names}"
            raise FrontendError(f"kernel {self.__name__!r}: {error}{listed}") from None
        return KernelLauncher(self, arguments, attributes)

    def _take_attributes(self, kwargs: dict[str, Any]) -> dict[str, Attribute]:
        """The attributes of the kernel's function among `kwargs`, taken out of them: `unit_attrs` and `value_attrs`."""
        own = {parameter.name for parameter in self.parameters}
        found = {name: kwargs.pop(name) for name in _ATTRIBUTES if name in kwargs and name not in own}
        if not found:
            return {}
        from flydsl.frontend.launch.kernel_attributes import given_attributes  # with the dialect

        return given_attributes(*map(found.get, _ATTRIBUTES))

    def __getitem__(self, extents: object) -> NoReturn:
        grid, block = extents if isinstance(extents, tuple) and len(extents) == 2 else (extents, "...")
        self._refuse(f"has no [grid, block]; write {self.__name__}(...).launch(grid={grid}, block={block})")

    def launch(self, **_: object) -> NoReturn:
        """Launching needs the arguments first; says so."""
        self._refuse(f"is launched with its arguments; write {self.__name__}(...).launch(grid=..., block=...)")

    def _refuse(self, why: str) -> NoReturn:
        with nullcontext() if is_tracing() else locating():
            raise FrontendError(f"kernel {self.__name__!r} {why} in a function decorated with @flyc.jit")

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., KernelLauncher]: ...
    def __get__(self, instance: object, owner: type | None = None) -> Self | Callable[..., KernelLauncher]:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"


def _naming_the_kernel(
    method: Callable[Concatenate[KernelLauncher, Q], None],
) -> Callable[Concatenate[KernelLauncher, Q], None]:
    """`method`, whose wrong arguments are an error that names the kernel and what the method takes."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def told(self: KernelLauncher, /, *args: Q.args, **kwargs: Q.kwargs) -> None:
        try:
            signature.bind(self, *args, **kwargs)
        except TypeError as error:
            accepted = ", ".join(list(signature.parameters)[1:])
            unknown = next((name for name in kwargs if name not in signature.parameters), None)
            reason = error if unknown is None else f"got an unexpected keyword argument {unknown!r}"
            raise FrontendError(
                f"kernel {self.kernel.__name__!r} is launched with wrong arguments: {reason}; "
                f".{method.__name__} takes {accepted}, and needs grid and block"
            ) from None
        method(self, *args, **kwargs)

    return told


class KernelLauncher:
    """A kernel with its arguments, ready to be launched."""

    __slots__ = ("arguments", "attributes", "kernel")

    def __init__(
        self, kernel: KernelFunction, arguments: dict[str, Any], attributes: Mapping[str, Attribute] | None = None
    ) -> None:
        self.kernel, self.arguments, self.attributes = kernel, arguments, attributes or {}

    @_naming_the_kernel
    def launch(
        self,
        grid: Extents,
        block: Extents,
        smem: IntLike | None = None,
        stream: Stream | None = None,
        cluster: Extents | None = None,
        *,
        cooperative: bool = False,
        use_pdl: bool = False,
        unit_attrs: Sequence[str] | None = None,
        value_attrs: Mapping[str, Any] | None = None,
    ) -> None:
        """Launch over `grid` blocks of `block` threads (ints, scalars, or up to three of them along x, y, z).

        `smem` is the dynamic shared memory of a block in bytes; `stream` a Stream argument of the @jit function;
        `cluster` the blocks that run together, as ints that divide the grid, on targets that have clusters.
        `cooperative` has all blocks run at a time, so that they can wait for one another; `use_pdl` lets the kernel
        start before the one in front of it in the stream has ended, for whose results it then waits itself
        (programmatic dependent launch). A target that does not have one of them refuses it.
        `unit_attrs` and `value_attrs` are attributes of the launch operation; a call of the kernel takes those of its
        function: `kernel(x, value_attrs={"passthrough": ["noinline"]}).launch(...)`.
        """
        if stream is not None and not isinstance(stream, Stream):
            stream = Stream.from_token(stream)
        of_launch: dict[str, Attribute] = {}
        if unit_attrs is not None or value_attrs is not None:
            from flydsl.frontend.launch.kernel_attributes import given_attributes  # with the dialect

            of_launch = given_attributes(unit_attrs, value_attrs)
        current().session.launch(
            self.kernel,
            self.arguments,
            grid,
            block,
            smem,
            stream,
            cluster,
            cooperative=cooperative,
            use_pdl=use_pdl,
            attributes=self.attributes,
            launch_attributes=of_launch,
        )


def _block_size(extents: Sequence[int]) -> tuple[int, ...]:
    """The extents of a block, checked."""
    block = tuple(extents)
    if not all(isinstance(extent, int) and not isinstance(extent, bool) for extent in block):
        raise FrontendError(f"known_block_size takes integers, found {extents!r}", location=user_location())
    if not 1 <= len(block) <= 3 or min(block) < 1:
        raise OperandError(
            f"known_block_size takes 1 to 3 extents of at least 1, found {extents!r}", location=user_location()
        )
    return block


@overload
def kernel(func: Callable[P, object]) -> KernelFunction[P]: ...
@overload
def kernel(
    func: None = None, *, name: str | None = None, known_block_size: Sequence[int] | None = None
) -> Callable[[Callable[P, object]], KernelFunction[P]]: ...
def kernel(
    func: Callable[..., object] | None = None, *, name: str | None = None, known_block_size: Sequence[int] | None = None
) -> Any:
    """Decorate a function as device code, with an optional symbol name and a block size (x, y, z) known in advance."""

    def decorate(function: Callable[..., object]) -> KernelFunction:
        return KernelFunction(python_function(function), name, known_block_size)

    return decorate if func is None else decorate(func)
