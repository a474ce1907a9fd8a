"""Installed code: where packages are, and digests of what this process loads of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from flydsl.base import IMPORTED_NS, settings
from flydsl.base.files.file_digest import digest_trees
from flydsl.plugins.code.imported_code import imports_of, is_large, record_of
from flydsl.plugins.code.manifest_text import only_here


def package_root(module: str) -> Path | None:
    """The folder of the regular package (or the file of the module) that `module` belongs to, namespaces skipped.

    Nothing is imported, nor are the namespaces on the way.
    """
    name, spec = "", None
    for part in module.split("."):
        name, spec = (f"{name}.{part}", _spec_below(f"{name}.{part}", spec)) if spec else (part, _top_spec(part))
        if spec is None:
            return None
        if spec.origin is not None and spec.has_location:
            return Path(spec.origin).parent if spec.submodule_search_locations else Path(spec.origin)
    return None


def _top_spec(name: str) -> ModuleSpec | None:
    try:
        return find_spec(name)
    except (ImportError, ValueError):  # ValueError: a module such as __main__ without a spec
        return None


def _spec_below(name: str, namespace: ModuleSpec) -> ModuleSpec | None:
    """The spec of a module in a namespace; `find_spec` would import that."""
    known = sys.modules.get(name)
    if known is not None:
        return known.__spec__
    folders = list(namespace.submodule_search_locations or ())
    for finder in sys.meta_path:
        with suppress(AttributeError, KeyError):  # a namespace in one that is not imported has no spec of Python's
            if (found := finder.find_spec(name, folders)) is not None:
                return found
    spec = ModuleSpec(name, None, is_package=True)
    inner = (Path(folder, name.rpartition(".")[2]) for folder in folders)
    spec.submodule_search_locations = [str(folder) for folder in inner if folder.is_dir()]
    return spec if spec.submodule_search_locations else None


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


def digest_loaded(roots: Iterable[Path], base: Path) -> str:
    """Digest of trees of code that this process loads or has loaded, with its `process_mark`."""
    digest = digest_trees(roots, base=base, memo=settings.runtime.digest_memo)
    return digest.sha256 + process_mark(digest.newest_ns)


def process_mark(changed_ns: int) -> str:
    """Text unique to this process if a file changed since it began, as what it has loaded may differ; else nothing."""
    return "" if changed_ns < IMPORTED_NS else only_here("files were changed since the process began")


def packages_digest(modules: Iterable[str], digests: dict[Path, str]) -> str:
    """Digest of the packages that hold `modules`; `digests` has those of packages seen before."""
    roots = {root or _source_file(module) for module, root in package_roots(modules).items()}
    if None in roots:  # code typed into an interpreter: never taken for that of another process
        return only_here("code that is in no file")
    folders = sorted(filter(None, roots))
    for root in folders:
        if root not in digests:
            digests[root] = digest_loaded([root], base=root.parent)
    return ",".join(digests[root] for root in folders)


def imported_digests(
    modules: Iterable[str], others: Iterable[str], digests: dict[Path, str], left_out: frozenset[str]
) -> str:
    """What the code of `modules` imports of other packages, at any depth, and of which content each of them is.

    So for `others`, which it uses without an import statement that says so. Python's library and the packages
    `left_out` do not count.
    """
    reached: dict[tuple[str, Path], set[str]] = {}
    own, found, wanted = set(filter(None, map(_located, modules))), dict[tuple[str, Path], str](), {*modules, *others}
    while wanted:
        changed = set()
        for name in wanted:
            located = _located(name)
            if located is not None and name not in reached.setdefault(located, {located[0]}):
                reached[located].add(name)
                changed.add(located)
            elif located is not None and located not in found:
                changed.add(located)
        wanted = set()
        for package, root in changed:
            found[package, root] = content = _content(package, root, digests)
            if (package, root) in own or root in digests:
                wanted |= set(imports_of(root, package, content, reached[package, root], left_out))
    return ",".join(f"{package}={found[package, root]}" for package, root in sorted(found.keys() - own))


def _content(package: str, root: Path, digests: dict[Path, str]) -> str:
    """The digest of a package, or of the record of the distribution of a large one."""
    if root not in digests:
        if root.is_dir() and is_large(root):
            return record_of(package, root)
        digests[root] = digest_loaded([root], base=root.parent)
    return digests[root]


def _located(module: str) -> tuple[str, Path] | None:
    """The dotted name and the place of the package or module that `module` belongs to, namespaces skipped."""
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        name = ".".join(parts[:count])
        root = package_root(name)
        if root is not None:
            return name, root
    source = _source_file(module)
    return None if source is None else (module, source)


def _source_file(module: str) -> Path | None:
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file) if file and Path(file).is_file() else None
