"""What gfx1250 adds to vector and memory instructions, against plain Python and NumPy."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from flydsl_hipsim.errors import KernelFault
from flydsl_hipsim.program import Program

from ..reference.matrix import FORMATS, decoded

LANES = 32
TYPES = (
    "typedef unsigned u32;\n"
    + "".join(f"typedef u32 v{n} __attribute__((ext_vector_type({n})));\n" for n in (2, 3, 4, 8, 16))
    + "typedef u32 v1;\n#define LANE __builtin_amdgcn_workitem_id_x()\n"
    + "#define KERNEL __attribute__((amdgpu_kernel)) void\n"
)


def compiled(source: str, folder: Path) -> Program:
    path, target = folder / "kernel.c", folder / "kernel.o"
    path.write_text(TYPES + source)
    command = ["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx1250", "-nogpulib", "-O1"]
    subprocess.run([*command, str(path), "-o", str(target)], check=True)
    return Program(target.read_bytes())


def executed(text: str, inputs: list[np.ndarray], words: int, folder: Path, before: int = 0) -> np.ndarray:
    """`text` with %0 the result and %1.. the inputs (lane, word): what it leaves, begun with `before`."""
    takes = "".join(
        f"v{x.shape[1]} x{k}; for (int j = 0; j < {x.shape[1]}; ++j) ((u32 *)&x{k})[j] = p{k}[LANE * {x.shape[1]} + j];"
        for k, x in enumerate(inputs)
    )
    arguments = ", ".join([f"const u32 *p{k}" for k in range(len(inputs))] + ["u32 *out"])
    given = ", ".join(f'"v"(x{k})' for k in range(len(inputs)))
    fill = f"v{words} y; for (int j = 0; j < {words}; ++j) ((u32 *)&y)[j] = {before};"
    store = f"for (int j = 0; j < {words}; ++j) out[LANE * {words} + j] = ((u32 *)&y)[j];"
    source = f'KERNEL run({arguments}) {{ {takes} {fill} __asm__ volatile("{text}" : "+&v"(y) : {given}); {store} }}'
    out = np.zeros((LANES, words), np.uint32)
    with compiled(source, folder) as program:
        program.run("run", 1, LANES, [*(np.ascontiguousarray(x, np.uint32) for x in inputs), out])
    return out


def words(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(0, 2**32, (LANES, *shape), dtype=np.uint64).astype(np.uint32)


def unpacked(registers: np.ndarray, bits: int) -> np.ndarray:
    """(lane, word) to (lane, code)."""
    every = np.unpackbits(np.ascontiguousarray(registers).view(np.uint8), axis=1, bitorder="little")
    fields = every[:, : every.shape[1] // bits * bits].reshape(LANES, -1, bits)
    return (fields.astype(np.int64) << np.arange(bits)).sum(2)


def numbers(registers: np.ndarray, kind: str) -> np.ndarray:
    return decoded(unpacked(registers, FORMATS[kind][0]), kind)


def nearest(value: float, kind: str) -> int:
    """The code whose number is nearest, the even one of two; the largest for what is too large."""
    bits = FORMATS[kind][0]
    codes = np.arange(1 << bits - 1)
    sizes = decoded(codes, kind)
    codes, sizes = codes[np.isfinite(sizes)], sizes[np.isfinite(sizes)]
    distance = np.abs(sizes - abs(value))
    best = codes[distance == distance.min()]
    code = int(best[best % 2 == 0][0]) if len(best) > 1 else int(best[0])
    return code | (int(np.signbit(value)) << bits - 1)


NARROW = {"fp8": (8, 2), "bf8": (8, 2), "fp4": (8, 1), "fp6": (16, 3), "bf6": (16, 3)}
"""How many are converted at once, and the registers that their codes have."""


def byte_of(lane: int, selected: int, bits: int) -> tuple[int, int]:
    """Lane and byte of a scale: MLIR's amdgpu.scaled_ext_packed_matrix, and what it is lowered to."""
    if bits == 8:
        return lane % 16 + 16 * (selected >> 3), selected >> 1 & 3
    pair, half = selected >> 1 & 1, lane // 16
    return lane % 16 + 16 * (selected >> 2), pair + 2 * half if selected & 1 else 2 * pair + half


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("wide", ["f32", "f16", "bf16"])
def test_codes_are_widened_with_scales_of_other_lanes(
    kind: str, wide: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    count, registers = NARROW[kind]
    bits = FORMATS[kind][0]
    codes, scales = words(rng, registers), rng.integers(120, 134, (LANES, 4)).astype(np.uint8).view(np.uint32)
    selected = int(rng.choice([0, 6, 10] if bits == 8 else [0, 1, 3, 6]))
    text = f"v_cvt_scale_pk{count}_{wide}_{kind} %0, %1, %2" + (f" scale_sel:{selected}" if selected else "")
    out = executed(text, [codes, scales], count * FORMATS[wide][0] // 32, tmp_path)
    places = [byte_of(lane, selected, bits) for lane in range(LANES)]
    factors = [2.0 ** (int(scales[lane, 0] >> 8 * byte & 255) - 127) for lane, byte in places]
    expected = numbers(codes, kind)[:, :count] * np.array(factors)[:, None]
    if wide == "f16":
        with np.errstate(over="ignore"):
            expected = expected.astype(np.float16).astype(np.float64)
    np.testing.assert_array_equal(numbers(out, wide), expected)


def test_scales_of_eight_bit_floats_in_groups_of_sixteen_are_refused(tmp_path: Path, rng: np.random.Generator) -> None:
    with pytest.raises(KernelFault, match="scale_sel 1 of 8-bit floats"):
        executed("v_cvt_scale_pk8_f32_fp8 %0, %1, %2 scale_sel:1", [words(rng, 2), words(rng, 1)], 8, tmp_path)


@pytest.mark.parametrize("kind", NARROW)
@pytest.mark.parametrize("wide", ["f32", "f16", "bf16"])
def test_numbers_are_narrowed_with_a_scale(kind: str, wide: str, tmp_path: Path, rng: np.random.Generator) -> None:
    count, registers = NARROW[kind]
    values = rng.choice(decoded(np.arange(1 << FORMATS[kind][0]), kind), (LANES, count)) * 1.125
    values = np.where(np.isfinite(values), values, 1.0)
    given = codes_of(values, wide)
    scale = np.float32(2.0) ** rng.integers(-2, 3, (LANES, 1)).astype(np.float32)
    out = executed(
        f"v_cvt_scalef32_pk{count}_{kind}_{wide} %0, %1, %2", [given, scale.view(np.uint32)], registers, tmp_path
    )
    exact = numbers(given, wide) / scale
    expected = [[nearest(value, kind) for value in lane] for lane in exact]
    np.testing.assert_array_equal(unpacked(out, FORMATS[kind][0])[:, :count], expected)


def codes_of(values: np.ndarray, wide: str) -> np.ndarray:
    floats = np.ascontiguousarray(values, np.float32)
    if wide == "f32":
        return floats.view(np.uint32)
    halves = (
        floats.astype(np.float16).view(np.uint16) if wide == "f16" else (floats.view(np.uint32) >> 16).astype(np.uint16)
    )
    return np.ascontiguousarray(halves).view(np.uint32)


def test_random_bits_differ_from_number_to_number(tmp_path: Path, rng: np.random.Generator) -> None:
    values = np.full((LANES, 8), 1 + 1 / 16, np.float32)  # between 1 and 1.125, half way
    noise, scale = words(rng, 1), np.ones((LANES, 1), np.float32)
    text = "v_cvt_scalef32_sr_pk8_fp8_f32 %0, %1, %2, %3"
    out = executed(text, [values.view(np.uint32), noise, scale.view(np.uint32)], 2, tmp_path)
    expected = np.zeros((LANES, 8), np.int64)
    for lane in range(LANES):
        bits = int(noise[lane, 0])
        for k in range(8):
            expected[lane, k] = 0x38 + (bits >> 31)
            bits = (bits << 1 ^ (197 if bits >> 31 else 0)) & 0xFFFFFFFF
    np.testing.assert_array_equal(unpacked(out, 8), expected)


def test_halves_and_eight_bit_floats(tmp_path: Path, rng: np.random.Generator) -> None:
    codes = words(rng, 1) & np.uint32(0x77777777)
    upper = executed("v_cvt_pk_f16_fp8 %0, %1 op_sel:[1,0]", [codes], 1, tmp_path)
    np.testing.assert_array_equal(numbers(upper, "f16"), numbers(codes, "fp8")[:, 2:])
    third = executed("v_cvt_f16_bf8 %0, %1 byte_sel:2", [codes], 1, tmp_path)
    np.testing.assert_array_equal(numbers(third, "f16")[:, 0], numbers(codes, "bf8")[:, 2])
    back = executed("v_cvt_pk_fp8_f16 %0, %1 op_sel:[0,1]", [upper], 1, tmp_path, before=0xABCD)
    np.testing.assert_array_equal(back, (codes & 0xFFFF0000) | 0xABCD)


def test_clamp_chooses_e5m3(tmp_path: Path) -> None:
    values = np.array([0, 1, 1.0625, -3, 114688, 118784, 118785, 2**-17, 2**-18 * 1.5, np.inf, np.nan] + [7.5] * 21)
    expected = [0, 0x78, 0x78, 0x84, 0xFE, 0xFE, 0xFF, 1, 1, 0xFF, 0xFF] + [0x8F] * 21
    given = values.astype(np.float32).reshape(LANES, 1).view(np.uint32)
    out = executed("v_cvt_pk_fp8_f32 %0, %1, %1 clamp", [given], 1, tmp_path)
    np.testing.assert_array_equal(out[:, 0], np.array(expected) * 257)
    back = executed("v_cvt_f32_fp8 %0, %1 clamp", [out], 1, tmp_path).view(np.float32)[:, 0]
    np.testing.assert_array_equal(back[:4], [0, 1, 1, 3])
    assert np.isnan(back[6])


@pytest.mark.parametrize(("bits", "above", "below"), [(4, 1, 1), (6, 1, 2), (8, 2, 2)])
def test_sixteen_codes_are_looked_up_in_a_table(
    bits: int, above: int, below: int, tmp_path: Path, rng: np.random.Generator
) -> None:
    high, low, chosen = words(rng, above), words(rng, below), words(rng, 2)
    out = executed(f"v_perm_pk16_b{bits}_u4 %0, %1, %2, %3", [high, low, chosen], bits // 2, tmp_path)
    table = unpacked(np.concatenate([low, high], 1), bits)
    np.testing.assert_array_equal(unpacked(out, bits), np.take_along_axis(table, unpacked(chosen, 4), 1))


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("bcast", lambda at, by, size: by % size),
        ("down", lambda at, by, size: at + by),
        ("up", lambda at, by, size: at - by),
        ("xor", lambda at, by, size: at ^ by),
    ],
)
def test_lanes_move_in_groups(
    name: str, source: Callable[[int, int, int], int], tmp_path: Path, rng: np.random.Generator
) -> None:
    given, by, size = words(rng, 1), 3, 8
    out = executed(f"v_permlane_{name}_b32 %0, %1, {by}, {size}", [given], 1, tmp_path)
    places = [source(lane % size, by, size) for lane in range(LANES)]
    expected = [given[lane // size * size + at, 0] if 0 <= at < size else 0 for lane, at in enumerate(places)]
    np.testing.assert_array_equal(out[:, 0], expected)


def test_saturated_half_bytes(tmp_path: Path, rng: np.random.Generator) -> None:
    given = words(rng, 1)
    signed, plain = (executed(f"v_sat_pk4_{kind} %0, %1", [given], 1, tmp_path) for kind in ("i4_i8", "u4_u8"))
    octets = given.view(np.uint8)
    pack = np.array([1, 16, 256, 4096])
    np.testing.assert_array_equal(plain[:, 0] & 0xFFFF, np.minimum(octets, 15) @ pack)
    np.testing.assert_array_equal(signed[:, 0] & 0xFFFF, (np.clip(octets.view(np.int8), -8, 7) & 15) @ pack)


def test_registers_beyond_255_are_others(tmp_path: Path) -> None:
    source = """KERNEL __attribute__((amdgpu_num_vgpr(1024))) run(u32 *out) {
  u32 a = LANE, y;
  __asm__ volatile("v_mov_b32 v1, %1\\n v_mov_b32 v2, 5\\n s_set_vgpr_msb 0xc0\\n v_mov_b32 v1, %1\\n"
                   "s_set_vgpr_msb 0x43\\n v_add_nc_u32 v2, v1, %1\\n s_set_vgpr_msb 4\\n v_mad_u32 %0, v2, v2, v1\\n"
                   "s_set_vgpr_msb 0" : "=&v"(y) : "v"(a) : "v1", "v2");
  out[LANE] = y;
}"""
    source = source.replace('v_mov_b32 v1, %1\\n"\n', 'v_mov_b32 v1, 7\\n"\n', 1)
    out = np.zeros(LANES, np.uint32)
    with compiled(source, tmp_path) as program:
        program.run("run", 1, LANES, [out])
    lane = np.arange(LANES)
    np.testing.assert_array_equal(out, 5 * (7 + lane) + lane)


def test_the_check_for_undefined_values_names_registers_beyond_255(tmp_path: Path) -> None:
    source = """KERNEL __attribute__((amdgpu_num_vgpr(1024))) run(u32 *out) {
  u32 y;
  __asm__ volatile("s_set_vgpr_msb 3\\n v_mov_b32 %0, v1\\n s_set_vgpr_msb 0" : "=v"(y));
  out[LANE] = y;
}"""
    with compiled(source, tmp_path) as program:
        program.run("run", 1, LANES, [np.zeros(LANES, np.uint32)])
        with pytest.raises(KernelFault, match="an undefined value is stored to memory"):
            program.run("run", 1, LANES, [np.zeros(LANES, np.uint32)], check="uninitialised")
    source = source.replace(
        "out[LANE] = y", '__asm__ volatile("s_set_vgpr_msb 1\\n global_store_b32 v[2:3], %0, off" :: "v"(y))'
    )
    with compiled(source, tmp_path) as program, pytest.raises(KernelFault, match="v258"):
        program.run("run", 1, LANES, [np.zeros(LANES, np.uint32)], check="uninitialised")
