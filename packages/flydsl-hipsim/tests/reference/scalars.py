"""Names of scalar instructions in, widths of their operands and functions out.

Widths are in registers: result, then sources. Functions get the sources and scc;
they give the result and the new scc, None: as it was.
"""

from __future__ import annotations

from collections.abc import Callable

from .integers import saturated, signed, trailing

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
Function = Callable[..., tuple[int, object]]


def nonzero(value: int, bits: int = 32) -> tuple[int, bool]:
    value &= (1 << bits) - 1
    return value, value != 0


def overflows(value: int) -> tuple[int, bool]:
    return value & M32, value != saturated(value, -1 << 31, (1 << 31) - 1)


def carries(value: int) -> tuple[int, bool]:
    return value & M32, value >> 32 != 0


def chosen(a: int, b: int, first: bool) -> tuple[int, bool]:
    return (a if first else b), first


def leading(value: int, bits: int) -> int:
    return bits - value.bit_length() if value else M32


def sign_run(value: int, bits: int) -> int:
    return leading(value ^ ((1 << bits) - 1) if value >> bits - 1 else value, bits)


def cut(a: int, b: int, bits: int, is_signed: bool) -> tuple[int, bool]:
    offset, width = b & bits - 1, b >> 16 & 127
    if not width:
        return 0, False
    value = (signed(a, bits) if is_signed else a) >> offset
    if width + offset < bits:
        value = signed(value, width) if is_signed else value & (1 << width) - 1
    return nonzero(value, bits)


def s32(value: int) -> int:
    return signed(value, 32)


def quads(a: int, bits: int) -> list[bool]:
    return [bool(a >> k & 15) for k in range(0, bits, 4)]


SCALARS: dict[str, tuple[int, tuple[int, ...], Function]] = {
    "s_add_u32": (1, (1, 1), lambda a, b, c: carries(a + b)),
    "s_sub_u32": (1, (1, 1), lambda a, b, c: carries(a - b)),
    "s_add_i32": (1, (1, 1), lambda a, b, c: overflows(s32(a) + s32(b))),
    "s_sub_i32": (1, (1, 1), lambda a, b, c: overflows(s32(a) - s32(b))),
    "s_addc_u32": (1, (1, 1), lambda a, b, c: carries(a + b + c)),
    "s_subb_u32": (1, (1, 1), lambda a, b, c: carries(a - b - c)),
    "s_mul_i32": (1, (1, 1), lambda a, b, c: (a * b & M32, None)),
    "s_mul_hi_u32": (1, (1, 1), lambda a, b, c: (a * b >> 32, None)),
    "s_mul_hi_i32": (1, (1, 1), lambda a, b, c: (s32(a) * s32(b) >> 32 & M32, None)),
    "s_min_i32": (1, (1, 1), lambda a, b, c: chosen(a, b, s32(a) < s32(b))),
    "s_max_i32": (1, (1, 1), lambda a, b, c: chosen(a, b, s32(a) > s32(b))),
    "s_min_u32": (1, (1, 1), lambda a, b, c: chosen(a, b, a < b)),
    "s_max_u32": (1, (1, 1), lambda a, b, c: chosen(a, b, a > b)),
    "s_abs_i32": (1, (1,), lambda a, c: nonzero(abs(s32(a)))),
    "s_absdiff_i32": (1, (1, 1), lambda a, b, c: nonzero(abs(signed(a - b, 32)))),
    "s_bfm_b32": (1, (1, 1), lambda a, b, c: (((1 << (a & 31)) - 1) << (b & 31) & M32, None)),
    "s_bfm_b64": (2, (1, 1), lambda a, b, c: (((1 << (a & 63)) - 1) << (b & 63) & M64, None)),
    "s_bfe_u32": (1, (1, 1), lambda a, b, c: cut(a, b, 32, False)),
    "s_bfe_i32": (1, (1, 1), lambda a, b, c: cut(a, b, 32, True)),
    "s_bfe_u64": (2, (2, 1), lambda a, b, c: cut(a, b, 64, False)),
    "s_bfe_i64": (2, (2, 1), lambda a, b, c: cut(a, b, 64, True)),
    "s_flbit_i32": (1, (1,), lambda a, c: (sign_run(a, 32), None)),
    "s_flbit_i32_i64": (1, (2,), lambda a, c: (sign_run(a, 64), None)),
    "s_sext_i32_i8": (1, (1,), lambda a, c: (signed(a, 8) & M32, None)),
    "s_sext_i32_i16": (1, (1,), lambda a, c: (signed(a, 16) & M32, None)),
    "s_pack_ll_b32_b16": (1, (1, 1), lambda a, b, c: (a & 0xFFFF | (b & 0xFFFF) << 16, None)),
    "s_pack_lh_b32_b16": (1, (1, 1), lambda a, b, c: (a & 0xFFFF | b >> 16 << 16, None)),
    "s_pack_hh_b32_b16": (1, (1, 1), lambda a, b, c: (a >> 16 | b >> 16 << 16, None)),
    "s_bitreplicate_b64_b32": (2, (1,), lambda a, c: (int("".join(x * 2 for x in f"{a:032b}"), 2), None)),
}
SCALARS |= {
    "s_pack_hl_b32_b16": (1, (1, 1), lambda a, b, c: (a >> 16 | (b & 0xFFFF) << 16, None)),
    "s_add_nc_u64": (2, (2, 2), lambda a, b, c: (a + b & M64, None)),
    "s_sub_nc_u64": (2, (2, 2), lambda a, b, c: (a - b & M64, None)),
    "s_mul_u64": (2, (2, 2), lambda a, b, c: (a * b & M64, None)),
}
for by in range(1, 5):
    SCALARS[f"s_lshl{by}_add_u32"] = (1, (1, 1), lambda a, b, c, n=by: carries((a << n) + b))

