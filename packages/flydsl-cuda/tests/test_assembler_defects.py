"""What LLVM writes and `ptxas` would assemble wrong is written otherwise."""

from __future__ import annotations

import pytest

from flydsl_cuda.assembler_defects import without_defects


@pytest.mark.parametrize("written", ["neg.s16 \t%rs3, %rs2;", "sub.s16 \t%rs3, 0, %rs2;"])
def test_a_number_is_negated_by_its_complement(written: str) -> None:
    assert without_defects(f"\t{written}\n") == "\tnot.b16 %rs3, %rs2; add.s16 %rs3, %rs3, 1;\n"


def test_an_absolute_value_is_the_larger_of_a_number_and_its_negative() -> None:
    made = without_defects("\tabs.s16 \t%rs3, %rs2;\n")
    assert "abs.s16" not in made
    assert "not.b16 %negated, %rs2; add.s16 %negated, %negated, 1; max.s16 %rs3, %rs2, %negated;" in made


@pytest.mark.parametrize("name", ["add.s", "min.s", "max.u"])
def test_packed_operations_are_done_by_halves(name: str) -> None:
    made = without_defects(f"\t{name}16x2 \t%r4, %r2, %r3;\n")
    assert "16x2" not in made
    assert f"{name}16 %low0, %low1, %low2; {name}16 %high0, %high1, %high2; mov.b32 %r4, {{%low0, %high0}};" in made


@pytest.mark.parametrize(
    "written, store, register, bits",
    [
        ("add.rn.f32 \t%r3, %r2, %r1;", "st.global.b8 \t[%rd8]", "%r3", 32),
        ("fma.rn.f32 \t%r3, %r2, %r1, %r0;", "st.shared.b16 \t[%r9+4]", "%r3", 32),
        ("add.rn.f16 \t%rs3, %rs2, %rs1;", "st.b8 \t[%rd8]", "%rs3", 16),
        ("@%p1 mul.rn.bf16 \t%rs3, %rs2, %rs1;", "st.volatile.global.u8 \t[%rd8]", "%rs3", 16),
        ("add.rn.f64 \t%rd3, %rd2, %rd1;", "st.relaxed.gpu.global.b32 \t[%rd8]", "%rd3", 64),
        ("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%r3, %r4}, {%r5}, {%r6}, {%r7};",
         "st.shared::cta.b16 \t[%r9]", "%r4", 32),
    ],
)  # fmt: skip
def test_low_bits_of_a_float_are_stored_from_a_copy(written: str, store: str, register: str, bits: int) -> None:
    expected = f"\t{{ .reg .b{bits} %copy; mov.b{bits} %copy, {register}; {store}, %copy; }}"
    assert without_defects(f"\t{written}\n\t{store}, {register};\n") == f"\t{written}\n{expected}\n"


@pytest.mark.parametrize(
    "kept",
    [
        "\tneg.s32 \t%r3, %r2;",
        "\t@%p1 neg.s16 \t%rs3, %rs2;",
        "\tsub.s16 \t%rs3, %rs1, %rs2;",
        "\tadd.s16 \t%rs1, %rs2, 1;",
        "\tadd.rn.f32 \t%r3, %r2, %r1;\n\tst.global.b32 \t[%rd8], %r3;",
        "\tadd.rn.f32 \t%r3, %r2, %r1;\n\tst.global.b8 \t[%rd8], %r30;",
        "\tadd.rn.f16 \t%rs3, %rs2, %rs1;\n\tst.global.b16 \t[%rd8], %rs3;",
        "\tadd.s32 \t%r3, %r2, %r1;\n\tst.global.b8 \t[%rd8], %r3;",
    ],
)
def test_other_instructions_stay(kept: str) -> None:
    assert without_defects(kept) == kept
