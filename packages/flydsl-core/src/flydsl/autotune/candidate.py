"""One configuration with the arguments of a call: what it runs, and what happens around each run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from flydsl.adaptors.resolve import claiming_adaptor
from flydsl.autotune.arguments import Array, Values, arrays_in, copied, put_back, zero
from flydsl.autotune.bench import timing_on
from flydsl.autotune.config import Config, Hook, Keywords
from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.compiler.modes.ambient_hints import hinting_block
from flydsl.expr.threads.stream import Stream

Saved: TypeAlias = list[tuple[Array, Array]]


@dataclass(frozen=True, slots=True)
class Hooks:
    """What a tuner does around runs: names of arrays, and functions."""

    reset_to_zero: tuple[str, ...] = ()
    pre: Hook | None = None
    post: Hook | None = None
    validate: Callable[[Values], AbstractContextManager[object]] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration, and the call that it is for."""

    fn: Callable[..., Any]
    config: Config
    args: tuple[Any, ...]
    kwargs: Keywords
    given: Values
    hooks: Hooks = field(default_factory=Hooks)

    def reset(self) -> None:
        """Set the arrays of `reset_to_zero` to 0."""
        zero(named_arrays("reset_to_zero", self.hooks.reset_to_zero, self.given))

    def call(self) -> Any:
        """Call the function with the configuration; gives its value."""
        options, stream = self.config.compiler_opts(), self.given.get("stream")
        with ExitStack() as stack:
            if options:
                stack.enter_context(hinting_block(options))
            if stream is not None:
                stack.enter_context(self._on(stream))
            return self.fn(*self.args, **self._keywords())

    def run(self, saved: Saved) -> None:
        """One measured run: arrays and hooks included."""
        restore(saved)
        self.reset()
        for hook in (self.config.pre_hook, self.hooks.pre):
            if hook is not None:
                hook(self._keywords())
        self.call()
        if self.hooks.post is not None:
            self.hooks.post(self._keywords())

    def validate(self, saved: Saved) -> None:
        """One run within the context manager of the validate hook, which raises to reject the candidate."""
        if self.hooks.validate is not None:
            with self.hooks.validate(dict(self.given)):
                self.run(saved)

    def _keywords(self) -> Keywords:
        return {**self.kwargs, **self.config.all_kwargs()}

    @contextmanager
    def _on(self, stream: object) -> Iterator[None]:
        """The frameworks of the call's arrays use `stream` too, and events are recorded there."""
        with ExitStack() as stack:
            for kind in {type(array) for value in self.given.values() for array in arrays_in(value)}:
                adaptor = claiming_adaptor(kind)
                if adaptor is not None:
                    stack.enter_context(adaptor.on_stream(stream))
            with suppress(FlyDSLError):
                stack.enter_context(timing_on(Stream(stream).handle))
            yield


@contextmanager
def saved_arrays(names: Iterable[str], given: Values) -> Iterator[Saved]:
    """The arrays called `names` with copies of them; they are put back at the end of the block."""
    saved = [(array, copied(array)) for array in named_arrays("restore_value", names, given)]
    try:
        yield saved
    finally:
        restore(saved)


def named_arrays(what: str, names: Iterable[str], given: Values) -> list[Array]:
    """The arrays in arguments called `names`, those of records too; ArgumentError for an argument without any."""
    found: list[Array] = []
    for name in names:
        value = given.get(name)
        arrays = [] if value is None else arrays_in(value)
        if value is not None and not arrays:
            raise ArgumentError(f"{what} names {name!r}, which is no array and holds none: {value!r}")
        found += arrays
    return found


def restore(saved: Saved) -> None:
    """Put back what the arrays had."""
    for array, original in saved:
        put_back(array, original)
