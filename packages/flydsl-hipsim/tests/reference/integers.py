"""Names of vector integer instructions in, letters of their operands and functions of one lane out.

Letters: u 32 bits, w 16 bits, q 64 bits, i two 16-bit integers, P two of 32 bits, c a lane's bit of a mask.
A function gives the result's bits, with a carry as a second value where the letters of the result say M.
"""

from __future__ import annotations

from collections.abc import Callable

M16, M32, M64 = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
Table = dict[str, tuple[str, str, Callable[..., object]]]


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def s32(value: int) -> int:
    return signed(value, 32)


def s24(value: int) -> int:
    return signed(value, 24)


def saturated(value: int, low: int, high: int) -> int:
    return min(max(value, low), high)


def leading(value: int) -> int:
    return 32 - value.bit_length() if value else M32


def trailing(value: int) -> int:
    return (value & -value).bit_length() - 1 if value else M32


def sign_run(value: int) -> int:
    """Leading bits that are like the sign; all ones when every bit is."""
    return leading(value ^ M32 if value >> 31 else value)


def field(a: int, offset: int, width: int, is_signed: bool) -> int:
    offset, width = offset & 31, width & 31
    if not width:
        return 0
    part = a >> offset & (1 << width) - 1
    if not is_signed:
        return part
    return signed(part, width) if offset + width < 32 else s32(a) >> offset


def permuted(a: int, b: int, selectors: int) -> int:
    both, result = a << 32 | b, 0
    for k in range(4):
        selector = selectors >> 8 * k & 0xFF
        if selector < 8:
            byte = both >> 8 * selector & 0xFF
        elif selector < 12:
            byte = 0xFF * (both >> (16 * (selector - 8) + 15) & 1)
        else:
            byte = 0 if selector == 12 else 0xFF
        result |= byte << 8 * k
    return result


def differences(a: int, b: int, width: int, masked: bool = False) -> int:
    parts = [(a >> k & (1 << width) - 1, b >> k & (1 << width) - 1) for k in range(0, 32, width)]
    return sum(abs(x - y) for x, y in parts if y or not masked)


def average(a: int, b: int, c: int) -> int:
    return sum(((a >> k & 255) + (b >> k & 255) + (c >> k & 1) >> 1) << k for k in range(0, 32, 8))


def middle(*values: int) -> int:
    return sorted(values)[1]


def with_carry(value: int, bits: int = 32) -> tuple[int, bool]:
    return value & (1 << bits) - 1, value >> bits != 0


def wide_signed(a: int, b: int, c: int) -> tuple[int, bool]:
    total = s32(a) * s32(b) + signed(c, 64)
    return total & M64, total < 0  # bit 64 of the sum


def dot(a: int, b: int, width: int, is_signed: bool) -> int:
    part = signed if is_signed else lambda x, n: x & (1 << n) - 1
    return sum(part(a >> k, width) * part(b >> k, width) for k in range(0, 32, width))


