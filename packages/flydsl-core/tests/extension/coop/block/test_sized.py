"""Specialisations with a number of items."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.extension.coop.block import _spec
from flydsl.plugins.compile_backend import GPUTarget


@pytest.fixture(autouse=True)
def target(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_spec, "current_target", lambda: GPUTarget("fake", "fake1", 32))


def test_a_specialisation_has_its_parameters_and_storage() -> None:
    P: Any = fx.coop.BlockExchange[fx.Float32, (16, 4), 3]
    assert (P.dtype, P.block_size, P.block_threads, P.items) == (fx.Float32, (16, 4, 1), 64, 3)
    assert (P.warp_threads, P.num_warps) == (32, 2)
    assert P.SharedStorage.fields == {"slots": fx.Array[fx.Float32, 192]}
    assert fx.coop.BlockExchange[fx.Float32, (16, 4, 1), 3] is P


def test_algorithms_are_those_of_the_class() -> None:
    Algorithm = fx.coop.BlockLoadAlgorithm
    P: Any = fx.coop.BlockLoad[fx.Float32, 64, 2]
    assert P.algorithm is Algorithm.DIRECT
    other: Any = fx.coop.BlockLoad[fx.Float32, 64, 2, Algorithm.STRIPED]
    assert other.algorithm is Algorithm.STRIPED
    with pytest.raises(TypeError, match="is one of BlockLoadAlgorithm"):
        fx.coop.BlockLoad[fx.Float32, 64, 2, fx.coop.BlockStoreAlgorithm.STRIPED]


@pytest.mark.parametrize("items", [0, 1.5, True])
def test_the_number_of_items_is_positive(items: Any) -> None:
    with pytest.raises(ValueError, match="takes the number of items a thread"):
        fx.coop.BlockExchange[fx.Float32, 64, items]
