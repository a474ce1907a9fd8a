"""The fingerprint of an `ActivePair`: a digest of all installed code that shapes its output, part of each cache key."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from flydsl.plugins.active.border import checked_patterns
from flydsl.plugins.active.selection import ActivePair, active_pair
from flydsl.plugins.code.imported_code import required
from flydsl.plugins.code.installed_code import (
    digest_loaded,
    imported_digests,
    package_root,
    package_roots,
    packages_digest,
)
from flydsl.plugins.code.manifest_text import callable_text, manifest_text
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.plugins.entry_points import installed_distributions
from flydsl.plugins.manifests import API_VERSION, CompileBackendManifest, Manifest, factory_module
from flydsl.plugins.registry import registry

CORE = (
    *("adaptors", "backend", "base", "cache", "compiler", "expr", "extension", "frontend", "ir", "layout", "passes"),
    *("plugins", "runtime", "toolchain", "utils"),
)
"""Packages of the core whose code shapes compiled code, or how it is found, loaded or launched."""
READ_LIKE_A_USERS = ("autotune", "testing", "tools")
"""The others: what a kernel there is made of is read as of any program."""

_looked_at: dict[ActivePair, int] = {}
"""How many modules were imported when the files of a pair were last looked at."""


def fingerprint(pair: ActivePair | None = None, *, arch: str = "") -> str:
    """sha256 of `describe(pair)` and `arch`; worked out once a process and pair, and by `renew`."""
    return sha256(f"{_pair_digest(pair or active_pair())}\0{arch}".encode()).hexdigest()


def renew(pair: ActivePair) -> bool:
    """Work the fingerprint out anew if modules were imported since: their files may have been replaced before that."""
    if _looked_at.get(pair) == len(sys.modules):
        return False
    for known in (_core_digest, _required, _left_out, _pair_digest, description):
        known.cache_clear()
    return True


def describe(pair: ActivePair) -> dict[str, str]:
    """What goes into the fingerprint, by name: ids, versions, API version, digests of files."""
    digests: dict[Path, str] = {}  # backend and runtime often share a package
    backend = pair.backend.create()
    classes = [base for base in type(backend).__mro__ if base is not object]
    return {
        "api": str(API_VERSION),
        "core": _core_digest(),
        **describe_manifest("backend", pair.backend, digests, classes),
        "backend.class": callable_text(type(backend)),
        "backend.native": _native_digest(pair.backend, backend),
        **describe_manifest("runtime", pair.runtime, digests),
        "runtime.kind": pair.runtime.kind,
    }


def native_files(manifest: CompileBackendManifest, backend: CompileBackend | None = None) -> list[Path]:
    """The files that the backend's patterns name; FileNotFoundError for a pattern that matches nothing.

    PluginValueError where they are no patterns.
    """
    root = package_root(factory_module(manifest))
    files: set[Path] = set()
    patterns = checked_patterns(manifest.name, (backend or manifest.create()).cache_key_native_lib_patterns())
    for pattern in patterns:
        from glob import glob  # here: few backends have any

        full = os.path.join(root, pattern) if root else pattern
        matches = [Path(name) for name in glob(full, recursive=True) if os.path.isfile(name)]
        if not matches:
            raise FileNotFoundError(
                f"backend {manifest.name!r} declares native files {pattern!r}, and {full!r} matches none: "
                f"reinstall {manifest.distribution or 'the plugin'}"
            )
        files.update(matches)
    return sorted(files)


@cache
def covered_packages(pair: ActivePair) -> frozenset[str]:
    """The top-level packages whose files are in the fingerprint: what a kernel reads there is in the key with it.

    Of `flydsl` the packages of `CORE` are meant, and portions, which are keyed where they are read (`is_covered`).
    """
    manifests: tuple[Manifest, ...] = (pair.backend, pair.runtime)
    roots = package_roots(module for manifest in manifests for module in _modules(manifest))
    tops = {module.partition(".")[0]: root for module, root in roots.items()}
    return frozenset({"flydsl"} | {top for top, root in tops.items() if root and root.is_dir() and root.name == top})


@cache
def _pair_digest(pair: ActivePair) -> str:
    return sha256(repr(sorted(description(pair).items())).encode()).hexdigest()


@cache
def description(pair: ActivePair) -> Mapping[str, str]:
    """`describe(pair)`, worked out when the fingerprint is."""
    _looked_at[pair] = len(sys.modules)
    return describe(pair)


def describe_manifest(
    prefix: str, manifest: Manifest, digests: dict[Path, str], classes: Iterable[type] = ()
) -> dict[str, str]:
    """What a plugin is: names and versions, all that its manifest chooses, its files, and the code that these import.

    `classes` are those of its instance and their bases, wherever they are from.
    """
    versions = _required(manifest.distribution)
    modules = _modules(manifest)
    bases = {base.__module__ for base in classes if not _is_left_out(base.__module__)}
    return {
        f"{prefix}.name": manifest.name,
        f"{prefix}.distribution": manifest.distribution,
        f"{prefix}.version": manifest.version,
        f"{prefix}.manifest": manifest_text(manifest),
        f"{prefix}.files": packages_digest(sorted(modules), digests),
        f"{prefix}.imports": imported_digests(modules, bases, digests, _left_out()),
        f"{prefix}.requires": " ".join(f"{name}-{version}" for name, version in sorted(versions.items())),
    }


@cache
def _required(distribution: str) -> Mapping[str, str]:
    return required(distribution, _installed())


@cache
def _left_out() -> frozenset[str]:
    """Packages that stand in the key by themselves: those of the core, and what it requires, which has versions."""
    return frozenset({*(f"flydsl.{name}" for name in CORE), *(name.replace("-", "_") for name in _required(""))})


def _is_left_out(module: str) -> bool:
    parts = module.split(".")
    return parts[0] in sys.stdlib_module_names or ".".join(parts[:2]) in _left_out()


def _installed() -> Mapping[str, str]:
    return registry.tables.distributions or _found_distributions()


@cache
def _found_distributions() -> Mapping[str, str]:
    return installed_distributions()


def _modules(manifest: Manifest) -> set[str]:
    """The modules of plugins that the manifest refers to; names of `flydsl.expr` are files of these too."""
    referenced = {reference.partition(":")[0] for reference in manifest.references()} - {"flydsl.expr"}
    return referenced | {factory_module(manifest)}


def _native_digest(manifest: CompileBackendManifest, backend: CompileBackend) -> str:
    files = native_files(manifest, backend)
    root = package_root(factory_module(manifest)) or Path.cwd()
    return digest_loaded(files, base=root) if files else ""


@cache
def _core_digest() -> str:
    root = Path(__file__).parents[2]
    return digest_loaded([root / name for name in CORE], base=root)
