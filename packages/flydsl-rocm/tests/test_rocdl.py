"""The table of MLIR's operations: every one is there, with the signature of its definition."""

from __future__ import annotations

import pytest

from flydsl_rocm.rocdl import by_python_name, operation_class, signatures
from flydsl_rocm.rocdl_dialect import ROCDL
from flydsl_rocm.target import TARGETS


def test_every_operation_of_mlir_22_is_there() -> None:
    assert len(signatures()) == 323
    assert len(by_python_name()) == 323
    assert len(list(ROCDL.operations)) == 323


@pytest.mark.parametrize(
    ("name", "text", "chips"),
    [
        ("cvt.pk.fp8.f32", "cvt_pk_fp8_f32(srcA: f32, srcB: f32, old: i32, wordSel: i1) -> i32", "gfx1201"),
        ("mfma.f32.16x16x16f16", "mfma_f32_16x16x16f16(a: v4f16, b: v4f16, c: v4f32, cbsz=0, abid=0, blgp=0) -> v4f32",
         "gfx90a"),
        ("raw.ptr.buffer.store", "raw_ptr_buffer_store(vdata: *, rsrc: p8, offset: i32, soffset: i32, aux=0)",
         "gfx1100"),
        ("wmma.f32.16x16x16.f16", "wmma_f32_16x16x16_f16(a: f16*, b: f16*, c: f32*) -> =c", "gfx1100"),
    ],
)  # fmt: skip
def test_a_signature_is_that_of_the_definition(name: str, text: str, chips: str) -> None:
    signature = signatures()[name]
    assert str(signature) == text
    assert chips in signature.chips


def test_chips_are_known_and_only_what_mlir_calls_pure_is_shared() -> None:
    assert all(signature.chips <= TARGETS.keys() for signature in signatures().values())
    assert signatures()["rcp"].is_pure
    assert not signatures()["readfirstlane"].is_pure
    assert operation_class("rcp") is operation_class("rcp")
