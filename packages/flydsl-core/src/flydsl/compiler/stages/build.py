"""The artifact of a function for argument specs and a target: from the cache when it is there, else compiled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, NamedTuple

from flydsl.base import settings
from flydsl.base.errors import CacheOnlyError
from flydsl.base.process.log import debug
from flydsl.cache.store import Store, default_store
from flydsl.compiler.options.hints import NO_HINTS, Hints
from flydsl.compiler.options.target_options import configuration, has_lines
from flydsl.compiler.stages.artifact import Artifact
from flydsl.compiler.stages.loading import load_toolchain
from flydsl.compiler.stages.pipeline import Traced, trace
from flydsl.compiler.stages.timing import compilation
from flydsl.plugins.compile_backend import GPUTarget

if TYPE_CHECKING:
    from flydsl.cache.dependencies import Dependencies
    from flydsl.frontend.signature import ArgSpec


class Request(NamedTuple):
    """One specialisation to build: `rewritten` gives the function to trace, and is only called on a miss."""

    name: str
    rewritten: Callable[[], FunctionType]
    specs: Mapping[str, ArgSpec]
    target: GPUTarget
    dependencies: Dependencies
    hints: Hints = NO_HINTS
    tools: Mapping[str, str] | None = None
    """What `tools` has just said, if it was asked."""

    def signature(self) -> str:
        """The arguments as the key holds them."""
        return "; ".join(f"{name}: {spec.text()}" for name, spec in self.specs.items())


def artifact_for(request: Request, traced: Callable[[], object] = lambda: None) -> Artifact:
    """The artifact of `request`; `traced` is called when the function has just been traced.

    An index over sources and signature finds an entry without tracing. When it does not, tracing gives the full key,
    which may still be known (another file, the same code). CacheOnlyError under FLYDSL_RUNTIME_RUN_ONLY.
    """
    store = default_store()
    index = _index(request)
    found = _from_index(store, index) if request.dependencies.indexable else None
    if found is not None:
        debug(__name__, "%s: loaded from the cache by its sources", request.name)
        return found
    with compilation(request.name, request.target):
        artifact = _made(request, traced)
    may_link = request.dependencies.indexable and request.dependencies.is_current()  # tracing may change what it reads
    if may_link and _is_of_one_configuration(index, artifact.key):
        store.link(index, artifact.key)
    return artifact


def _made(request: Request, traced: Callable[[], object]) -> Artifact:
    if not settings.runtime.run_only:
        load_toolchain()
    module = traced_for(request)
    traced()
    return built(module)


def traced_for(request: Request) -> Traced:
    """The module of `request`, which leads to an artifact without the index."""
    if settings.runtime.run_only:
        raise CacheOnlyError(
            f"{request.name!r} is not in the cache for {request.target} and ({request.signature()}), and "
            "FLYDSL_RUNTIME_RUN_ONLY forbids to compile it; run once without it"
        )
    return trace(request.rewritten(), request.specs, request.target, request.hints)


def built(traced: Traced) -> Artifact:
    """The artifact of a module: from the cache, else compiled."""
    return Artifact.from_entry(default_store().fetch(traced.key(), lambda: traced.lower().compile().to_entry()))


def _from_index(store: Store, index: Mapping[str, str]) -> Artifact | None:
    key = store.resolve(index)
    entry = store.load(key) if key is not None else None
    return Artifact.from_entry(entry) if entry is not None else None


def _is_of_one_configuration(index: Mapping[str, str], key: Mapping[str, str]) -> bool:
    """Whether both keys name the same tools and options: a library may have been replaced after the first was made."""
    return all(index[name] == key[name] for name in index.keys() & key.keys())


def _index(request: Request) -> dict[str, str]:
    dependencies = request.dependencies
    sources = dependencies.digest + (dependencies.source_positions if has_lines(request.hints) else "")
    made_for = configuration(request.target, request.hints, request.tools)
    return made_for.index_key(sources, request.signature())
