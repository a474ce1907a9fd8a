"""Instruction modifiers as fields of a record."""

from __future__ import annotations

import re

Modifier = tuple[str, int]

_FLAGS = {
    "glc": 1, "slc": 2, "nt": 4, "sc0": 8, "sc1": 16, "clamp": 32, "gds": 64, "lds": 128, "offen": 256, "idxen": 512,
    "tfe": 1024, "dlc": 8192, "matrix_a_reuse": 65536, "matrix_b_reuse": 131072,
}  # fmt: skip
_SELECTORS = {"BYTE_0": 0, "BYTE_1": 1, "BYTE_2": 2, "BYTE_3": 3, "WORD_0": 4, "WORD_1": 5, "DWORD": 6}
_UNUSED = {"UNUSED_PAD": 0, "UNUSED_SEXT": 1, "UNUSED_PRESERVE": 2}
_DPP_BASES = {
    "row_shl": 0x100,
    "row_shr": 0x110,
    "row_ror": 0x120,
    "row_newbcast": 0x150,
    "row_share": 0x150,
    "row_xmask": 0x160,
}
_DPP_WORDS = {
    "wave_shl:1": 0x130, "wave_rol:1": 0x134, "wave_shr:1": 0x138, "wave_ror:1": 0x13C,
    "row_mirror": 0x140, "row_half_mirror": 0x141, "row_bcast:15": 0x142, "row_bcast:31": 0x143,
}  # fmt: skip
_OMOD = {"mul:2": 1, "mul:4": 2, "div:2": 3}
_NUMBERS = {
    "offset0": "offset",
    "offset1": "offset1",
    "row_mask": "row_mask",
    "bank_mask": "bank_mask",
    "cbsz": "cbsz",
    "abid": "abid",
    "blgp": "blgp",
}
_FIELDS = {"op_sel": "op_sel", "op_sel_hi": "op_sel_hi", "neg_lo": "neg_lo", "neg_hi": "neg_hi", "neg": "neg_lo"}
_COUNTERS = {"vmcnt": "offset", "lgkmcnt": "offset1", "expcnt": "expcnt", "vscnt": "offset"}
_IGNORED = re.compile(r"th:\w+|scope:\w+|format:.*")
_MATRIX_FORMATS = {
    "MATRIX_FMT_FP8": 0,
    "MATRIX_FMT_BF8": 1,
    "MATRIX_FMT_FP6": 2,
    "MATRIX_FMT_BF6": 3,
    "MATRIX_FMT_FP4": 4,
}
_MATRIX_SCALES = {  # bits of one field, as the engine has them
    "matrix_a_scale:MATRIX_SCALE_ROW1": 1,
    "matrix_b_scale:MATRIX_SCALE_ROW1": 2,
    "matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3": 4,
    "matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3": 8,
    "matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3": 16,
    "matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3": 32,
}


def parse_modifier(token: str) -> Modifier | None:
    """(field, value); `flags` and `scales` values are added up. None when the name is not known."""
    if token in _FLAGS:
        return "flags", _FLAGS[token]
    if token in _MATRIX_SCALES:
        return "scales", _MATRIX_SCALES[token]
    if token == "scale_offset":
        return "scale_offset", 1
    if token in _OMOD:
        return "omod", _OMOD[token]
    if token in _DPP_WORDS:
        return "dpp_control", _DPP_WORDS[token]
    if match := re.fullmatch(r"(\w+cnt)\((\d+)\)", token):
        return _COUNTERS.get(match[1], "ignored"), int(match[2])
    if _IGNORED.fullmatch(token):
        return ("flags", 8) if token.startswith("th:") and "RETURN" in token else ("ignored", 0)
    name, _, value = token.partition(":")
    return _with_value(name, value) if value else None


def _with_value(name: str, value: str) -> Modifier | None:
    if name == "offset":
        return ("ignored", 0) if value.startswith("swizzle(") else ("offset", int(value, 0))  # see records.py
    if name in _NUMBERS:
        return _NUMBERS[name], int(value, 0)
    if name in _FIELDS:
        return _FIELDS[name], sum(int(bit) << k for k, bit in enumerate(value.strip("[]").split(",")))
    if name in ("dst_sel", "src0_sel", "src1_sel"):
        return name, _SELECTORS[value]
    if name == "dst_unused":
        return name, _UNUSED[value]
    if name == "bound_ctrl":
        return "flags", 2048
    if name == "fi":
        return "flags", 4096 * int(value)
    if name in ("matrix_a_fmt", "matrix_b_fmt"):
        return ("cbsz" if name == "matrix_a_fmt" else "blgp"), _MATRIX_FORMATS[value]
    if name == "byte_sel":
        return "byte_sel", int(value)
    if name in ("index_key", "scale_sel"):
        return "abid", int(value)
    if name == "bitop3":
        return "dpp_control", int(value, 0)
    return _lane_control(name, value)


def _lane_control(name: str, value: str) -> Modifier | None:
    if name in _DPP_BASES:
        return "dpp_control", _DPP_BASES[name] | int(value)
    if name in ("quad_perm", "dpp8"):
        width = 2 if name == "quad_perm" else 3
        return "dpp_control", sum(int(lane) << width * k for k, lane in enumerate(value.strip("[]").split(",")))
    return None
