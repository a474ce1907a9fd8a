"""Dependencies of a function: one digest of all that its code reads, and guards that notice later changes.

Read are: its text and that of the helpers it calls, defaults, closures, globals, attributes of modules, classes and
objects that it names, and builtins that were replaced. Arguments are the caller's to encode. What cannot be read surely
makes the result not `indexable`: the caller must then trace to know the key, which is slower and never wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from flydsl.base.errors import ArgumentError
from flydsl.cache.guards import Guard, checker, settled, unique
from flydsl.cache.key import bytes_digest
from flydsl.cache.reader import Reader
from flydsl.frontend.rewriting.source import python_function

OWN = frozenset({"flydsl"})


@dataclass(frozen=True, slots=True, eq=False)
class Dependencies:
    """What one function read: equal digests make equal code when `indexable` holds; `reason` says why it does not.

    Equal `source_positions` make equal line tables, too. `unguarded` names what no guard can watch, if anything is:
    then the function is traced at each call.
    """

    digest: str
    source_positions: str
    indexable: bool
    guards: tuple[Guard, ...]
    reason: str = ""
    covered: frozenset[str] = OWN
    unguarded: str = ""
    rebinds: frozenset[str] = frozenset()
    token: object = field(default_factory=object)
    """Equal for readings that make the same code in this process."""
    _checkers: list[Callable[[], bool]] = field(default_factory=list, repr=False)

    def checker(self) -> Callable[[], bool]:
        """A function that says whether all that was read is still the same; for call paths, 30-50 ns a guard."""
        if not self._checkers:
            self._checkers.append(checker(self.guards))
        return self._checkers[0]

    def is_current(self) -> bool:
        """Whether all that was read is still the same."""
        return self.checker()()

    def after_trace(self) -> Dependencies:
        """These when the trace that just ended changed nothing of them; else such that do not watch what it changed.

        What tracing itself changes, a list of names or a counter, is its own state: were that watched, no code would
        stay current. Code that a trace made from its own state is never found by sources.
        """
        if self.is_current():
            return self
        reason = self.reason or "tracing it changes what it reads"
        guards = settled(self.guards, self.rebinds)
        return replace(self, guards=guards, indexable=False, reason=reason, _checkers=[])


def dependencies(function: object, *, covered: frozenset[str] = OWN) -> Dependencies:
    """What `function` (a function, or a decorated object with `__wrapped__`) reads.

    Modules of the top-level packages `covered` are left out: the pair fingerprint of the key stands for them.
    """
    reader = Reader(covered)
    encoder = reader.encoder
    digest = bytes_digest(reader.read(python_function(function)))
    reason = encoder.doubts[0] if encoder.doubts else ""
    unguarded = encoder.unguarded[0] if encoder.unguarded else ""
    positions = bytes_digest(";".join(reader.source_positions))
    return Dependencies(
        digest,
        positions,
        not reason,
        unique(encoder.guards),
        reason,
        covered,
        unguarded,
        frozenset(reader.rebinds),
        token=object() if reason else digest,
    )


def encode_value(value: object) -> str:
    """The canonical text of a compile-time argument: equal for values that make the same code.

    Raises ArgumentError for what has none, such as an array or an open file.
    """
    return encode_guarded(value)[0]


_MOST_KEPT = 1024
_KEPT: dict[int, tuple[object, str, Callable[[], bool]]] = {}


def encode_kept(value: object) -> str:
    """`encode_value` of what lives long, a class, enum member or function: worked out again when it has changed."""
    known = kept_text(value)
    if known is not None:
        return known
    text, guards = encode_guarded(value)
    if len(_KEPT) >= _MOST_KEPT:
        _KEPT.clear()
    _KEPT[id(value)] = (value, text, checker(guards))
    return text


def kept_text(value: object) -> str | None:
    """What `encode_kept` gave for this very object, if that holds still."""
    known = _KEPT.get(id(value))
    return known[1] if known is not None and known[0] is value and known[2]() else None


def encode_guarded(value: object) -> tuple[str, tuple[Guard, ...]]:
    """The text of a compile-time argument, and guards on what it holds."""
    reader = Reader(OWN, is_argument=True)
    encoder = reader.encoder
    text = encoder.encode(value, "the argument") + reader.portions()
    if encoder.doubts:
        raise ArgumentError(
            f"{value!r} cannot be a compile-time argument ({encoder.doubts[0]}): pass numbers, strings, tuples, "
            "enum members, dataclasses or functions"
        )
    return text, unique(encoder.guards)
