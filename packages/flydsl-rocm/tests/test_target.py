"""Architecture names and what they stand for."""

from __future__ import annotations

import pytest

from flydsl.base.errors import UnsupportedTargetError
from flydsl_rocm.target import TARGETS, default_arch, target_of


@pytest.mark.parametrize("chip", TARGETS)
def test_wave_width_follows_the_family(chip: str) -> None:
    assert target_of(chip).wave == (64 if chip.startswith("gfx9") else 32)


def test_unknown_chip_lists_the_known() -> None:
    with pytest.raises(UnsupportedTargetError, match=r"gfx906.*gfx942") as error:
        target_of("gfx906")
    assert all(chip in str(error.value) for chip in TARGETS)
    assert isinstance(error.value, ValueError)


def test_features_as_hip_reports_them_are_taken() -> None:
    target = target_of("gfx90a:sramecc+:xnack-")
    assert (target.chip, target.llvm_features, target.wave) == ("gfx90a", "+sramecc,-xnack", 64)


@pytest.mark.parametrize("word", ["wavefrontsize64+", "wavefrontsize32-"])
def test_rdna_may_run_wave64(word: str) -> None:
    target = target_of(f"gfx1100:{word}")
    assert (target.wave, target.llvm_features) == (64, "+wavefrontsize64")


@pytest.mark.parametrize(
    "arch", ["gfx942:wavefrontsize32+", "gfx1250:wavefrontsize64+", "gfx942:turbo+", "gfx942:xnack"]
)
def test_impossible_features_are_errors(arch: str) -> None:
    with pytest.raises(UnsupportedTargetError):
        target_of(arch)


def test_default_comes_from_the_settings(isolated_plugins: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a runtime there is no device."""
    monkeypatch.delenv("FLYDSL_GPU_ARCH", raising=False)
    monkeypatch.delenv("HSA_OVERRIDE_GFX_VERSION", raising=False)
    assert default_arch() == "gfx942"
    monkeypatch.setenv("HSA_OVERRIDE_GFX_VERSION", "9.0.10")
    assert default_arch() == "gfx90a"
    monkeypatch.setenv("HSA_OVERRIDE_GFX_VERSION", "11.0.0")
    assert default_arch() == "gfx1100"
    monkeypatch.setenv("HSA_OVERRIDE_GFX_VERSION", "eleven")
    with pytest.raises(UnsupportedTargetError, match=r"major\.minor\.step"):
        default_arch()
    monkeypatch.setenv("FLYDSL_GPU_ARCH", "gfx950")
    assert default_arch() == "gfx950"


def test_words_of_the_device_module_say_what_is_compiled_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from flydsl.runtime.device import get_rocm_arch, is_rdna_arch

    monkeypatch.setenv("FLYDSL_GPU_ARCH", "gfx90a")
    assert (get_rocm_arch(), is_rdna_arch()) == ("gfx90a", False)
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "gfx1100")
    assert (get_rocm_arch(), is_rdna_arch()) == ("gfx1100", True)
    assert [is_rdna_arch(arch) for arch in ("gfx942", "gfx1201", "GFX1250")] == [False, True, False]
