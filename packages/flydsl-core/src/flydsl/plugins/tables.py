"""The tables of the registry: manifests by name, as they are at one moment."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from flydsl.base.errors import DuplicateNameError, text_of
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, Manifest, TensorAdaptorManifest

M = TypeVar("M", bound=Manifest)


class Quarantined(NamedTuple):
    """A plugin that is left out, and why."""

    plugin: EntryPoint
    error: BaseException

    @property
    def reason(self) -> str:
        """The error in one line."""
        return text_of(self.error)

    def __str__(self) -> str:
        return f"plugin {self.plugin.name!r} of {self.plugin.owner or 'unknown distribution'}: {self.reason}"


LONG_S = 1.0
"""A plugin that takes longer to load, or to say its status, is told of."""


class Slow(NamedTuple):
    """A plugin that took long to load, and how long."""

    plugin: EntryPoint
    seconds: float

    def __str__(self) -> str:
        what = f"plugin {self.plugin.name!r} of {self.plugin.owner or 'unknown distribution'}"
        return f"{what} took {self.seconds:.1f} s to load, which each process pays that asks it"


@dataclass(frozen=True, slots=True)
class Tables:
    """Everything that is known about plugins at one moment; adaptors stand by falling priority."""

    plugins: tuple[EntryPoint, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    disabled: tuple[EntryPoint, ...] = ()
    slow: tuple[Slow, ...] = field(default=(), compare=False)
    backends: Mapping[str, CompileBackendManifest] = field(default_factory=dict)
    runtimes: Mapping[str, DeviceRuntimeManifest] = field(default_factory=dict)
    adaptors: tuple[TensorAdaptorManifest, ...] = ()
    explicit_runtimes: Mapping[str, str] = field(default_factory=dict)
    """Runtime kind to the name of the runtime that the program itself registered."""
    registered: Mapping[str, tuple[Manifest, ...]] = field(default_factory=dict)
    """What modules of plugins that the program itself registered declare, by the plugin's name."""
    distributions: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The metadata folders of all installed distributions by normalised name, where plugins were looked for."""

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """All of them."""
        return (*self.backends.values(), *self.runtimes.values(), *self.adaptors)

    def without(self, manifests: Collection[Manifest]) -> Tables:
        """These tables without some of their manifests, which are told by what they are and not by their names."""
        backends = {name: m for name, m in self.backends.items() if not any(m is gone for gone in manifests)}
        runtimes = {name: m for name, m in self.runtimes.items() if not any(m is gone for gone in manifests)}
        adaptors = tuple(m for m in self.adaptors if not any(m is gone for gone in manifests))
        explicit = {kind: name for kind, name in self.explicit_runtimes.items() if name in runtimes}
        return replace(
            self,
            backends=MappingProxyType(backends),
            runtimes=MappingProxyType(runtimes),
            adaptors=adaptors,
            explicit_runtimes=explicit,
        )

    def with_manifest(self, manifest: Manifest, *, force: bool = False) -> Tables:
        """These tables and `manifest`; DuplicateNameError when the name is taken, unless `force`."""
        if not isinstance(manifest, Manifest):
            raise TypeError(f"{manifest!r} is no manifest")
        manifest.check_api_version()
        if isinstance(manifest, CompileBackendManifest):
            return replace(self, backends=_added(self.backends, manifest, "compile backend", force))
        if isinstance(manifest, DeviceRuntimeManifest):
            return replace(self, runtimes=_added(self.runtimes, manifest, "device runtime", force))
        if isinstance(manifest, TensorAdaptorManifest):
            adaptors = _added({a.name: a for a in self.adaptors}, manifest, "tensor adaptor", force)
            return replace(self, adaptors=tuple(sorted(adaptors.values(), key=lambda a: (-a.priority, a.name))))
        raise TypeError(f"{manifest!r} declares none of the three nouns")


def _added(table: Mapping[str, M], manifest: M, noun: str, force: bool) -> Mapping[str, M]:
    taken = table.get(manifest.name)
    if taken is not None and not force:
        raise DuplicateNameError(
            f"{noun} {manifest.name!r} exists already, registered by {taken.owner or 'this program'}: "
            "choose another name, or replace it with force=True where that is offered"
        )
    return MappingProxyType({**table, manifest.name: manifest})
