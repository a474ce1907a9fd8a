"""Every matrix instruction of gfx1100, gfx1201 and gfx1250, in waves of 32 and of 64, against NumPy; sums are exact."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.native import load_library
from flydsl_hipsim.program import Program

from ..reference.assembly import known_lines
from ..reference.matrix import decoded
from ..reference.wave_matrix import (
    BITS,
    WaveShape,
    a_places,
    b_places,
    codes_of,
    index_places,
    result_places,
    shape_of_wave,
)

NAMES = sorted(
    name
    for line in load_library().flysim_opcodes().decode().splitlines()
    if (name := line.split()[0]).startswith(("v_wmma_", "v_swmmac_"))
)
FIVE = ("fp8", "bf8", "fp6", "bf6", "fp4")
HEAD = """typedef unsigned u32;
#define VECTOR(N) typedef u32 v##N __attribute__((ext_vector_type(N)));
VECTOR(2) VECTOR(3) VECTOR(4) VECTOR(6) VECTOR(8) VECTOR(12) VECTOR(16)
typedef u32 v1;
#define TAKE(NAME, N, FROM) v##N NAME; for (int k = 0; k < N; ++k) ((u32 *)&NAME)[k] = FROM[t * N + k];
"""


@dataclass(frozen=True, slots=True)
class Case:
    """An instruction with its modifiers; `scales` is how many k have one, 0 for none."""

    name: str
    formats: tuple[str, str] = ("fp8", "fp8")
    modifiers: str = ""

    @property
    def shape(self) -> WaveShape:
        return shape_of_wave(self.name, self.formats)

    @property
    def scales(self) -> int:
        return 16 if "_scale16_" in self.name else 32 if "_scale_" in self.name else 0

    @property
    def signs(self) -> dict[str, list[int]]:
        """The bits of neg_lo and neg_hi."""
        words = (word.partition(":") for word in self.modifiers.split())
        given = {key: [int(bit) for bit in value[1:-1].split(",")] for key, _, value in words if key.startswith("neg")}
        return {"neg_lo": given.get("neg_lo", [0] * 3), "neg_hi": given.get("neg_hi", [0] * 3)}

    def index_words(self, wave: int) -> int:
        return max(1, self.shape.depth // 2 * 16 * 2 // wave // 32)

    def words(self) -> str:
        """Formats and modifiers as the assembler takes them."""
        pairs = zip("ab", self.formats, strict=True) if "f8f6f4" in self.name else ()
        return "".join(f" matrix_{side}_fmt:MATRIX_FMT_{kind.upper()}" for side, kind in pairs) + f" {self.modifiers}"

    def line(self, wave: int, chip: str) -> str:
        """With registers in place of operands."""
        a, b, c, d = self.shape.registers(wave, chip)
        first, at = [0], 0
        for count in (a, b, c, d, 2):
            at += count + count % 2
            first.append(at)
        names = [f"v[{n}:{n + k - 1}]" if k > 1 else f"v{n}" for n, k in zip(first, (a, b, c, d), strict=False)]
        if self.shape.sparse:
            words = self.index_words(wave)
            key = f"v[{first[4]}:{first[4] + words - 1}]" if words > 1 else f"v{first[4]}"
            return f"{self.name} {names[2]}, {names[0]}, {names[1]}, {key}{self.words()}"
        scale = ["v[90:91], v[92:93]", "v90, v92"][self.scales == 32] if self.scales else ""
        return ", ".join([f"{self.name} {names[3]}", *names[:3], *([scale] if scale else [])]) + self.words()

    def kernel(self, wave: int, chip: str, number: int) -> str:
        """A kernel `k{number}(a, b, index or scales of A, scales of B, c and d)`."""
        a, b, c, d = self.shape.registers(wave, chip)
        extra = self.index_words(wave) if self.shape.sparse else {0: 1, 16: 2, 32: 1}[self.scales]
        takes = f"TAKE(a, {a}, pa) TAKE(b, {b}, pb) TAKE(x, {extra}, px) TAKE(y, {extra}, py) TAKE(c, {c}, pc)"
        inputs = '"v"(a), "v"(b)' + (', "v"(x)' if self.shape.sparse else ', "v"(x), "v"(y)' if self.scales else "")
        if c == d or self.shape.sparse:
            places = "%0, %1, %2, %3" if self.shape.sparse else "%0, %1, %2, %0" + (", %3, %4" if self.scales else "")
            text = f'__asm__ volatile("{self.name} {places}{self.words()}" : "+v"(c) : {inputs});'
        else:
            places = "%0, %1, %2, %3"
            text = f'v{d} d; __asm__ volatile("{self.name} {places}{self.words()}" : "=&v"(d) : {inputs}, "v"(c));'
            text += f" for (int k = 0; k < {d}; ++k) ((u32 *)&c)[k] = ((u32 *)&d)[k];"
        store = f"for (int k = 0; k < {c}; ++k) pc[t * {c} + k] = ((u32 *)&c)[k];"
        arguments = "const u32 *pa, const u32 *pb, const u32 *px, const u32 *py, u32 *pc"
        body = f"u32 t = __builtin_amdgcn_workitem_id_x(); {takes} {text} {store}"
        return f"__attribute__((amdgpu_kernel)) void k{number}({arguments}) {{ {body} }}"


def variants(name: str) -> list[Case]:
    """Plain, with signs, saturated; those of many formats with each pair; the assembler says which a chip has."""
    if "f8f6f4" in name:
        pairs = [(a, b) for a in FIVE for b in FIVE]
        cases = [Case(name, pair) for pair in pairs]
        if "_scale" in name:
            kinds = ("", "_fmt")
            rows = [f"matrix_{side}_scale:MATRIX_SCALE_ROW1" for side in "ab"]
            forms = [
                f"matrix_{side}_scale{kinds[1]}:MATRIX_SCALE_FMT_{kind}" for side in "ab" for kind in ("E5M3", "E4M3")
            ]
            cases += [Case(name, pairs[k], word) for k, word in enumerate([*rows, *forms])]
        return cases
    plain = Case(name)
    signs = ["neg_lo:[1,1,1] neg_hi:[1,1,1]", "neg_lo:[1,0,0] neg_hi:[0,1,0]", "neg_lo:[0,0,1]", "neg_hi:[0,0,1]"]
    ints = ["neg_lo:[1,1,0]", "neg_lo:[0,1,0]", "clamp", "neg_lo:[1,1,0] clamp"]
    reuse = ["matrix_a_reuse matrix_b_reuse"]
    return [
        plain,
        *(Case(name, modifiers=word) for word in [*(ints if plain.shape.result == "i32" else signs), *reuse]),
    ]


@cache
def cases_of(chip: str, wave: int) -> list[Case]:
    every = [case for name in NAMES for case in variants(name)]
    known = known_lines([case.line(wave, chip) for case in every], chip, wave)
    return [case for case, ok in zip(every, known, strict=True) if ok]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    @cache
    def made(chip: str, wave: int) -> Program:
        folder = tmp_path_factory.mktemp(f"{chip}-{wave}")
        source, target = folder / "kernels.c", folder / "kernels.o"
        kernels = [case.kernel(wave, chip, number) for number, case in enumerate(cases_of(chip, wave))]
        source.write_text(HEAD + "\n".join(kernels))
        options = ["-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", f"-mwavefrontsize{wave}", "-nogpulib", "-O1"]
        options = [option for option in options if option != "-mwavefrontsize32"]
        subprocess.run(["clang-22", *options, str(source), "-o", str(target)], check=True)
        return Program(Path(target).read_bytes())

    return made


def draw(rng: np.random.Generator, kind: str, shape: tuple[int, int], signed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Codes and the small numbers that they stand for."""
    bits = BITS[kind]
    if kind.startswith("iu"):
        codes = rng.integers(0, 1 << bits, shape)
        return codes, np.where(signed & (codes >> bits - 1 == 1), codes - (1 << bits), codes).astype(np.float64)
    if kind in ("fp8", "bf8"):
        codes = rng.integers(0x30, 0x44, shape) | rng.integers(0, 2, shape) << 7
    elif kind == "bf6":
        codes = rng.integers(2, 5, shape) << 2 | rng.integers(0, 4, shape) | rng.integers(0, 2, shape) << 5
    elif bits < 8:
        codes = rng.integers(0, 1 << bits, shape)
    else:
        values = rng.integers(-4, 5, shape).astype(np.float32)
        codes = values.view(np.uint32).astype(np.int64) if bits == 32 else bits_16(values, kind)
    return codes, decoded(codes, kind)


