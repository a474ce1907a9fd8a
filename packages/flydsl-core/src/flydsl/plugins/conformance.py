"""What a plugin says of itself to `flydsl conformance`: targets, missing capabilities, known deviations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flydsl.base.errors import ArgumentError


@dataclass(frozen=True, slots=True, kw_only=True)
class Conformance:
    """The arguments of the conformance suite for a plugin, each as `flydsl.testing.suite.conformance` takes it.

    `without` and `known` map capabilities and tests to the reason; what the command line gives comes on top.
    """

    targets: tuple[str, ...] = ()
    devices: tuple[str, ...] = ()
    without: Mapping[str, str] = field(default_factory=dict)
    known: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("targets", "devices"):
            value = getattr(self, name)
            if isinstance(value, str) or not all(isinstance(item, str) and item for item in value):
                raise ArgumentError(f"{name} of a Conformance is architecture names, found {value!r}")
            object.__setattr__(self, name, tuple(value))
        for name in ("without", "known"):
            value = getattr(self, name)
            if not isinstance(value, Mapping) or not all(
                isinstance(text, str) and text.strip() for item in value.items() for text in item
            ):
                raise ArgumentError(f"{name} of a Conformance maps names to reasons, found {value!r}")
            object.__setattr__(self, name, dict(value))
