"""Classes and widths of instructions by their names."""

from __future__ import annotations

import pytest

from flydsl_rocm.report.instructions import access_of, class_of, listing


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("v_add_f32_e32", "VALU"),
        ("v_dual_mul_f32", "VALU"),
        ("v_mfma_f32_16x16x16_f16", "matrix"),
        ("v_wmma_f32_16x16x16_f16", "matrix"),
        ("v_swmmac_f32_16x16x32_f16", "matrix"),
        ("ds_read_b128", "LDS"),
        ("ds_bpermute_b32", "LDS"),
        ("global_load_dwordx4", "VMEM"),
        ("buffer_store_b32", "VMEM"),
        ("scratch_load_dword", "VMEM"),
        ("s_load_dwordx2", "SMEM"),
        ("s_buffer_load_b32", "SMEM"),
        ("s_waitcnt", "wait"),
        ("s_wait_loadcnt_dscnt", "wait"),
        ("s_wait_alu", "other"),
        ("s_cbranch_execz", "branch"),
        ("s_swappc_b64", "branch"),
        ("s_barrier_signal", "barrier"),
        ("s_and_saveexec_b64", "SALU"),
        ("s_setprio", "other"),
        ("s_nop", "other"),
        ("s_endpgm", "other"),
    ],
)
def test_an_instruction_has_one_class(name: str, kind: str) -> None:
    assert class_of(name) == kind


@pytest.mark.parametrize(
    ("name", "access"),
    [
        ("global_load_dwordx4", ("global load", 128)),
        ("global_load_b64", ("global load", 64)),
        ("global_store_dword", ("global store", 32)),
        ("global_load_ubyte_d16", ("global load", 8)),
        ("global_load_d16_b16", ("global load", 16)),
        ("global_load_lds_dwordx4", ("global load", 128)),
        ("buffer_load_ushort", ("buffer load", 16)),
        ("flat_store_dwordx3", ("flat store", 96)),
        ("scratch_load_dwordx2", ("scratch load", 64)),
        ("ds_read_b128", ("LDS load", 128)),
        ("ds_read2_b32", ("LDS load", 64)),
        ("ds_write2st64_b64", ("LDS store", 128)),
        ("ds_load_2addr_b32", ("LDS load", 64)),
        ("ds_store_2addr_stride64_b64", ("LDS store", 128)),
        ("ds_read_u16_d16_hi", ("LDS load", 16)),
        ("ds_read_b64_tr_b16", ("LDS load", 64)),
        ("ds_bpermute_b32", None),
        ("global_atomic_add_f32", None),
        ("v_add_f32_e32", None),
    ],
)
def test_the_width_of_an_access(name: str, access: tuple[str, int] | None) -> None:
    assert access_of(name) == access


def test_a_listing_has_labels_and_operands() -> None:
    text = "k:\n  s_load_dwordx2 s[0:1], s[2:3], 0x0    // 000: 00\nL_8:\n  s_endpgm   // 008: 00\n\n"
    assert list(listing(text)) == [("k", "s_load_dwordx2", "s[0:1], s[2:3], 0x0"), ("L_8", "s_endpgm", "")]
