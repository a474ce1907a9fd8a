"""The tensor adaptor of an argument type: resolved once per type, then one dictionary read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Number
from weakref import WeakSet

from flydsl.base.errors import ArgumentError, text_of
from flydsl.base.process.log import get_logger
from flydsl.base.wording import with_article
from flydsl.plugins.active.selection import set_aside
from flydsl.plugins.manifests import TensorAdaptorManifest
from flydsl.plugins.registry import registry
from flydsl.plugins.tensor_adaptor import TensorAdaptor


@dataclass(frozen=True, slots=True)
class _Resolved:
    """Adaptors resolved so far for one state of the registry; replaced whole, so readers need no lock."""

    manifests: tuple[TensorAdaptorManifest, ...] = ()
    by_name: Mapping[str, TensorAdaptor] = field(default_factory=dict)
    by_type: Mapping[type[object], TensorAdaptor] = field(default_factory=dict)
    unclaimed: WeakSet[type[object]] = field(default_factory=WeakSet)


_NO_TENSORS = frozenset({int, float, bool, str, type(None)})


class _Cache:
    def __init__(self) -> None:
        self.resolved = _Resolved()


_cache = _Cache()


def adaptor_for(cls: type[object]) -> TensorAdaptor:
    """The adaptor of the highest priority that claims `cls`; ArgumentError naming the known ones when none does."""
    resolved = _resolved()
    found = resolved.by_type.get(cls) or _resolve(resolved, cls)
    if found is None:
        known = ", ".join(repr(manifest.name) for manifest in resolved.manifests) or "none"
        what = (
            "None"
            if cls is type(None)
            else with_article(f"{cls.__module__}.{cls.__qualname__}".removeprefix("builtins."))
        )
        advice = "install the plugin of its framework, or pass an object with __dlpack__"
        if issubclass(cls, list | tuple | int | float | Number):
            advice = "make an array of it, as with np.asarray(..., np.float32), or annotate the parameter with its type"
        raise ArgumentError(f"no tensor adaptor takes {what}, installed: {known}; {advice}{set_aside(registry.tables)}")
    return found


def claiming_adaptor(cls: type[object]) -> TensorAdaptor | None:
    """The adaptor that claims `cls`, if any does."""
    if cls in _NO_TENSORS:
        return None
    resolved = _resolved()
    return resolved.by_type.get(cls) or (None if cls in resolved.unclaimed else _resolve(resolved, cls))


def _resolved() -> _Resolved:
    resolved, manifests = _cache.resolved, registry.tables.adaptors
    return resolved if resolved.manifests is manifests else _Resolved(manifests)


def _resolve(resolved: _Resolved, cls: type[object]) -> TensorAdaptor | None:
    """Ask the adaptors, and remember what they say."""
    manifest = _claiming(resolved.manifests, cls)
    if manifest is None:
        resolved.unclaimed.add(cls)
        _cache.resolved = resolved
        return None
    adaptor = resolved.by_name.get(manifest.name) or manifest.create()
    by_name, by_type = {**resolved.by_name, manifest.name: adaptor}, {**resolved.by_type, cls: adaptor}
    # two threads that race here lose one entry at most, and resolve it again later
    _cache.resolved = _Resolved(resolved.manifests, by_name, by_type, resolved.unclaimed)
    return adaptor


def _claiming(manifests: tuple[TensorAdaptorManifest, ...], cls: type[object]) -> TensorAdaptorManifest | None:
    for manifest in manifests:
        try:
            if manifest.claims(cls):
                return manifest
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a broken plugin never breaks the others
            get_logger(__name__).warning("tensor adaptor %r fails on %r: %s", manifest.name, cls, text_of(error))
    return None
