"""The dialects, passes and summaries that installed backend plugins add to `fly-opt`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flydsl.base.references import resolve_reference
from flydsl.passes.registry import PASSES
from flydsl.plugins.registry import registry

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Dialect


@dataclass(frozen=True)
class Installed:
    """What core and plugins bring; a plugin that cannot be imported is left out, with the reason in `problems`."""

    dialects: tuple[Dialect, ...] = ()
    passes: dict[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def namespaces(self) -> tuple[str, ...]:
        """Names of the dialects that MLIR does not know."""
        return ("fly", "fly_ktrace", *(dialect.name for dialect in self.dialects))

    def context(self, *, allow_unregistered: bool = False) -> Context:
        """A parser's context with every dialect."""
        from flydsl.ir.context import create_context

        context = create_context(self.dialects)
        context.allow_unregistered = allow_unregistered
        return context

    def summaries(self) -> Iterator[tuple[str, str]]:
        """Each pass with the first line of its description, or with the reason why it cannot be used."""
        for name, reference in sorted(self.passes.items()):
            try:
                text = (resolve_reference(reference).__doc__ or "").strip().split("\n")[0]
            except Exception as error:  # a plugin's module may fail in any way
                text = f"cannot be imported: {error}"
            yield name, text


def installed() -> Installed:
    """The dialects and passes of the core and of the plugins that are installed now."""
    dialects, problems = [], []
    passes = dict(PASSES)
    for name, manifest in sorted(registry.tables.backends.items()):
        passes.update(manifest.passes)
        for reference in manifest.dialects:
            try:
                dialects.append(resolve_reference(reference))
            except Exception as error:  # a plugin's module may fail in any way
                problems.append(f"dialect {reference!r} of backend {name!r} is left out: {error}")
    return Installed(tuple(dialects), passes, tuple(problems))
