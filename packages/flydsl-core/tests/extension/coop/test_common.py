"""Names that are one thing on every target."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl.extension.coop import common, universal

OWN = {"BlockReduce", "BlockScan", "WarpReduce", "WarpReduceBatched", "WarpScan"}


def test_they_are_the_same_objects_in_both_modules() -> None:
    names = [name for name in vars(common) if name[0] != "_"]
    assert len(names) > 25
    for name in names:
        assert getattr(fx.coop, name) is getattr(universal, name) is getattr(common, name)


def test_what_a_target_may_do_better_is_not_among_them() -> None:
    assert not [name for name in OWN if hasattr(common, name)]
    assert all(getattr(fx.coop, name) is not getattr(universal, name) for name in OWN)