def bits_16(values: np.ndarray, kind: str) -> np.ndarray:
    if kind == "f16":
        return values.astype(np.float16).view(np.uint16).astype(np.int64)
    return values.astype(np.float32).view(np.uint32).astype(np.int64) >> 16


def result_codes(values: np.ndarray, kind: str) -> np.ndarray:
    if kind == "i32":
        return values.astype(np.int64) & 0xFFFFFFFF
    if kind == "f32":
        return values.astype(np.float32).view(np.uint32).astype(np.int64)
    return bits_16(values.astype(np.float32), kind)


def flipped(values: np.ndarray, case: Case, slot: int) -> np.ndarray:
    """neg_lo is for elements with an even number, neg_hi for the others."""
    if case.shape.result == "i32":
        return values
    odd = np.arange(values.shape[1]) % 2 == 1
    sign = np.where(odd, case.signs["neg_hi"][slot], case.signs["neg_lo"][slot])
    if BITS[case.shape.first] == 32:
        sign = np.full_like(sign, case.signs["neg_lo"][slot])
    return np.where(sign, -values, values)


def scale_values(codes: np.ndarray, form: str) -> np.ndarray:
    if form == "E8":
        return 2.0 ** (codes - 127.0)
    mantissa, bias = codes & 7, 15 if form == "E5M3" else 7
    exponent = codes >> 3
    return np.where(exponent > 0, mantissa + 8, mantissa) * 2.0 ** (np.maximum(exponent, 1) - bias - 3)