for bits, count in ((32, 1), (64, 2)):
    full = (1 << bits) - 1
    for name, function in {
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "andn2": lambda a, b: a & ~b,
        "orn2": lambda a, b: a | ~b,
        "nand": lambda a, b: ~(a & b),
        "nor": lambda a, b: ~(a | b),
        "xnor": lambda a, b: ~(a ^ b),
    }.items():
        SCALARS[f"s_{name}_b{bits}"] = (count, (count, count), lambda a, b, c, f=function, n=bits: nonzero(f(a, b), n))
    for name, function in {
        "lshl_b": lambda a, b, n: a << (b & n - 1),
        "lshr_b": lambda a, b, n: a >> (b & n - 1),
        "ashr_i": lambda a, b, n: signed(a, n) >> (b & n - 1),
    }.items():
        SCALARS[f"s_{name}{bits}"] = (count, (count, 1), lambda a, b, c, f=function, n=bits: nonzero(f(a, b, n), n))
    SCALARS |= {
        f"s_mov_b{bits}": (count, (count,), lambda a, c: (a, None)),
        f"s_not_b{bits}": (count, (count,), lambda a, c, n=bits: nonzero(~a, n)),
        f"s_wqm_b{bits}": (
            count,
            (count,),
            lambda a, c, n=bits: nonzero(sum(15 << 4 * k for k, q in enumerate(quads(a, n)) if q), n),
        ),
        f"s_quadmask_b{bits}": (
            count,
            (count,),
            lambda a, c, n=bits: nonzero(sum(q << k for k, q in enumerate(quads(a, n))), n),
        ),
        f"s_brev_b{bits}": (count, (count,), lambda a, c, n=bits: (int(f"{a:0{n}b}"[::-1], 2), None)),
        f"s_bcnt0_i32_b{bits}": (1, (count,), lambda a, c, n=bits: nonzero(n - a.bit_count())),
        f"s_bcnt1_i32_b{bits}": (1, (count,), lambda a, c: nonzero(a.bit_count())),
        f"s_ff0_i32_b{bits}": (1, (count,), lambda a, c, n=full: (trailing(a ^ n), None)),
        f"s_ff1_i32_b{bits}": (1, (count,), lambda a, c: (trailing(a), None)),
        f"s_flbit_i32_b{bits}": (1, (count,), lambda a, c, n=bits: (leading(a, n), None)),
        f"s_cselect_b{bits}": (count, (count, count), lambda a, b, c: (a if c else b, None)),
    }