INTEGERS: Table = {
    "v_mov_b32": ("u", "u", lambda a: a),
    "v_not_b32": ("u", "u", lambda a: ~a),
    "v_bfrev_b32": ("u", "u", lambda a: int(f"{a:032b}"[::-1], 2)),
    "v_ffbh_u32": ("u", "u", leading),
    "v_ffbl_b32": ("u", "u", trailing),
    "v_ffbh_i32": ("u", "u", sign_run),
    "v_mov_b64": ("q", "q", lambda a: a),
    "v_pk_mov_b32": ("q", "PP", lambda a, b: a & M32 | (b & M32) << 32),
    "v_sat_pk_u8_i16": (
        "w",
        "u",
        lambda a: saturated(signed(a, 16), 0, 255) | saturated(signed(a >> 16, 16), 0, 255) << 8,
    ),
    "v_add_u32": ("u", "uu", lambda a, b: a + b),
    "v_sub_u32": ("u", "uu", lambda a, b: a - b),
    "v_subrev_u32": ("u", "uu", lambda a, b: b - a),
    "v_add_u32 clamp": ("u", "uu", lambda a, b: min(a + b, M32)),
    "v_sub_u32 clamp": ("u", "uu", lambda a, b: max(a - b, 0)),
    "v_subrev_u32 clamp": ("u", "uu", lambda a, b: max(b - a, 0)),
    "v_add_i32": ("u", "uu", lambda a, b: a + b),
    "v_sub_i32": ("u", "uu", lambda a, b: a - b),
    "v_add_i32 clamp": ("u", "uu", lambda a, b: saturated(s32(a) + s32(b), -1 << 31, (1 << 31) - 1)),
    "v_sub_i32 clamp": ("u", "uu", lambda a, b: saturated(s32(a) - s32(b), -1 << 31, (1 << 31) - 1)),
    "v_mul_u32_u24": ("u", "uu", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    "v_mul_hi_u32_u24": ("u", "uu", lambda a, b: (a & 0xFFFFFF) * (b & 0xFFFFFF) >> 32),
    "v_mul_i32_i24": ("u", "uu", lambda a, b: s24(a) * s24(b)),
    "v_mul_hi_i32_i24": ("u", "uu", lambda a, b: s24(a) * s24(b) >> 32),
    "v_mul_lo_u32": ("u", "uu", lambda a, b: a * b),
    "v_mul_hi_u32": ("u", "uu", lambda a, b: a * b >> 32),
    "v_mul_hi_i32": ("u", "uu", lambda a, b: s32(a) * s32(b) >> 32),
    "v_min_u32": ("u", "uu", min),
    "v_max_u32": ("u", "uu", max),
    "v_min_i32": ("u", "uu", lambda a, b: min(s32(a), s32(b))),
    "v_max_i32": ("u", "uu", lambda a, b: max(s32(a), s32(b))),
    "v_and_b32": ("u", "uu", lambda a, b: a & b),
    "v_or_b32": ("u", "uu", lambda a, b: a | b),
    "v_xor_b32": ("u", "uu", lambda a, b: a ^ b),
    "v_xnor_b32": ("u", "uu", lambda a, b: ~(a ^ b)),
    "v_lshlrev_b32": ("u", "uu", lambda a, b: b << (a & 31)),
    "v_lshrrev_b32": ("u", "uu", lambda a, b: b >> (a & 31)),
    "v_ashrrev_i32": ("u", "uu", lambda a, b: s32(b) >> (a & 31)),
    "v_lshlrev_b64": ("q", "uq", lambda a, b: b << (a & 63)),
    "v_lshrrev_b64": ("q", "uq", lambda a, b: b >> (a & 63)),
    "v_ashrrev_i64": ("q", "uq", lambda a, b: signed(b, 64) >> (a & 63)),
    "v_bfm_b32": ("u", "uu", lambda a, b: ((1 << (a & 31)) - 1) << (b & 31)),
    "v_bcnt_u32_b32": ("u", "uu", lambda a, b: a.bit_count() + b),
    "v_cndmask_b32": ("u", "uuc", lambda a, b, c: b if c else a),
    "v_add_co_u32": ("uM", "uu", lambda a, b: with_carry(a + b)),
    "v_sub_co_u32": ("uM", "uu", lambda a, b: with_carry(a - b)),
    "v_subrev_co_u32": ("uM", "uu", lambda a, b: with_carry(b - a)),
    "v_addc_co_u32": ("uM", "uuc", lambda a, b, c: with_carry(a + b + c)),
    "v_subb_co_u32": ("uM", "uuc", lambda a, b, c: with_carry(a - b - c)),
    "v_subbrev_co_u32": ("uM", "uuc", lambda a, b, c: with_carry(b - a - c)),
    "v_mad_u64_u32": ("qM", "uuq", lambda a, b, c: with_carry(a * b + c, 64)),
    "v_mad_i64_i32": ("qM", "uuq", wide_signed),
    "v_add3_u32": ("u", "uuu", lambda a, b, c: a + b + c),
    "v_lshl_add_u32": ("u", "uuu", lambda a, b, c: (a << (b & 31)) + c),
    "v_add_lshl_u32": ("u", "uuu", lambda a, b, c: (a + b & M32) << (c & 31)),
    "v_xad_u32": ("u", "uuu", lambda a, b, c: (a ^ b) + c),
    "v_lshl_or_b32": ("u", "uuu", lambda a, b, c: (a << (b & 31)) | c),
    "v_and_or_b32": ("u", "uuu", lambda a, b, c: a & b | c),
    "v_or3_b32": ("u", "uuu", lambda a, b, c: a | b | c),
    "v_lshl_add_u64": ("q", "quq", lambda a, b, c: (a << (b & 7)) + c),
    "v_bfe_u32": ("u", "uuu", lambda a, b, c: field(a, b, c, False)),
    "v_bfe_i32": ("u", "uuu", lambda a, b, c: field(a, b, c, True)),
    "v_bfi_b32": ("u", "uuu", lambda a, b, c: a & b | ~a & c),
    "v_alignbit_b32": ("u", "uuu", lambda a, b, c: (a << 32 | b) >> (c & 31)),
    "v_alignbyte_b32": ("u", "uuu", lambda a, b, c: (a << 32 | b) >> 8 * (c & 3)),
    "v_perm_b32": ("u", "uuu", permuted),
    "v_sad_u8": ("u", "uuu", lambda a, b, c: differences(a, b, 8) + c),
    "v_sad_hi_u8": ("u", "uuu", lambda a, b, c: (differences(a, b, 8) << 16) + c),
    "v_sad_u16": ("u", "uuu", lambda a, b, c: differences(a, b, 16) + c),
    "v_sad_u32": ("u", "uuu", lambda a, b, c: abs(a - b) + c),
    "v_msad_u8": ("u", "uuu", lambda a, b, c: differences(a, b, 8, True) + c),
    "v_lerp_u8": ("u", "uuu", average),
    "v_min3_u32": ("u", "uuu", min),
    "v_max3_u32": ("u", "uuu", max),
    "v_med3_u32": ("u", "uuu", middle),
    "v_min3_i32": ("u", "uuu", lambda *v: min(map(s32, v))),
    "v_max3_i32": ("u", "uuu", lambda *v: max(map(s32, v))),
    "v_med3_i32": ("u", "uuu", lambda *v: middle(*map(s32, v))),
    "v_mad_u32_u24": ("u", "uuu", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF) + c),
    "v_mad_i32_i24": ("u", "uuu", lambda a, b, c: s24(a) * s24(b) + c),
    "v_mad_u32_u16": ("u", "wwu", lambda a, b, c: a * b + c),
    "v_mad_i32_i16": ("u", "wwu", lambda a, b, c: signed(a, 16) * signed(b, 16) + c),
    "v_cvt_pk_u16_u32": ("u", "uu", lambda a, b: min(a, M16) | min(b, M16) << 16),
    "v_cvt_pk_i16_i32": (
        "u",
        "uu",
        lambda a, b: pack(saturated(s32(a), -32768, 32767), saturated(s32(b), -32768, 32767)),
    ),
    "v_dot4_i32_i8": ("u", "uuu", lambda a, b, c: dot(a, b, 8, True) + c),
    "v_dot4_u32_u8": ("u", "uuu", lambda a, b, c: dot(a, b, 8, False) + c),
    "v_dot8_i32_i4": ("u", "uuu", lambda a, b, c: dot(a, b, 4, True) + c),
    "v_dot8_u32_u4": ("u", "uuu", lambda a, b, c: dot(a, b, 4, False) + c),
    "v_dot2_i32_i16": ("u", "iiu", lambda a, b, c: dot(a, b, 16, True) + c),
    "v_dot2_u32_u16": ("u", "iiu", lambda a, b, c: dot(a, b, 16, False) + c),
}


