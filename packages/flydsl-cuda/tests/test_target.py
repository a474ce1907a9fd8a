"""Chip names and compute capabilities."""

from __future__ import annotations

import pytest

from flydsl.base.errors import UnsupportedTargetError
from flydsl_cuda.backend import CudaBackend
from flydsl_cuda.target import DEFAULT_ARCH, NEWEST_PTX, TARGETS, chip_of, default_arch, is_known, target_of


@pytest.mark.parametrize(
    ("capability", "chip"),
    [((8, 0), "sm_80"), ((8, 9), "sm_89"), ((9, 0), "sm_90a"), ((10, 0), "sm_100a"), ((7, 0), "sm_70")],
)
def test_a_device_is_the_chip_with_the_most_instructions(capability: tuple[int, int], chip: str) -> None:
    assert chip_of(*capability) == chip


def test_names_are_taken_in_any_case() -> None:
    assert target_of(" SM_90A ") is TARGETS["sm_90a"]
    assert is_known("SM_80")


def test_another_chip_is_an_error_that_lists_the_known_ones() -> None:
    assert not is_known("sm_70")
    with pytest.raises(UnsupportedTargetError, match="does not know architecture 'sm_70'; known: sm_80, sm_86"):
        CudaBackend().make_target("sm_70")


def test_clusters_begin_with_sm_90() -> None:
    assert {chip: target.max_cluster for chip, target in TARGETS.items() if chip in ("sm_80", "sm_90a", "sm_100a")} == {
        "sm_80": 1,
        "sm_90a": 8,
        "sm_100a": 8,
    }


def test_llvm_writes_the_ptx_of_every_chip() -> None:
    assert all(80 <= target.oldest_ptx <= NEWEST_PTX for target in TARGETS.values())


def test_without_a_device_code_is_for_hopper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flydsl_cuda.target._current_chip", lambda: "")
    assert (default_arch(), DEFAULT_ARCH) == ("sm_90a", "sm_90a")
    monkeypatch.setattr("flydsl_cuda.target._current_chip", lambda: "sm_80")
    assert default_arch() == "sm_80"
