"""The registry: immutable tables of discovered and registered manifests, replaced whole and read without a lock."""

from __future__ import annotations

from collections.abc import Callable

from flydsl.base.process.fork_locks import new_rlock
from flydsl.plugins.scan.discovery import discover
from flydsl.plugins.tables import Tables


class Registry:
    """The process's tables: discovered at first use, then changed only by explicit registration."""

    def __init__(self, discover: Callable[[], Tables]) -> None:
        self._discover = discover
        self._lock = new_rlock()
        self._loading = False
        self._tables: Tables | None = None

    @property
    def tables(self) -> Tables:
        """The tables now."""
        tables = self._tables
        return self._load() if tables is None else tables

    @property
    def is_loaded(self) -> bool:
        """Whether plugins have been looked for."""
        return self._tables is not None

    def change(self, change: Callable[[Tables], Tables]) -> Tables:
        """Replace the tables by `change(tables)`; an exception of it changes nothing."""
        with self._lock:
            self._tables = change(self.tables)
            return self._tables

    def swap(self, tables: Tables | None) -> Tables | None:
        """Replace the tables (None: discover again at the next use) and return the old ones; for tests."""
        with self._lock:
            old, self._tables = self._tables, tables
            return old

    def _load(self) -> Tables:
        with self._lock:
            if self._tables is not None:
                return self._tables
            if self._loading:
                raise RuntimeError("a plugin module uses the registry while it loads: return manifests from its hooks")
            self._loading = True
            try:
                self._tables = self._discover()
            finally:
                self._loading = False
            return self._tables


registry = Registry(discover)
