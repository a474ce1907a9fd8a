"""The examples' kernels compiled for AMD GPUs: shared memory is LDS, shuffles stay in the wave, copies are wide."""

from __future__ import annotations

import pytest
from support.example_arguments import EXPECTED, arrays
from support.examples import EXAMPLES, load_example


@pytest.fixture(autouse=True)
def chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("arch", ["gfx942", "gfx1100"])
def test_an_example_compiles(name: str, arch: str) -> None:
    function, arguments, instructions = EXPECTED[name]
    traced = getattr(load_example(name), function).trace(*arguments(), arch=arch)
    isa = traced.lower().compile().disassemble()
    for spellings in instructions:
        assert any(spelling in isa for spelling in spellings.split("|")), spellings
    assert "flat_" not in isa


def test_the_staged_product_uses_matrix_instructions_where_asked() -> None:
    gemm = load_example("12_tiled_gemm").gemm
    isa = gemm.trace(*arrays((40, 41), (41, 44), (40, 44)), "mfma", arch="gfx942").lower().compile().disassemble()
    assert isa.count("v_mfma_f32_16x16x4") == 2 * 2 * 8  # tiles of 32 x 32 a wave, 32 along K
    assert "s_barrier" in isa


def test_attention_uses_matrix_instructions_where_asked() -> None:
    attention, operands = load_example("13_attention").attention, arrays(*[(40, 16, 2)] * 4)
    isa = attention.trace(*operands, 0.25, 16, False, "mfma", arch="gfx942").lower().compile().disassemble()
    assert isa.count("v_mfma_f32_16x16x4") == 2 * 4  # one product for the scores and one for the result, 16 along K


def test_every_example_is_compiled() -> None:
    assert sorted(EXPECTED) == EXAMPLES