def draw_scales(rng: np.random.Generator, case: Case, rows: int, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Registers with the scales of `rows` rows, and the factor of each (row, k)."""
    each, words = 128 // case.scales, 2 if case.scales == 16 else 1
    form = next(
        (kind for kind in ("E5M3", "E4M3") if f"matrix_{side}_scale_fmt:MATRIX_SCALE_FMT_{kind}" in case.modifiers),
        "E8",
    )
    middle = {"E8": 127, "E5M3": 15 * 8, "E4M3": 7 * 8}[form]
    codes = rng.integers(middle - 2, middle + 3, (rows, each))
    upper = f"matrix_{side}_scale:MATRIX_SCALE_ROW1" in case.modifiers and rows == 16
    registers = rng.integers(0, 2**32, (32, words), dtype=np.uint64).astype(np.uint32)
    lanes = np.arange(rows) + 16 * upper
    registers[lanes] = np.ascontiguousarray(codes.astype(np.uint8)).view(np.uint32).reshape(rows, words)
    return registers, np.repeat(scale_values(codes, form), case.scales, 1)


def outcome(rng: np.random.Generator, case: Case, chip: str, wave: int, run: Any) -> tuple[np.ndarray, np.ndarray]:
    """What the kernel leaves in C's registers, and what it should."""
    shape, signs = case.shape, case.signs
    kept = shape.depth // 2 if shape.sparse else shape.depth
    a_codes, a = draw(rng, shape.first, (shape.rows, kept), bool(signs["neg_lo"][0]))
    b_codes, b = draw(rng, shape.second, (16, shape.depth), bool(signs["neg_lo"][1]))
    before = rng.integers(-50, 50, (shape.rows, 16)).astype(np.float64)
    if "clamp" in case.modifiers:
        before[::2], before[1::2] = 2**31 - 1, -(2**31)
    counts = shape.registers(wave, chip)
    copies = chip.startswith("gfx11")
    places = [a_places(shape, chip, wave), b_places(shape, chip, wave)]
    pa, pb = (
        codes_of(codes, place, BITS[kind], wave, count, copies)
        for codes, place, kind, count in zip(
            (a_codes, b_codes), places, (shape.first, shape.second), counts, strict=False
        )
    )
    to = result_places(shape.rows, chip, wave)
    step = {True: 32, False: BITS[shape.before]}[copies]
    pc = codes_of(result_codes(before, shape.before), to, step, wave, counts[2])
    px, py = np.zeros((2, wave, 2), np.uint32)
    x, y = flipped(a, case, 0), flipped(b, case, 1)
    if shape.sparse:
        chosen = np.sort(rng.permuted(np.tile(np.arange(4), (16 * kept // 2, 1)), axis=1)[:, :2], 1).reshape(16, kept)
        px = codes_of(chosen, index_places(shape, chip, wave), 2, wave, case.index_words(wave))
        x = np.zeros((16, shape.depth))
        np.put_along_axis(x, chosen + np.arange(kept) // 2 * 4, flipped(a, case, 0), 1)
    if case.scales:
        (px, rows), (py, columns) = draw_scales(rng, case, shape.rows, "a"), draw_scales(rng, case, 16, "b")
        x, y = x * rows, y * columns
    total = before if shape.result == "i32" else np.abs(before) if signs["neg_hi"][2] else before
    total = -total if signs["neg_lo"][2] and shape.result != "i32" else total
    total = total + x @ y.T
    if "clamp" in case.modifiers:
        total = np.clip(total, -(2**31), 2**31 - 1)
    expected = pc.copy()
    found = pc.copy()
    run([np.ascontiguousarray(v) for v in (pa, pb, px, py)], found)
    made = codes_of(result_codes(total, shape.result), to, 32 if copies else BITS[shape.result], wave, counts[3])
    expected[:, : counts[3]] = made
    return found, expected


@pytest.mark.parametrize(
    ("chip", "wave"), [("gfx1100", 32), ("gfx1100", 64), ("gfx1201", 32), ("gfx1201", 64), ("gfx1250", 32)]
)
def test_every_matrix_instruction_of_a_chip(chip: str, wave: int, programs: Any, rng: np.random.Generator) -> None:
    program = programs(chip, wave)
    for number, case in enumerate(cases_of(chip, wave)):
        found, expected = outcome(
            rng, case, chip, wave, lambda inputs, c, number=number: program.run(f"k{number}", 1, wave, [*inputs, c])
        )
        np.testing.assert_array_equal(found, expected, err_msg=case.line(wave, chip))


@pytest.mark.parametrize(
    ("chip", "wave", "least"), [("gfx1100", 32, 5), ("gfx1201", 32, 22), ("gfx1201", 64, 22), ("gfx1250", 32, 44)]
)
def test_a_chip_has_all_its_matrix_instructions(chip: str, wave: int, least: int) -> None:
    assert len({case.name for case in cases_of(chip, wave)}) >= least
