"""Code of other distributions that plugins are made of: what their sources import, and what their metadata require.

Nothing is imported for that. Import statements are read, at any depth of a file, from all files of a package, and those
of what it imports. A package of moderate size counts by its content, a large one by the record of its distribution.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.util import resolve_name
from pathlib import Path
from time import time_ns

from flydsl.base import settings
from flydsl.base.files.file_digest import digest_files
from flydsl.base.files.file_memo import recall_value, remember_value
from flydsl.base.origin import normalised_name, origin
from flydsl.base.startup.pattern import pattern
from flydsl.plugins.entry_points import METADATA, read_metadata

CORE = "flydsl-core"
MOST_FILES = 500
"""Files of a package that counts by its content."""

_REQUIRED = r"(?m)^Requires-Dist: ([A-Za-z0-9._-]+)(.*)$"
_VERSION = r"(?m)^Version: (\S+)"


def required(distribution: str, installed: Mapping[str, str]) -> dict[str, str]:
    """Name to version of what a distribution and the core require, at any depth; of `installed_distributions`."""
    memo, slot = settings.runtime.digest_memo, f"required {distribution} {sys.path}"
    known = recall_value(memo, slot)
    if known is not None:
        versions, missing = known.value
        if not any(name in installed for name in missing) and all(name in installed for name in versions):
            return dict(versions)
    began, versions, missing, files = time_ns(), {}, [], []
    wanted = [normalised_name(name) for name in (CORE, distribution) if name]
    while wanted:
        name = wanted.pop()
        if name in versions or name in missing:
            continue
        info = installed.get(name)
        if info is None:
            missing.append(name)
            continue
        metadata = read_metadata(info)
        files.append(os.path.join(info, METADATA[os.path.splitext(info)[1]]))
        version = pattern(_VERSION).search(metadata)
        versions[name] = version.group(1) if version else ""
        wanted += [
            normalised_name(other) for other, rest in pattern(_REQUIRED).findall(metadata) if "extra" not in rest
        ]
    remember_value(memo, slot, (versions, missing), files, began)
    return versions


def imports_of(root: Path, package: str, digest: str, modules: Iterable[str], left_out: frozenset[str]) -> list[str]:
    """What `modules` of the package (or module) `package` at `root` import, by themselves and by others of it.

    `digest` is that of all its files. Names are dotted, and those of attributes are among them; those of Python's
    library are not, nor any within the packages `left_out`.
    """
    return _imports(str(root), package, digest, tuple(sorted(set(modules))), left_out)


@cache
def _imports(root: str, package: str, digest: str, modules: tuple[str, ...], left_out: frozenset[str]) -> list[str]:
    memo, slot = settings.runtime.digest_memo, f"imports {package} {digest} {modules} {sorted(left_out)}"
    known = recall_value(memo, slot)
    if known is not None:
        return list(known.value)
    wanted, seen, others = list(modules), set[str](), set[str]()
    while wanted:
        name = wanted.pop()
        if name != package and not name.startswith(f"{package}."):
            if not _is_within(name, left_out):
                others.add(name)
            continue
        for file, within in _files_of(root, package, name):
            if file not in seen:
                seen.add(file)
                wanted += _imported_by(file, within)
    names = sorted(others)
    remember_value(memo, slot, names, [], time_ns())
    return names


def _is_within(name: str, packages: frozenset[str]) -> bool:
    parts = name.split(".")
    return parts[0] in sys.stdlib_module_names or any(
        ".".join(parts[:count]) in packages for count in range(1, len(parts) + 1)
    )


def _files_of(root: str, package: str, name: str) -> Iterator[tuple[str, str]]:
    """The files that are run when `name` is imported, each with the package that relative imports begin from."""
    if os.path.isfile(root):
        yield root, package.rpartition(".")[0]
        return
    path, within = root, package
    yield _source_or_code(os.path.join(root, "__init__")), within
    for part in name.removeprefix(package).split(".")[1:]:
        path, parent, within = os.path.join(path, part), within, f"{within}.{part}"
        module, inner = _source_or_code(path), _source_or_code(os.path.join(path, "__init__"))
        if os.path.isfile(module):
            yield module, parent
        elif os.path.isfile(inner):
            yield inner, within
    folder = os.path.join(root, "fx")  # its files are modules of `flydsl.expr`
    for path, folders, files in os.walk(folder) if name == package else ():
        folders[:] = [inner for inner in folders if inner != "__pycache__"]
        inner = os.path.relpath(path, folder).replace(os.sep, ".")
        for file in files:
            if file.endswith(".py"):
                yield os.path.join(path, file), "flydsl.expr" if inner == "." else f"flydsl.expr.{inner}"


def _source_or_code(path: str) -> str:
    """The file of a module: its source, or where there is only that, its byte code."""
    code = f"{path}.pyc"
    return code if os.path.isfile(code) and not os.path.isfile(f"{path}.py") else f"{path}.py"


def _imported_by(file: str, package: str) -> Iterator[str]:
    """The names in the import statements of a file, at any depth."""
    if file.endswith(".pyc"):
        from flydsl.plugins.code.byte_code import imported_by  # here: hardly any plugin comes without its sources

        yield from imported_by(file, package)
        return
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            try:
                base = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module
            except ImportError:
                continue
            if base:
                yield from (base if alias.name == "*" else f"{base}.{alias.name}" for alias in node.names)


@cache
def is_large(root: Path) -> bool:
    """Whether a package has more files than are looked at in each start; one of no distribution never is."""
    memo, slot = settings.runtime.digest_memo, f"extent {root}"
    known = recall_value(memo, slot)
    if known is not None:
        return bool(known.value)
    began, count = time_ns(), 0
    for _, _, files in os.walk(root):
        count += sum(1 for name in files if not name.endswith(".pyc"))
        if count > MOST_FILES:
            break
    answer = count > MOST_FILES
    remember_value(memo, slot, answer, [str(root)], began)
    return answer


def record_of(module: str, root: Path) -> str:
    """Distribution, version and record of an installed package; empty when it has none."""
    label = origin(module).label
    record = root.parent / f"{label}.dist-info" / "RECORD"
    if not label or not record.is_file():
        return label
    return f"{label} {digest_files([record], base=record.parent, memo=settings.runtime.digest_memo)}"
