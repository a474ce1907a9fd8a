"""The table of AMD chips in the documentation is that of the backend."""

from __future__ import annotations

from pathlib import Path

from flydsl_hipsim.images import chips_of
from flydsl_hipsim.options import CHIPS
from flydsl_rocm.features import Feature
from flydsl_rocm.target import TARGETS, RocmTarget

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/compile_for_another_target.md"
FAMILIES = {
    Feature.CDNA5: ("CDNA 5",),
    Feature.CDNA4: ("CDNA 4",),
    Feature.CDNA3: ("CDNA 3", "CDNA 3 and 4"),
    Feature.CDNA: ("CDNA 2",),
    Feature.RDNA3: ("RDNA 3", "RDNA 3.5"),
    Feature.RDNA4: ("RDNA 4",),
}


def families(target: RocmTarget) -> tuple[str, ...]:
    """How the family may be called, the newest first."""
    return next(names for feature, names in FAMILIES.items() if feature in target.features)


def expected(target: RocmTarget) -> list[str]:
    """The cells of a row behind the name and the family."""
    features = target.features
    kind = "MFMA" if Feature.MFMA in features else "WMMA"
    is_scaled = not features.isdisjoint({Feature.CDNA4, Feature.CDNA5})
    has_fp8 = not features.isdisjoint({Feature.MFMA_FP8, Feature.WMMA_GFX12, Feature.WMMA_GFX1250})
    fp8 = ("FNUZ" if Feature.FNUZ in features else "OCP") if has_fp8 else "-"
    simulated = "yes" if target.chip in CHIPS else f"on {' and '.join(chips_of(target.chip))}"
    wave = "32 or 64" if target.wave_choice else str(target.wave)
    return [wave, str(target.lds_bytes >> 10), f"{kind}, scaled {kind}" if is_scaled else kind, fp8, simulated]


def test_the_table_has_every_chip_as_it_is() -> None:
    rows = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| gfx")]
    assert [row[0] for row in rows] == list(TARGETS)
    for name, family, *cells in rows:
        assert family in families(TARGETS[name])
        assert cells == expected(TARGETS[name])
