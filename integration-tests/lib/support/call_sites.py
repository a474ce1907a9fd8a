"""Call sites of made-up code: C launchers that keep what they are called with, for stubs and for the native reader."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

from flydsl.cache.guards import Guard, checker
from flydsl.compiler.call.bound_call import BoundCall
from flydsl.compiler.call.constexpr import ConstexprSpec
from flydsl.compiler.call.native_site import native_site
from flydsl.compiler.call.stream import StreamSpec
from flydsl.compiler.call.stub import Site, make_plan, make_site
from flydsl.compiler.call.tensor import TensorSpec
from flydsl.frontend.signature import Parameter
from flydsl.toolchain.slots import packed_size, slot_table

LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p
)


def slot_types(arguments: Sequence[Any]) -> Iterator[tuple[Any, str]]:
    """The kinds and MLIR types of slots that the compiler gives these arguments."""
    for argument in arguments:
        if isinstance(argument.spec, ConstexprSpec):
            continue
        if isinstance(argument.spec, StreamSpec):
            yield "stream", "!llvm.ptr"
        elif isinstance(argument.spec, TensorSpec):
            yield "pointer", "!llvm.ptr"
            if argument.dynamic:
                rank = len(argument.desc.shape)
                strides = ", ".join(["i64"] * (len(argument.dynamic) - rank))
                shape = ", ".join(["i32"] * rank)
                yield "struct", f"!llvm.struct<packed (struct<packed ({shape})>, struct<packed ({strides})>)>"
        else:
            yield "scalar", argument.spec.element.mlir_name


class Launcher:
    """A C function that keeps what it is called with, and returns `code`."""

    def __init__(self, size: int) -> None:
        self.calls: list[tuple[int | None, int | None, int, int | None, bytes]] = []
        self.code = 0

        def launch(table: Any, module: Any, ordinal: int, stream: Any, packed: int) -> int:
            self.calls.append((table, module, ordinal, stream, ctypes.string_at(packed, size) if size else b""))
            return self.code

        self.function = LAUNCH(launch)


def both(is_current: Callable[[], bool] | None, guards: Sequence[Guard]) -> Callable[[], bool] | None:
    """What a stub asks where the reader has guards besides."""
    if not guards:
        return is_current
    holds = checker(guards)
    return lambda: holds() and (is_current is None or is_current())


class Served:
    """A site for calls like one, by stub and, where it can, by reader; what each of them launched and missed."""

    def __init__(
        self,
        parameters: Sequence[Parameter],
        values: tuple[Any, ...],
        count: int | None = None,
        *,
        written: frozenset[int] = frozenset(),
        pair: object | None = None,
        is_current: Callable[[], bool] | None = None,
        guards: Sequence[Guard] = (),
        is_known: bool = True,
    ) -> None:
        self.misses: list[tuple[Any, ...]] = []
        self.failures: list[int] = []
        call = BoundCall.of(parameters, values, count)
        self.slots = slot_table(list(slot_types(call.arguments)))
        self.launcher = Launcher(packed_size(self.slots))
        self.pure = make_site(
            call,
            written,
            pair=pair,
            is_current=both(is_current, guards),
            miss=self.misses.append,
            check=call.check(),
            fail=self.failures.append,
        )
        native = native_site(call, self.pure, fail=self.failures.append, is_current=is_current, guards=guards)
        self.site: Site = self.pure._replace(native=native)
        if is_known:
            self.add(call)

    @property
    def is_native(self) -> bool:
        """Whether the reader can serve such calls."""
        return self.site.native is not None

    def add(self, call: BoundCall) -> None:
        """Serve calls like `call`."""
        loaded: Any = SimpleNamespace(
            artifact=SimpleNamespace(slots=self.slots),
            launcher=SimpleNamespace(fly_launch_packed=self.launcher.function),
            module=ctypes.c_void_p(0x20),
            ordinal=3,
        )
        self.site.add(call.passed_leaves, make_plan(loaded, 0x10, call))

    def outcome(self, serve: Callable[..., None], values: Sequence[Any]) -> tuple[str, Any]:
        """What a call comes to: what was launched, missed or raised."""
        launched, missed = len(self.launcher.calls), len(self.misses)
        try:
            serve(*values)
        except Exception as error:
            return type(error).__name__, str(error)
        if len(self.misses) > missed:
            return "missed", [id(value) for value in self.misses[-1]]
        return "launched", self.launcher.calls[launched:]

    def agreed(self, *values: Any) -> tuple[str, Any]:
        """What a call comes to by the stub, which must be the same by the reader, twice."""
        assert self.is_native
        expected = self.outcome(self.pure.stub, values)
        for _ in range(2):
            assert self.outcome(self.site.serve, values) == expected
        return expected
