"""Every matrix instruction of gfx90a, gfx942 and gfx950, with its controls and formats, against NumPy: exact sums."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from flydsl_hipsim.native import load_library
from flydsl_hipsim.program import Program

from ..reference.assembly import assemble, kernel, known_lines
from ..reference.matrix import (
    FORMATS,
    Shape,
    decoded,
    group_scales,
    operand,
    permuted,
    placed,
    shape_of,
    sparse_operand,
)

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
NAMES = sorted(
    name
    for line in load_library().flysim_opcodes().decode().splitlines()
    if (name := line.split()[0]).startswith(("v_mfma_f", "v_mfma_i", "v_smfmac"))
)
DENSE = [name for name in NAMES if "smfmac" not in name and "f8f6f4" not in name]
SPARSE = [name for name in NAMES if "smfmac" in name]
FIVE = ["fp8", "bf8", "fp6", "bf6", "fp4"]
RESULT = {"f32": np.float32, "i32": np.int32, "f64": np.float64}
FIRST, SECOND, INDEX, SUMS, SCALES = 2, 48, 30, 64, (32, 33)


def test_the_engine_has_all_matrix_instructions() -> None:
    assert len(DENSE) >= 65
    assert len(SPARSE) >= 28


def small_codes(rng: np.random.Generator, kind: str, shape: tuple[int, int]) -> np.ndarray:
    """Codes of small numbers with few bits, so that sums of products are exact."""
    if kind == "i8":
        return rng.integers(0, 256, shape)
    values = rng.integers(-8, 9, shape).astype(np.float32)
    if kind in ("f32", "xf32"):
        return values.view(np.uint32).astype(np.int64)
    if kind == "bf16":
        return values.view(np.uint32).astype(np.int64) >> 16
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16).astype(np.int64)
    bits, _, mantissa, bias, _ = FORMATS[kind]
    if kind == "bf6":
        return rng.integers(2, 5, shape) << 2 | rng.integers(0, 4, shape) | rng.integers(0, 2, shape) << 5
    if bits < 8:
        return rng.integers(0, 1 << bits, shape)
    exponents = rng.integers(bias - 1, bias + 2, shape)
    return exponents << mantissa | rng.integers(0, 1 << mantissa, shape) | rng.integers(0, 2, shape) << 7


def packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """(lane, element) to (word, lane)."""
    words = -(-codes.shape[1] * bits // 32)
    made = np.zeros((words, 64), np.uint32)
    for lane in range(64):
        whole = sum(int(code) << bits * k for k, code in enumerate(codes[lane]))
        made[:, lane] = [whole >> 32 * k & 0xFFFFFFFF for k in range(words)]
    return made


def bits_of(kind: str) -> int:
    return {"i8": 8, "f64": 64}.get(kind) or FORMATS[kind][0]


def loads(register: int, words: int) -> list[str]:
    step = ["  s_add_u32 s46, s46, 256", "  s_addc_u32 s47, s47, 0"]
    return [line for k in range(words) for line in (f"  global_load_dword v{register + k}, v40, s[46:47]", *step)]


def executed(text: str, chip: str, rows: list[tuple[int, np.ndarray]], results: int, folder: Path) -> np.ndarray:
    """Rows (words, lanes) to registers, one instruction, and the registers from SUMS on."""
    body = [line for register, values in rows for line in loads(register, len(values))] + ["  s_waitcnt 0", f"  {text}"]
    step = ["  s_add_u32 s44, s44, 256", "  s_addc_u32 s45, s45, 0"]
    body += [line for k in range(results) for line in (f"  global_store_dword v40, v{SUMS + k}, s[44:45]", *step)]
    out = np.zeros((results, 64), np.uint32)
    given = np.concatenate([values.astype(np.uint32) for _, values in rows])
    with Program(assemble(kernel(body, chip), chip, folder)) as program:
        program.run("main", 1, 64, [out, given])
    return out


def kinds_of(shape: Shape, chip: str) -> list[str]:
    suffix = "_fnuz" if chip == "gfx942" else ""
    return [kind + suffix if kind in ("fp8", "bf8") else kind for kind in (shape.first, shape.second)]


def registers(first: int, count: int) -> str:
    return f"v[{first}:{first + count - 1}]" if count > 1 else f"v{first}"


def sums(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    return rng.integers(-50, 50, (64, shape.rows * shape.columns * shape.blocks // 64)).astype(RESULT[shape.result])


def as_rows(values: np.ndarray) -> np.ndarray:
    """(lane, element) of any type to (word, lane)."""
    return np.ascontiguousarray(values).view(np.uint32).reshape(64, -1).T.copy()


def controls(rng: np.random.Generator, shape: Shape) -> list[tuple[int, int, int]]:
    """cbsz, abid and blgp that the instruction takes."""
    if shape.result == "f64" or shape.first in ("xf32", "fp8", "bf8"):
        return [(0, 0, 0)]
    broadcasts = [(k, rng.integers(0, 1 << k)) for k in range(1, shape.blocks.bit_length())]
    every = [*((k, int(a), 0) for k, a in broadcasts), *((0, 0, b) for b in range(1, 8))]
    return [(0, 0, 0), *(every if NIGHTLY else rng.permutation(every)[:2].tolist())]


def dense_case(
    rng: np.random.Generator, name: str, chip: str, control: tuple[int, int, int], folder: Path
) -> tuple[np.ndarray, np.ndarray]:
    shape, (cbsz, abid, blgp) = shape_of(name), control
    pair = kinds_of(shape, chip)
    counts = [shape.depth * extent * shape.blocks // 64 for extent in (shape.rows, shape.columns)]
    if shape.result == "f64":
        values = [rng.integers(-8, 9, (64, n)).astype(np.float64) for n in counts]
        rows = [as_rows(v) for v in values]
    else:
        codes = [small_codes(rng, kind, (64, n)) for kind, n in zip(pair, counts, strict=True)]
        values = [decoded(c, kind) for c, kind in zip(codes, pair, strict=True)]
        rows = [packed(c, bits_of(kind)) for c, kind in zip(codes, pair, strict=True)]
    before = sums(rng, shape)
    words = as_rows(before)
    results = registers(SUMS, len(words))
    text = f"{name} {results}, {registers(FIRST, len(rows[0]))}, {registers(SECOND, len(rows[1]))}, {results}"
    text += "".join(f" {word}:{value}" for word, value in zip(("cbsz", "abid", "blgp"), control, strict=True) if value)
    found = executed(text, chip, [(FIRST, rows[0]), (SECOND, rows[1]), (SUMS, words)], len(words), folder)
    first = operand(
        permuted(values[0], cbsz, abid, 0, shape.rows, shape.blocks, False), shape.rows, shape.depth, shape.blocks
    )
    second = operand(
        permuted(values[1], 0, 0, blgp, shape.columns, shape.blocks, True), shape.columns, shape.depth, shape.blocks
    )
    expected = before + placed(first @ second.transpose(0, 2, 1), shape)
    return np.ascontiguousarray(found.T).view(RESULT[shape.result]), expected.astype(RESULT[shape.result])


def plain(name: str) -> str:
    shape = shape_of(name)
    counts = [
        shape.depth * n * shape.blocks // 64 * bits_of(kinds_of(shape, "gfx950")[k]) // 32
        for k, n in enumerate((shape.rows, shape.columns))
    ]
    results = shape.rows * shape.columns * shape.blocks // 64 * (2 if shape.result == "f64" else 1)
    target = registers(SUMS, results)
    return f"{name} {target}, {registers(FIRST, counts[0])}, {registers(SECOND, counts[1])}, {target}"


CASES = [
    (name, chip)
    for chip in ("gfx90a", "gfx942", "gfx950")
    for name, ok in zip(DENSE, known_lines([plain(n) for n in DENSE], chip), strict=True)
    if ok
]


@pytest.mark.parametrize(("name", "chip"), CASES)
def test_a_dense_matrix_instruction_with_all_its_controls(
    name: str, chip: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    for control in controls(rng, shape_of(name)):
        found, expected = dense_case(rng, name, chip, control, tmp_path)
        np.testing.assert_array_equal(found, expected, err_msg=str(control))


def sparse_plain(name: str) -> str:
    shape = shape_of(name)
    first, second = (
        shape.depth * n // part * bits_of(kinds_of(shape, "gfx950")[k]) // 32
        for k, (n, part) in enumerate(((shape.rows, 128), (shape.columns, 64)))
    )
    target = registers(SUMS, shape.rows * shape.columns // 64)
    return f"{name} {target}, {registers(FIRST, first)}, {registers(SECOND, second)}, v{INDEX}"


SPARSE_CASES = [
    (name, chip)
    for chip in ("gfx942", "gfx950")
    for name, ok in zip(SPARSE, known_lines([sparse_plain(n) for n in SPARSE], chip), strict=True)
    if ok
]


@pytest.mark.parametrize(("name", "chip"), SPARSE_CASES)
def test_a_sparse_matrix_instruction(name: str, chip: str, tmp_path: Path, rng: np.random.Generator) -> None:
    shape = shape_of(name)
    pair = kinds_of(shape, chip)
    codes = [
        small_codes(rng, pair[0], (64, shape.depth * shape.rows // 128)),
        small_codes(rng, pair[1], (64, shape.depth * shape.columns // 64)),
    ]
    rows = [packed(c, bits_of(kind)) for c, kind in zip(codes, pair, strict=True)]
    pairs = rng.permuted(np.tile(np.arange(4), (64, 16, 1)), axis=2)[:, :, :2]
    index = sum(np.sort(pairs, axis=2)[:, k // 2, k % 2].astype(np.uint32) << np.uint32(2 * k) for k in range(16))
    before = sums(rng, shape)
    given = [(FIRST, rows[0]), (SECOND, rows[1]), (INDEX, index.reshape(1, 64)), (SUMS, as_rows(before))]
    found = executed(sparse_plain(name), chip, given, before.shape[1], tmp_path)
    first = sparse_operand(decoded(codes[0], pair[0]), index, shape.rows, shape.depth)
    second = operand(decoded(codes[1], pair[1]), shape.columns, shape.depth, 1)
    expected = before + placed(first @ second.transpose(0, 2, 1), shape)
    np.testing.assert_array_equal(found.T.copy().view(RESULT[shape.result]), expected.astype(RESULT[shape.result]))


@pytest.mark.parametrize("name", ["v_mfma_scale_f32_16x16x128_f8f6f4", "v_mfma_scale_f32_32x32x64_f8f6f4"])
@pytest.mark.parametrize("first", FIVE)
@pytest.mark.parametrize("second", FIVE)
def test_a_scaled_matrix_instruction_with_each_pair_of_formats(
    name: str, first: str, second: str, tmp_path: Path, rng: np.random.Generator
) -> None:
    shape = (
        Shape(16, 16, 128, 1, "f32", first, second) if "16x16" in name else Shape(32, 32, 64, 1, "f32", first, second)
    )
    pair = [first, second]
    codes = [small_codes(rng, kind, (64, 32)) for kind in pair]
    scales = [rng.integers(125, 130, (64, 4)) for _ in pair]
    rows, before = [packed(c, bits_of(kind)) for c, kind in zip(codes, pair, strict=True)], sums(rng, shape)
    chosen = [int(n) for n in rng.integers(0, 4, 2)]
    results = registers(SUMS, before.shape[1])
    text = f"{name} {results}, {registers(FIRST, len(rows[0]))}, {registers(SECOND, len(rows[1]))}, {results}"
    text += f", v{SCALES[0]}, v{SCALES[1]} op_sel:[{chosen[0] & 1},{chosen[1] & 1},0]"
    text += f" op_sel_hi:[{chosen[0] >> 1},{chosen[1] >> 1},0] cbsz:{FIVE.index(first)} blgp:{FIVE.index(second)}"
    given = [
        (FIRST, rows[0]),
        (SECOND, rows[1]),
        (SUMS, as_rows(before)),
        *((r, packed(s, 8)) for r, s in zip(SCALES, scales, strict=True)),
    ]
    found = executed(text, "gfx950", given, before.shape[1], tmp_path)
    sides = [
        operand(decoded(c, kind), shape.rows, shape.depth, 1, 16 if bits_of(kind) == 8 else 0)
        * group_scales(s[:, byte], shape.rows, shape.depth)
        for c, kind, s, byte in zip(codes, pair, scales, chosen, strict=True)
    ]
    expected = before + placed(sides[0] @ sides[1].transpose(0, 2, 1), shape)
    np.testing.assert_array_equal(found.T.copy().view(np.float32), expected.astype(np.float32))
