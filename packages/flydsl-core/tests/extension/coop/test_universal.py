"""The universal forms: the same names and enumerations, other functions for warps."""

from __future__ import annotations

from types import ModuleType

import flydsl.expr as fx
from flydsl.extension.coop import universal
from flydsl.extension.coop.warp import shuffles


def public(module: ModuleType) -> set[str]:
    """The names of a module that are neither modules nor private."""
    return {name for name, value in vars(module).items() if name[0] != "_" and not isinstance(value, ModuleType)}


def test_names_are_those_of_coop() -> None:
    assert public(universal) == public(fx.coop)
    assert len(public(universal)) > 50
    assert fx.coop.universal is universal


def test_enumerations_are_the_same_objects_and_classes_are_subclasses() -> None:
    assert universal.BlockReduceAlgorithm is fx.coop.BlockReduceAlgorithm
    assert universal.BlockScanAlgorithm is fx.coop.BlockScanAlgorithm
    for name in ("BlockReduce", "BlockScan"):
        own, other = getattr(universal, name), getattr(fx.coop, name)
        assert issubclass(own, other)
        assert (own.warp_ops, other.warp_ops) == (shuffles, fx.coop.warp)