SAVES = {
    "and": lambda a, e: a & e,
    "or": lambda a, e: a | e,
    "xor": lambda a, e: a ^ e,
    "andn2": lambda a, e: a & ~e,
    "orn2": lambda a, e: a | ~e,
    "nand": lambda a, e: ~(a & e),
    "nor": lambda a, e: ~(a | e),
    "xnor": lambda a, e: ~(a ^ e),
    "andn1": lambda a, e: ~a & e,
    "orn1": lambda a, e: ~a | e,
}
"""s_NAME_saveexec_b64: the new mask of the source and the old mask."""

COMPARES: dict[str, tuple[tuple[int, ...], Callable[[int, int], bool]]] = {
    "s_cmp_eq_u64": ((2, 2), lambda a, b: a == b),
    "s_cmp_lg_u64": ((2, 2), lambda a, b: a != b),
    "s_bitcmp0_b32": ((1, 1), lambda a, b: not a >> (b & 31) & 1),
    "s_bitcmp1_b32": ((1, 1), lambda a, b: bool(a >> (b & 31) & 1)),
    "s_bitcmp0_b64": ((2, 1), lambda a, b: not a >> (b & 63) & 1),
    "s_bitcmp1_b64": ((2, 1), lambda a, b: bool(a >> (b & 63) & 1)),
}
for word, holds in {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}.items():
    COMPARES[f"s_cmp_{word}_u32"] = ((1, 1), holds)
    COMPARES[f"s_cmp_{word}_i32"] = ((1, 1), lambda a, b, h=holds: h(s32(a), s32(b)))

OLD: dict[str, tuple[int, tuple[int, ...], Callable[..., tuple[int, object]]]] = {
    "s_cmov_b32": (1, (1,), lambda a, old, c: (a if c else old, None)),
    "s_cmov_b64": (2, (2,), lambda a, old, c: (a if c else old, None)),
    "s_bitset0_b32": (1, (1,), lambda a, old, c: (old & ~(1 << (a & 31)), None)),
    "s_bitset1_b32": (1, (1,), lambda a, old, c: (old | 1 << (a & 31), None)),
    "s_bitset0_b64": (2, (1,), lambda a, old, c: (old & ~(1 << (a & 63)), None)),
    "s_bitset1_b64": (2, (1,), lambda a, old, c: (old | 1 << (a & 63), None)),
}
"""Functions get the destination before, too."""
CONSTANTS: dict[str, Callable[..., tuple[object, object]]] = {
    "s_movk_i32": lambda old, k, c: (k, None),
    "s_cmovk_i32": lambda old, k, c: (k if c else old, None),
    "s_addk_i32": lambda old, k, c: overflows(s32(old) + k),
    "s_mulk_i32": lambda old, k, c: (s32(old) * k, None),
}
"""Of the destination before, a signed 16-bit constant and scc. Those that compare give no value."""
for word, holds in (("eq", int.__eq__), ("lg", int.__ne__), ("gt", int.__gt__), ("ge", int.__ge__), ("lt", int.__lt__),
                    ("le", int.__le__)):  # fmt: skip
    CONSTANTS[f"s_cmpk_{word}_i32"] = lambda old, k, c, h=holds: (None, h(s32(old), k))
    CONSTANTS[f"s_cmpk_{word}_u32"] = lambda old, k, c, h=holds: (None, h(old, k & 0xFFFF))
