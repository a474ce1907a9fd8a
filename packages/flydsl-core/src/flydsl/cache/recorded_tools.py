"""The tools that made what a cache folder holds: for a machine that runs code and has no compiler."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from flydsl.base.errors import CacheOnlyError
from flydsl.cache.entry import Entry
from flydsl.cache.shelves import ENTRY
from flydsl.cache.store import Store, default_store

_PREFIX = "tool."


def recorded_tools(backend: str) -> dict[str, str]:
    """Fingerprints of the tools by name, as the entries of the cache for `backend` state them.

    CacheOnlyError when there is no entry, and when they state different ones. A folder is looked through once.
    """
    store = default_store()
    return dict(_recorded(str(store.path), store.reason, backend))


@lru_cache(maxsize=64)
def _recorded(path: str, reason: str, backend: str) -> tuple[tuple[str, str], ...]:
    found = {_tools(entry.key) for entry in _entries(default_store()) if entry.key.get("backend") == backend}
    if len(found) == 1:
        return found.pop()
    problem = f"code of {len(found)} different toolchains" if found else "no code"
    why = f" ({reason})" if reason else ""
    raise CacheOnlyError(
        f"the cache {path!r} holds {problem} for backend {backend!r}{why}, and no toolchain is "
        "installed here that would say which to use: fill a new folder by one toolchain, and name it in "
        "FLYDSL_RUNTIME_CACHE_DIR"
    )


def _entries(store: Store) -> list[Entry]:
    return [stored.entry for stored in store.stored() if f".{stored.kind}" == ENTRY]


def _tools(key: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name.removeprefix(_PREFIX), key[name]) for name in key if name.startswith(_PREFIX)))
