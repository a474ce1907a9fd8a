"""The universal forms: the same names and enumerations, other functions for warps."""

from __future__ import annotations

import flydsl.expr as fx
from flydsl.extension.coop import universal
from flydsl.extension.coop.warp import shuffles


def test_names_are_those_of_coop() -> None:
    assert set(universal.__all__) == set(fx.coop.__all__) - {"universal", "warp"}
    assert fx.coop.universal is universal


def test_enumerations_are_the_same_objects_and_classes_are_subclasses() -> None:
    assert universal.BlockReduceAlgorithm is fx.coop.BlockReduceAlgorithm
    assert universal.BlockScanAlgorithm is fx.coop.BlockScanAlgorithm
    for name in ("BlockReduce", "BlockScan"):
        own, other = getattr(universal, name), getattr(fx.coop, name)
        assert issubclass(own, other)
        assert (own.warp_ops, other.warp_ops) == (shuffles, fx.coop.warp)
