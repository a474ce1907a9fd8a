"""Names of RDNA 3 and 4 in, those of gfx9 for the same instructions out."""

from __future__ import annotations

RENAMED = {
    "v_clz_i32_u32": "v_ffbh_u32",
    "v_ctz_i32_b32": "v_ffbl_b32",
    "v_cls_i32": "v_ffbh_i32",
    "v_mad_co_u64_u32": "v_mad_u64_u32",
    "v_mad_co_i64_i32": "v_mad_i64_i32",
    "v_cvt_pk_rtz_f16_f32": "v_cvt_pkrtz_f16_f32",
    "v_cvt_floor_i32_f32": "v_cvt_flr_i32_f32",
    "v_cvt_nearest_i32_f32": "v_cvt_rpi_i32_f32",
    "v_mul_dx9_zero_f32": "v_mul_legacy_f32",
    "v_add_co_ci_u32": "v_addc_co_u32",
    "v_sub_co_ci_u32": "v_subb_co_u32",
    "v_subrev_co_ci_u32": "v_subbrev_co_u32",
    "s_add_co_u32": "s_add_u32",
    "s_add_co_i32": "s_add_i32",
    "s_sub_co_u32": "s_sub_u32",
    "s_sub_co_i32": "s_sub_i32",
    "s_add_co_ci_u32": "s_addc_u32",
    "s_sub_co_ci_u32": "s_subb_u32",
    "s_addk_co_i32": "s_addk_i32",
    "s_clz_i32_u32": "s_flbit_i32_b32",
    "s_clz_i32_u64": "s_flbit_i32_b64",
    "s_cls_i32": "s_flbit_i32",
    "s_cls_i32_i64": "s_flbit_i32_i64",
    "s_ctz_i32_b32": "s_ff1_i32_b32",
    "s_ctz_i32_b64": "s_ff1_i32_b64",
}
for _kind in ("u32", "i32", "u16", "i16"):
    RENAMED |= {f"v_{word}_nc_{_kind}": f"v_{word}_{_kind}" for word in ("add", "sub", "subrev")}
for _kind in ("i16", "u16"):
    RENAMED |= {f"v_cvt_pk_norm_{_kind}_f{n}": f"v_cvt_pknorm_{_kind}_f{n}" for n in (16, 32)}
for _bits in (32, 64):
    for _new, _old in (("and_not1", "andn2"), ("or_not1", "orn2"), ("and_not0", "andn1"), ("or_not0", "orn1")):
        RENAMED[f"s_{_new}_b{_bits}"] = f"s_{_old}_b{_bits}"
        RENAMED |= {f"s_{_new}_{how}_b{_bits}": f"s_{_old}_{how}_b{_bits}" for how in ("saveexec", "wrexec")}

CLAMP = " clamp"


def gfx9_name(name: str) -> str:
    """Also of a name with `clamp` after it."""
    plain = name.removesuffix(CLAMP)
    return RENAMED.get(plain, plain) + name[len(plain) :]


def rdna_names(tables: dict[str, object]) -> list[str]:
    """New names of what is in the tables."""
    made = [new for new, old in RENAMED.items() if old in tables]
    return made + [new + CLAMP for new, old in RENAMED.items() if old + CLAMP in tables]
