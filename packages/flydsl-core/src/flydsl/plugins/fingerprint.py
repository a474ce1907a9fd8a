"""The fingerprint of an `ActivePair`: a digest of all installed code that shapes its output, part of each cache key."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Iterable
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from flydsl.base import IMPORTED_NS, settings
from flydsl.base.file_digest import digest_trees
from flydsl.plugins.manifests import API_VERSION, CompileBackendManifest, Manifest, factory_module
from flydsl.plugins.selection import ActivePair, active_pair

CORE = (
    *("adaptors", "base", "cache", "compiler", "expr", "extension", "frontend", "ir", "layout", "passes", "plugins"),
    *("runtime", "toolchain", "utils"),
)
"""Packages of the core whose code shapes compiled code, or how it is found, loaded or launched."""
READ_LIKE_A_USERS = ("autotune", "testing", "tools")
"""The others: what a kernel there is made of is read as of any program."""

_looked_at: dict[ActivePair, int] = {}
"""How many modules were imported when the files of a pair were last looked at."""


def fingerprint(pair: ActivePair | None = None, *, arch: str = "") -> str:
    """sha256 of `describe(pair)` and `arch`; worked out once a process and pair, and by `renew`."""
    return sha256(f"{_pair_digest(pair or active_pair())}\0{arch}".encode()).hexdigest()


def renew(pair: ActivePair) -> None:
    """Work the fingerprint out anew if modules were imported since: their files may have been replaced before that."""
    if _looked_at.get(pair) != len(sys.modules):
        _core_digest.cache_clear()
        portion_digest.cache_clear()
        _pair_digest.cache_clear()


def describe(pair: ActivePair) -> dict[str, str]:
    """What goes into the fingerprint, by name: ids, versions, API version, digests of files."""
    digests: dict[Path, str] = {}  # backend and runtime often share a package
    return {
        "api": str(API_VERSION),
        "core": _core_digest(),
        **_describe_manifest("backend", pair.backend, digests),
        "backend.native": _native_digest(pair.backend),
        **_describe_manifest("runtime", pair.runtime, digests),
        "runtime.kind": pair.runtime.kind,
    }


def native_files(manifest: CompileBackendManifest) -> list[Path]:
    """The files that the backend's patterns name; FileNotFoundError for a pattern that matches nothing."""
    root = package_root(factory_module(manifest))
    files: set[Path] = set()
    for pattern in manifest.create().cache_key_native_lib_patterns():
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


def is_covered(module: str, covered: Container[str]) -> bool:
    """Whether `module` is in one of the top-level packages `covered`, and in the fingerprint or in a portion."""
    top, _, rest = module.partition(".")
    if top not in covered:
        return False
    return top != "flydsl" or not rest or rest.partition(".")[0] in CORE or bool(portion_of(module))


def portion_of(module: str) -> str:
    """The package that another distribution adds to the namespace `flydsl` and that has `module`; empty for others."""
    parts = module.split(".")
    is_portion = len(parts) > 1 and parts[0] == "flydsl" and _portion_folder(parts[1]) is not None
    return parts[1] if is_portion else ""


@cache
def portion_digest(name: str) -> str:
    """Digest of a portion's files: in the key of code that reads the portion, and of no other."""
    folder = _portion_folder(name)
    return "" if folder is None else digest_loaded([folder], base=folder.parent)


def package_root(module: str) -> Path | None:
    """The folder of the regular package (or the file of the module) that `module` belongs to, namespaces skipped."""
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}" if name else part
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):  # ValueError: a module such as __main__ without a spec
            return None
        if spec is None:
            return None
        if spec.origin is not None and spec.has_location:
            return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
    return None


def package_roots(modules: Iterable[str]) -> dict[str, Path | None]:
    """`package_root` of each of `modules`; those in one package share the search."""
    tops: dict[str, Path | None] = {}
    roots: dict[str, Path | None] = {}
    for module in modules:
        top = module.partition(".")[0]
        if top not in tops:
            tops[top] = package_root(top)
        roots[module] = tops[top] or package_root(module)
    return roots


@cache
def _portion_folder(name: str) -> Path | None:
    if name in CORE or name in READ_LIKE_A_USERS:
        return None
    folders = (Path(root) / name for root in sys.modules["flydsl"].__path__)
    return next((folder for folder in folders if (folder / "__init__.py").is_file()), None)


@cache
def _pair_digest(pair: ActivePair) -> str:
    _looked_at[pair] = len(sys.modules)
    return sha256(repr(sorted(describe(pair).items())).encode()).hexdigest()


def _describe_manifest(prefix: str, manifest: Manifest, digests: dict[Path, str]) -> dict[str, str]:
    return {
        f"{prefix}.name": manifest.name,
        f"{prefix}.distribution": manifest.distribution,
        f"{prefix}.version": manifest.version,
        f"{prefix}.files": _digest_packages(sorted(_modules(manifest)), digests),
    }


def _modules(manifest: Manifest) -> set[str]:
    """The modules of plugins that the manifest refers to; names of `flydsl.expr` are files of these too."""
    referenced = {reference.partition(":")[0] for reference in manifest.references()} - {"flydsl.expr"}
    return referenced | {factory_module(manifest)}


def _digest_packages(modules: Iterable[str], digests: dict[Path, str]) -> str:
    """Digest of the packages that hold `modules`; `digests` has those of packages seen before."""
    roots = {root or _source_file(module) for module, root in package_roots(modules).items()}
    if None in roots:  # code typed into an interpreter: never taken for that of another process
        return _process_token()
    folders = sorted(filter(None, roots))
    for root in folders:
        if root not in digests:
            digests[root] = digest_loaded([root], base=root.parent)
    return ",".join(digests[root] for root in folders)


def _native_digest(manifest: CompileBackendManifest) -> str:
    files = native_files(manifest)
    root = package_root(factory_module(manifest)) or Path.cwd()
    return digest_loaded(files, base=root) if files else ""


@cache
def _core_digest() -> str:
    root = Path(__file__).parent.parent
    return digest_loaded([root / name for name in CORE], base=root)


def digest_loaded(roots: Iterable[Path], base: Path) -> str:
    """Digest of trees of code that this process loads or has loaded, with its `process_mark`."""
    digest = digest_trees(roots, base=base, memo=settings.runtime.digest_memo)
    return digest.sha256 + process_mark(digest.newest_ns)


def process_mark(changed_ns: int) -> str:
    """Text unique to this process if a file changed since it began, as what it has loaded may differ; else nothing."""
    return "" if changed_ns < IMPORTED_NS else f"+{_process_token()}"


def _source_file(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None


@cache
def _process_token() -> str:
    return os.urandom(16).hex()
