"""Tables that are replaced whole: readers see the old ones or the new ones."""

from __future__ import annotations

import threading

import pytest

from flydsl.plugins.registry import Registry
from flydsl.plugins.tables import Tables
from flydsl.testing.fakes import fake_backend


def test_a_change_leaves_older_tables_as_they_were() -> None:
    registry = Registry(Tables)
    before = registry.tables
    after = registry.change(lambda tables: tables.with_manifest(fake_backend("new")))
    assert (list(before.backends), list(after.backends)) == ([], ["new"])
    with pytest.raises(TypeError):
        after.backends["other"] = fake_backend("other")  # type: ignore[index]


def test_a_failed_change_changes_nothing() -> None:
    registry = Registry(Tables)
    before = registry.tables
    with pytest.raises(ZeroDivisionError):
        registry.change(lambda tables: 1 / 0)  # type: ignore[arg-type, return-value]
    assert registry.tables is before


def test_threads_discover_once_and_lose_no_registration() -> None:
    discovered: list[int] = []

    def discover() -> Tables:
        discovered.append(1)
        return Tables()

    registry, barrier = Registry(discover), threading.Barrier(16)

    def register(index: int) -> None:
        barrier.wait()
        registry.change(lambda tables: tables.with_manifest(fake_backend(f"b{index}")))

    threads = [threading.Thread(target=register, args=(index,)) for index in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert discovered == [1]
    assert sorted(registry.tables.backends) == sorted(f"b{index}" for index in range(16))