def pack(low: int, high: int) -> int:
    return low & M16 | (high & M16) << 16


HALVES: dict[str, Callable[..., int]] = {
    "add_u16": lambda a, b: a + b,
    "sub_u16": lambda a, b: a - b,
    "mul_lo_u16": lambda a, b: a * b,
    "lshlrev_b16": lambda a, b: b << (a & 15),
    "lshrrev_b16": lambda a, b: b >> (a & 15),
    "ashrrev_i16": lambda a, b: signed(b, 16) >> (a & 15),
    "min_u16": min,
    "max_u16": max,
    "min_i16": lambda a, b: min(signed(a, 16), signed(b, 16)),
    "max_i16": lambda a, b: max(signed(a, 16), signed(b, 16)),
    "add_u16 clamp": lambda a, b: min(a + b, M16),
    "sub_u16 clamp": lambda a, b: max(a - b, 0),
    "add_i16": lambda a, b: a + b,
    "sub_i16": lambda a, b: a - b,
    "add_i16 clamp": lambda a, b: saturated(signed(a, 16) + signed(b, 16), -32768, 32767),
    "sub_i16 clamp": lambda a, b: saturated(signed(a, 16) - signed(b, 16), -32768, 32767),
}
THREE_HALVES: dict[str, Callable[..., int]] = {
    "mad_u16": lambda a, b, c: a * b + c,
    "mad_i16": lambda a, b, c: a * b + c,
}


