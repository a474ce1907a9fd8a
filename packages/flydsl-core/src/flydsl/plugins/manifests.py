"""Frozen, validated manifests: what a plugin declares about each implementation, before any of it is imported."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Self

from flydsl.base.errors import IncompatiblePluginError
from flydsl.base.references import is_reference
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.plugins.factory import created
from flydsl.plugins.tensor_adaptor import TensorAdaptor

API_VERSION = 4
"""Version of the plugin API of this core; raised by changes that plugins may rely on, and by those that break one.

2: launch modes of backends, flags and tensor maps in the runtime table, `fly_host.encode_tensor_map`.
3: `HOOKS_READ` in modules of plugins, `ClassNames`.
4: the doors: the modules of `flydsl.backend`, with the names that their `__all__` lists.
"""
OLDEST_API_VERSION = 1
"""The oldest version that this core still speaks: plugins made for one between the two work as they are."""

EXTENSIBLE_MODULES = (
    *("flydsl.compiler", "flydsl.extension.coop.warp", "flydsl.runtime.device"),
    "flydsl.utils.smem_allocator",
)
"""Modules of the core that take words of plugins."""

_NAME = re.compile(r"[a-z][a-z0-9_.-]*")
_ID = "a lower-case id such as 'acme'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What all manifests carry.

    `factory` is a 'module:attribute' string (nothing is imported yet) or a callable. `distribution` and `version` are
    those of the entry point that declared the plugin, unless the manifest states its own. `words` adds words to modules
    of the core that take them (`EXTENSIBLE_MODULES`): 'flydsl.compiler.from_acme' to 'module:attribute'. `settings` is
    a 'module:attribute' too: a `Group` of environment variables, which `flydsl doctor` lists.
    `conformance` is that of a `Conformance`, by which `flydsl conformance` tests the plugin.
    """

    name: str
    factory: str | Callable[[], Any] = field(hash=False)
    distribution: str = ""
    version: str = ""
    api_version: int = 1  # deliberately not the core's version: a plugin that says nothing is for 1
    words: Mapping[str, str] = field(default_factory=dict, hash=False)
    settings: str = ""
    conformance: str = ""

    def __post_init__(self) -> None:
        self._check("name", _is_id(self.name), _ID)
        self._check("factory", callable(self.factory) or is_reference(self.factory), "'module:attribute' or a callable")
        self._check("distribution", isinstance(self.distribution, str), "a distribution name")
        self._check("version", isinstance(self.version, str), "a version string")
        self._check("api_version", type(self.api_version) is int and self.api_version > 0, "a positive integer")
        self._freeze("words", f"words of {' or '.join(EXTENSIBLE_MODULES)} to 'module:attribute'", _is_word)
        for name in ("settings", "conformance"):
            value = getattr(self, name)
            self._check(name, value == "" or is_reference(value), "'module:attribute'")

    @property
    def owner(self) -> str:
        """Distribution and version, or an empty string for a manifest that the program itself registered."""
        return f"{self.distribution} {self.version}".strip()

    def declared_by(self, distribution: str, version: str) -> Self:
        """The same as of a distribution that declares it; it was checked when it was made."""
        made = object.__new__(type(self))
        for attribute in fields(self):
            object.__setattr__(made, attribute.name, getattr(self, attribute.name))
        object.__setattr__(made, "distribution", distribution)
        object.__setattr__(made, "version", self.version or version)
        return made

    def check_api_version(self) -> None:
        """Raise IncompatiblePluginError unless this core speaks the API version that the manifest is for."""
        if OLDEST_API_VERSION <= self.api_version <= API_VERSION:
            return
        spoken = f"{OLDEST_API_VERSION} to {API_VERSION}" if OLDEST_API_VERSION < API_VERSION else f"{API_VERSION}"
        outdated = "flydsl-core" if self.api_version > API_VERSION else self.distribution or "it"
        raise IncompatiblePluginError(
            f"plugin {self.name!r} of {self.owner or 'unknown distribution'} speaks plugin API {self.api_version}, "
            f"flydsl-core speaks plugin API {spoken}: upgrade {outdated}"
        )

    def _create(self, noun: type[Any]) -> Any:
        return created(noun, self.name, self.factory, distribution=self.distribution, owner=self.owner)

    def _check(self, field_name: str, ok: bool, expected: str) -> None:
        if not ok:
            value = getattr(self, field_name)
            raise ValueError(f"{type(self).__name__} {self.name!r}: {field_name} is {value!r}, expected {expected}")

    def _freeze(self, field_name: str, expected: str, is_key: Callable[[str], bool]) -> None:
        """Replace a mapping of references by a read-only copy."""
        table = getattr(self, field_name)
        entries = table.items() if isinstance(table, Mapping) else [(None, None)]
        ok = all(isinstance(key, str) and is_key(key) and is_reference(value) for key, value in entries)
        self._check(field_name, ok, f"a mapping of {expected}")
        object.__setattr__(self, field_name, MappingProxyType(dict(table)))

    def references(self) -> tuple[str, ...]:
        """Every 'module:attribute' string of the manifest."""
        named = (self.factory, self.settings, self.conformance)
        return (*(name for name in named if isinstance(name, str) and name), *self.words.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileBackendManifest(Manifest):
    """Declares a CompileBackend and what it adds: target words of `fx`, dialects, passes.

    `expr_namespaces` maps a word of `fx` to its module, `passes` a pass name to its class, both as 'module:attribute';
    `default_runtime` names the runtime to prefer among those of `runtime_kind`; `warp_functions` is the object, usually
    a module, whose functions stand in for those of `fx.coop.warp` of the same names. Where wide accesses have to be
    aligned, `tensor_alignment` is their size in bytes: tensors that begin at a multiple of it are compiled as such.
    """

    runtime_kind: str
    accelerator: bool = True
    expr_namespaces: Mapping[str, str] = field(default_factory=dict, hash=False)
    dialects: tuple[str, ...] = ()
    passes: Mapping[str, str] = field(default_factory=dict, hash=False)
    default_runtime: str | None = None
    warp_functions: str = ""
    tensor_alignment: int = 1

    def __post_init__(self) -> None:
        Manifest.__post_init__(self)
        self._check("runtime_kind", _is_id(self.runtime_kind), _ID)
        self._check("accelerator", isinstance(self.accelerator, bool), "a bool")
        self._freeze("expr_namespaces", "words of fx to 'module:attribute'", str.isidentifier)
        self._freeze("passes", "pass names to 'module:Class'", bool)
        dialects = self.dialects
        ok = isinstance(dialects, Iterable) and not isinstance(dialects, str) and all(map(is_reference, dialects))
        self._check("dialects", ok, "'module:attribute' strings")
        object.__setattr__(self, "dialects", tuple(dialects))
        functions = self.warp_functions
        self._check("warp_functions", functions == "" or is_reference(functions), "'module:attribute'")
        align = self.tensor_alignment
        is_power = isinstance(align, int) and align > 0 and not align & (align - 1)
        self._check("tensor_alignment", is_power, "a power of two, in bytes")
        runtime = self.default_runtime
        self._check("default_runtime", runtime is None or _is_id(runtime), "a runtime name or None")

    def references(self) -> tuple[str, ...]:
        """Every 'module:attribute' string of the manifest."""
        own = Manifest.references(self)
        functions = (self.warp_functions,) if self.warp_functions else ()
        return (*own, *self.expr_namespaces.values(), *self.dialects, *self.passes.values(), *functions)

    def create(self) -> CompileBackend:
        """A fresh backend, which knows the passes declared here."""
        backend: CompileBackend = self._create(CompileBackend)
        backend._own_passes = tuple(self.passes)
        return backend


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceRuntimeManifest(Manifest):
    """Declares a DeviceRuntime; `device_kinds` are the DLPack device types whose memory it can use.

    A `simulator` is never chosen by default. `requested_by` names the setting of the plugin by which the user asked for
    this runtime, if so: it is then the default of its kind.
    """

    kind: str
    device_kinds: frozenset[int] = frozenset()
    simulator: bool = False
    requested_by: str = ""

    def __post_init__(self) -> None:
        Manifest.__post_init__(self)
        self._check("kind", _is_id(self.kind), _ID)
        kinds = self.device_kinds
        ok = isinstance(kinds, Iterable) and all(isinstance(k, int) and k is not True and k > 0 for k in kinds)
        self._check("device_kinds", ok, "DLPack device types (positive integers)")
        object.__setattr__(self, "device_kinds", frozenset(map(int, kinds)))
        self._check("simulator", isinstance(self.simulator, bool), "a bool")
        self._check("requested_by", isinstance(self.requested_by, str), "the name of a setting")

    def create(self) -> DeviceRuntime:
        """A new runtime; callers create one a process."""
        runtime: DeviceRuntime = self._create(DeviceRuntime)
        return runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorAdaptorManifest(Manifest):
    """Declares a TensorAdaptor.

    `claims(cls)` says whether it reads objects of the class, by names only: it imports nothing and is asked once a
    class; most are `ClassNames`. The highest `priority` that claims a class wins; generic adaptors use negative ones.
    """

    claims: Callable[[type[object]], bool]
    priority: int = 0

    def __post_init__(self) -> None:
        Manifest.__post_init__(self)
        self._check("claims", callable(self.claims), "a callable (type) -> bool")
        self._check("priority", type(self.priority) is int, "an integer")

    def create(self) -> TensorAdaptor:
        """A new adaptor."""
        adaptor: TensorAdaptor = self._create(TensorAdaptor)
        return adaptor


def factory_module(manifest: Manifest) -> str:
    """The module that the factory of a manifest is from."""
    if isinstance(manifest.factory, str):
        return manifest.factory.partition(":")[0]
    inner = getattr(manifest.factory, "func", manifest.factory)  # functools.partial
    return str(getattr(inner, "__module__", "") or type(inner).__module__)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(_NAME.fullmatch(value))


def _is_word(name: str) -> bool:
    module, _, word = name.rpartition(".")
    return module in EXTENSIBLE_MODULES and word.isidentifier() and not word.startswith("_")
