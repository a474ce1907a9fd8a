"""Portions: what other distributions than the core's have in the namespace `flydsl`, in the key of code that reads it.

Packages beside those of the core (`flydsl.acme`), and words that plugins add to modules of the core: `fx.acme`, whose
module is in a folder `fx`, `flyc.from_acme`. A kernel for one pair may use words of a plugin for another.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

from flydsl.plugins.active.fingerprint import CORE, READ_LIKE_A_USERS, describe_manifest
from flydsl.plugins.active.fingerprint import renew as renew_fingerprint
from flydsl.plugins.active.selection import ActivePair
from flydsl.plugins.code.installed_code import digest_loaded, package_root
from flydsl.plugins.manifests import CompileBackendManifest, Manifest, factory_module
from flydsl.plugins.registry import registry
from flydsl.plugins.tables import Tables

_WORD = "word "


def portion_of(module: str) -> str:
    """The portion that `module` is in: a package, or a word of `fx`; empty for what is the core's."""
    parts = module.split(".")
    if len(parts) < 2 or parts[0] != "flydsl":
        return ""
    if parts[1] == "expr" and len(parts) > 2:
        return f"{_WORD}{parts[2]}" if _is_foreign_word(parts[2]) else ""
    return parts[1] if _portion_folder(parts[1]) is not None else ""


def is_covered(module: str, covered: Container[str]) -> bool:
    """Whether `module` is in one of the top-level packages `covered`, and in the fingerprint or in a portion."""
    top, _, rest = module.partition(".")
    if top not in covered:
        return False
    return top != "flydsl" or not rest or rest.partition(".")[0] in CORE or bool(portion_of(module))


def words_among(names: Iterable[str]) -> set[str]:
    """The portions of those of `names`, attributes that code reads, which plugins add to modules of the core."""
    return {f"{_WORD}{name}" for name in _words(registry.tables).intersection(names)}


def portion_digest(name: str) -> str:
    """Digest of a portion: of its files, or of all plugins that add a word of that name, in their order."""
    if name.startswith(_WORD):
        return _word_digest(registry.tables, name.removeprefix(_WORD))
    folder = _portion_folder(name)
    return "" if folder is None else _folder_digest(folder)


def renew(pair: ActivePair) -> None:
    """Look at the files of the pair and of portions again, if modules were imported since that was done."""
    if renew_fingerprint(pair):
        _folder_digest.cache_clear()
        _word_digests.clear()


@cache
def _folder_digest(folder: Path) -> str:
    return digest_loaded([folder], base=folder.parent)


_word_digests: dict[str, tuple[Tables, str]] = {}


def _word_digest(tables: Tables, word: str) -> str:
    known = _word_digests.get(word)
    if known is None or known[0] is not tables:
        digests: dict[Path, str] = {}
        owners = [describe_manifest("", manifest, digests) for manifest in tables.manifests if _adds(manifest, word)]
        known = _word_digests[word] = (
            tables,
            sha256(repr([sorted(owner.items()) for owner in owners]).encode()).hexdigest(),
        )
    return known[1]


_known_words: list[tuple[Tables, frozenset[str]]] = []


def _words(tables: Tables) -> frozenset[str]:
    """Every word that a plugin adds, without the name of its module."""
    if not _known_words or _known_words[0][0] is not tables:
        words = {word.rpartition(".")[2] for manifest in tables.manifests for word in manifest.words}
        for backend in tables.backends.values():
            words |= set(backend.expr_namespaces)
        _known_words[:] = [(tables, frozenset(words))]
    return _known_words[0][1]


def _adds(manifest: Manifest, word: str) -> bool:
    if any(name.rpartition(".")[2] == word for name in manifest.words):
        return True
    return isinstance(manifest, CompileBackendManifest) and (
        word in manifest.expr_namespaces or _has_in_folder(manifest, word)
    )


def _has_in_folder(manifest: CompileBackendManifest, word: str) -> bool:
    """Whether the folder `fx` of the plugin has a module of that name, which the statement `import` finds."""
    root = package_root(factory_module(manifest))
    return root is not None and any((root / "fx" / name).exists() for name in (word, f"{word}.py"))


@cache
def _is_foreign_word(word: str) -> bool:
    """Whether `flydsl.expr` has a module of that name that is not the core's."""
    folder = Path(__file__).parents[2] / "expr"
    return not any((folder / name).exists() for name in (word, f"{word}.py"))


@cache
def _portion_folder(name: str) -> Path | None:
    if name in CORE or name in READ_LIKE_A_USERS:
        return None
    folders = (Path(root) / name for root in sys.modules["flydsl"].__path__)
    return next((folder for folder in folders if (folder / "__init__.py").is_file()), None)