def both_halves(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *v: pack(function(*(x & M16 for x in v)), function(*(x >> 16 for x in v)))


for name, halves in HALVES.items():
    INTEGERS[f"v_{name}"] = ("w", "ww", halves)
    INTEGERS[f"v_pk_{name}"] = ("i", "ii", both_halves(halves))
for name, halves in THREE_HALVES.items():
    INTEGERS[f"v_{name}"] = ("w!", "www", halves)
    INTEGERS[f"v_pk_{name}"] = ("i", "iii", both_halves(halves))
for sort, order in (("u", int), ("i", lambda x: signed(x, 16))):
    INTEGERS[f"v_min3_{sort}16"] = ("w!", "www", lambda *v, key=order: min(v, key=key))
    INTEGERS[f"v_max3_{sort}16"] = ("w!", "www", lambda *v, key=order: max(v, key=key))
    INTEGERS[f"v_med3_{sort}16"] = ("w!", "www", lambda *v, key=order: sorted(v, key=key)[1])
for bits, letter in ((16, "w"), (32, "u"), (64, "q")):
    for sort in "ui":
        for word, holds in {
            "f": lambda a, b: False,
            "lt": lambda a, b: a < b,
            "eq": lambda a, b: a == b,
            "le": lambda a, b: a <= b,
            "gt": lambda a, b: a > b,
            "ne": lambda a, b: a != b,
            "ge": lambda a, b: a >= b,
            "t": lambda a, b: True,
        }.items():
            view = (lambda x, n=bits: signed(x, n)) if sort == "i" else int
            INTEGERS[f"v_cmp_{word}_{sort}{bits}"] = ("M", letter * 2, lambda a, b, h=holds, v=view: h(v(a), v(b)))
for sort, order in (("u32", int), ("i32", s32)):
    INTEGERS[f"v_minmax_{sort}"] = ("u", "uuu", lambda a, b, c, k=order: max(min(a, b, key=k), c, key=k))
    INTEGERS[f"v_maxmin_{sort}"] = ("u", "uuu", lambda a, b, c, k=order: min(max(a, b, key=k), c, key=k))


def pairs_of_differences(a: int, b: int, c: int, masked: bool) -> int:
    """Four sums of absolute differences, each one byte further in the first operand, added to 16-bit parts."""
    parts = [differences(a >> 8 * k & M32, b, 8, masked) + (c >> 16 * k & M16) & M16 for k in range(4)]
    return sum(part << 16 * k for k, part in enumerate(parts))


def saturated_shifts(a: int, b: int, c: int, low: int, high: int) -> int:
    parts = [saturated(s32(value) >> (c & 31), low, high) & 0xFF for value in (a, b)]
    return parts[0] | parts[1] << 8


def mixed_dot(a: int, b: int, c: int, width: int, signs: tuple[int, ...], clamp: bool) -> int:
    """Either operand signed or not; the sum can be clamped."""
    parts = [
        [signed(v >> k, width) if sign else v >> k & (1 << width) - 1 for k in range(0, 32, width)]
        for v, sign in zip((a, b), signs, strict=False)
    ]
    total = sum(x * y for x, y in zip(*parts, strict=True)) + s32(c)
    return saturated(total, -1 << 31, (1 << 31) - 1) if clamp else total


def table(a: int, b: int, c: int, truth: int, bits: int = 32) -> int:
    """Each bit by a truth table of three."""
    return sum((truth >> ((a >> k & 1) << 2 | (b >> k & 1) << 1 | c >> k & 1) & 1) << k for k in range(bits))


INTEGERS |= {
    "v_xor3_b32": ("u", "uuu", lambda a, b, c: a ^ b ^ c),
    "v_not_b16": ("w", "w", lambda a: ~a),
    "v_mov_b16": ("w", "w", lambda a: a),
    "v_and_b16": ("w", "ww", lambda a, b: a & b),
    "v_or_b16": ("w", "ww", lambda a, b: a | b),
    "v_xor_b16": ("w", "ww", lambda a, b: a ^ b),
    "v_cndmask_b16": ("w", "wwc", lambda a, b, c: b if c else a),
    "v_subrev_u16": ("w", "ww", lambda a, b: b - a),
    "v_mad_legacy_u16": ("w", "www", lambda a, b, c: a * b + c),
    "v_mad_legacy_i16": ("w", "www", lambda a, b, c: a * b + c),
    "v_cvt_i32_i16": ("u", "w", lambda a: signed(a, 16)),
    "v_cvt_u32_u16": ("u", "w", lambda a: a),
    "v_qsad_pk_u16_u8": ("q", "quq", lambda a, b, c: pairs_of_differences(a, b, c, False)),
    "v_mqsad_pk_u16_u8": ("q", "quq", lambda a, b, c: pairs_of_differences(a, b, c, True)),
    "v_prng_b32": ("u", "u", lambda a: a << 1 ^ (197 if a >> 31 else 0)),
    "v_ashr_pk_i8_i32": ("w!", "uuu", lambda a, b, c: saturated_shifts(a, b, c, -128, 127)),
    "v_ashr_pk_u8_i32": ("w!", "uuu", lambda a, b, c: saturated_shifts(a, b, c, 0, 255)),
    "v_dot2c_i32_i16": ("u", "iiO", lambda a, b, c: dot(a, b, 16, True) + c),
    "v_dot4c_i32_i8": ("u", "uuO", lambda a, b, c: dot(a, b, 8, True) + c),
    "v_dot8c_i32_i4": ("u", "uuO", lambda a, b, c: dot(a, b, 4, True) + c),
    "v_pack_b32_f16": ("u", "ww", lambda a, b: a | b << 16),
    "v_add_max_i32": ("u", "uuu", lambda a, b, c: max(s32(a + b), s32(c))),
    "v_add_min_i32": ("u", "uuu", lambda a, b, c: min(s32(a + b), s32(c))),
    "v_add_max_u32": ("u", "uuu", lambda a, b, c: max(a + b & M32, c)),
    "v_add_min_u32": ("u", "uuu", lambda a, b, c: min(a + b & M32, c)),
    "v_mad_u32": ("u", "uuu", lambda a, b, c: a * b + c),
    "v_add_nc_u64": ("q", "qq", lambda a, b: a + b),
    "v_sub_nc_u64": ("q", "qq", lambda a, b: a - b),
    "v_mul_u64": ("q", "qq", lambda a, b: a * b),
    "v_min_u64": ("q", "qq", min),
    "v_max_u64": ("q", "qq", max),
    "v_min_i64": ("q", "qq", lambda a, b: min(a, b, key=lambda x: signed(x, 64))),
    "v_max_i64": ("q", "qq", lambda a, b: max(a, b, key=lambda x: signed(x, 64))),
    "v_mad_nc_u64_u32": ("q", "uuq", lambda a, b, c: a * b + c),
    "v_mad_nc_i64_i32": ("q", "uuq", lambda a, b, c: s32(a) * s32(b) + c),
}
INTEGERS |= {
    "v_bitop3_b32": ("u", "uuu", table),
    "v_bitop3_b16": ("w!", "www", table),
    "v_dot4_i32_iu8": ("u", "uuu", dot),
    "v_dot8_i32_iu4": ("u", "uuu", dot),
}
"""What these do depends on the instruction's modifiers: see `Wave`."""
