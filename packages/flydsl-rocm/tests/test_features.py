"""Features of chips against the table of operations, which says for which chips LLVM makes instructions of them."""

from __future__ import annotations

import pytest

from flydsl_rocm.features import Feature, chips_with
from flydsl_rocm.rocdl import signatures
from flydsl_rocm.target import TARGETS

OPERATIONS = {
    Feature.MFMA: "mfma.f32.16x16x4f32",
    Feature.MFMA_GFX90A: "mfma.i32.16x16x16i8",
    Feature.MFMA_GFX942: "mfma.i32.16x16x32.i8",
    Feature.MFMA_FP8: "mfma.f32.16x16x32.fp8.fp8",
    Feature.MFMA_GFX950: "mfma.f32.16x16x32.f16",
    Feature.WMMA_GFX1250: "wmma.f32.16x16x32.f16",
    Feature.FP8_CONVERSIONS: "cvt.pk.fp8.f32",
    Feature.PERMLANE16_SWAP: "permlane16.swap",
    Feature.PERMLANE32_SWAP: "permlane32.swap",
    Feature.LOADS_TO_LDS: "raw.ptr.buffer.load.lds",
    Feature.ASYNC_COPIES: "global.load.async.to.lds.b32",
    Feature.TENSOR_MOVES: "tensor.load.to.lds",
    Feature.CLUSTERS: "cluster.load.async.to.lds.b32",
    Feature.SPLIT_COUNTERS: "s.wait.loadcnt",
    Feature.EXPORT_COUNTER: "s.wait.expcnt",
    Feature.TANH: "tanh",
    Feature.CDNA4: "cvt.scalef32.pk.f32.fp4",
}


@pytest.mark.parametrize("feature", OPERATIONS)
def test_chips_with_a_feature_have_its_operation_and_no_others(feature: Feature) -> None:
    assert chips_with(feature) == signatures()[OPERATIONS[feature]].chips


def test_every_chip_is_of_one_family_and_has_one_kind_of_matrix_instructions() -> None:
    families = (Feature.CDNA, Feature.CDNA5, Feature.RDNA3, Feature.RDNA4)
    products = (Feature.MFMA, Feature.WMMA_GFX11, Feature.WMMA_GFX12, Feature.WMMA_GFX1250)
    for target in TARGETS.values():
        assert len(target.features.intersection(families)) == 1
        assert len(target.features.intersection(products)) == 1


def test_every_feature_is_one_that_some_chips_have_and_some_lack() -> None:
    for feature in Feature:
        assert chips_with(feature)
        assert chips_with(feature) != TARGETS.keys()
