"""A seed and a chip in, where engine and reference differ on a random program out, step by step."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from flydsl_hipsim.native import load_library
from flydsl_hipsim.program import Program

from .assembly import assemble, code_object, known_lines, step_rows
from .chips import chip_named
from .compare import agrees, shown
from .contents import REGISTERS, contents, memory_contents, scalar_contents
from .generate import instructions, one_of_each, samples
from .instruction import Instruction, Operand
from .machine import Expected, Wave

_MODES = (0xF0, 0xF0, 0xF0, 0x00, 0x0F, 0xFA, 0xF5, 0xC0, 0x30, 0xA7)
"""Rounding in bits 0-1 (f32) and 2-3 (f16, f64), denormals in 4-5 and 6-7."""


@cache
def known(chip: str) -> list[tuple[str, str]]:
    """Names and forms that the chip has, under this name and not as another word for it."""
    every = samples(chip_named(chip))
    texts = known_lines([str(i) for *_, i in every], chip_named(chip))
    there = engine_names()
    return [
        (name, form)
        for (name, form, i), text in zip(every, texts, strict=True)
        if _is_called(i, text) and (i.name in there or i.name.replace("v_dual_", "v_") in there)
    ]


@cache
def engine_names() -> frozenset[str]:
    """Of all chips: what it does not have is refused when a program is loaded."""
    library = load_library()
    library.flysim_opcodes.restype = ctypes.c_char_p
    return frozenset(line.split()[0] for line in library.flysim_opcodes().decode().splitlines())


def _is_called(i: Instruction, text: str) -> bool:
    """Whether the assembler prints the instruction's name."""
    words = [part.split()[0] for part in text.split(" :: ")] if text else []
    return [_plain(word) for word in words] == [_plain(part.name) for part in (i, i.second) if part]


def _plain(word: str) -> str:
    for suffix in ("_dpp", "_sdwa", "_e32", "_e64"):
        word = word.removesuffix(suffix)
    return word


@dataclass(slots=True)
class Trial:
    """What differs, one text for each lane or scalar, at most a few for each instruction; and what was run."""

    differences: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


def trial(seed: int, chip: str, count: int, folder: Path, only: str = "") -> Trial:
    """`count` random instructions; with 0 one of each name and form, in the usual mode."""
    random, kind = Random(seed), chip_named(chip)
    mode = random.choice(_MODES) if count else _MODES[0]
    options = {"ieee": random.random() < 0.7, "clamps_nan": random.random() < 0.8}
    if kind.generation > 11:
        options = {"ieee": False, "clamps_nan": True}
    chosen = [entry for entry in known(chip) if only in entry[0]]
    made = instructions(random, chosen, count, mode, kind) if count else one_of_each(random, chosen, kind)
    memory = np.frombuffer(memory_contents(random), np.uint8).copy()
    vectors, scalars = contents(random, kind, memory.ctypes.data), scalar_contents(random, kind, memory.ctypes.data)
    code = assemble(code_object(made, list(vectors), list(scalars), mode, kind, **options), kind, folder)
    out = np.zeros((sum(map(step_rows, made)) + REGISTERS) * kind.lanes, np.uint32)
    given = [np.array(list(scalars.values()), np.uint32), np.array(list(vectors.values()), np.uint32).ravel()]
    source = np.concatenate(given)
    wave = Wave(
        [vectors.get(k, [0] * kind.lanes) for k in range(64)], [scalars.get(k, 0) for k in range(100)], mode=mode,
        chip=kind, memory=bytearray(memory.tobytes()), base=memory.ctypes.data, exec=(1 << kind.lanes) - 1, **options,
    )  # fmt: skip
    with Program(code) as program:
        program.run("main", 1, kind.lanes, [out, source, memory])
    result = Trial(names={part.name for i in made for part in (i, i.second) if part})
    where = f"{chip} seed {seed} mode {mode:#x} {options}"
    left = _steps(result, wave, made, out.reshape(-1, kind.lanes), where)
    _compare_all(result, wave, left, memory, where)
    return result


def _steps(result: Trial, wave: Wave, made: list[Instruction], rows: np.ndarray, where: str) -> np.ndarray:
    for i in made:
        count = step_rows(i)
        _compare(result, wave, i, wave.step(i), rows[:count], where)
        rows = rows[count:]
    return rows


def _compare_all(result: Trial, wave: Wave, left: np.ndarray, memory: np.ndarray, where: str) -> None:
    """At the end: registers that nothing should have written, and memory."""
    result.differences += [
        f"{where}: v{register} was written by an instruction with another destination"
        for register in range(REGISTERS)
        if left[register].tolist() != wave.v[register]
    ]
    places = np.flatnonzero(memory != np.frombuffer(wave.memory, np.uint8))
    if places.size:
        result.differences.append(f"{where}: memory differs at {places[:8].tolist()}, {places.size} bytes in all")


def _compare(result: Trial, wave: Wave, i: Instruction, expected: Expected, found: np.ndarray, where: str) -> None:
    targets = [(part, o) for part in (i, i.second) if part for o in part.targets if o.kind == "v"]
    wrong, row = [], 1
    for (part, target), wanted in zip(targets, (expected, expected.second), strict=False):
        words = found[row : row + target.count]
        wrong += _wrong_lanes(wave, part, target, wanted or Expected(), words)
        row += target.count
    row = 1
    for _, target in targets:  # once both have been compared
        for k in range(target.count):
            wave.v[target.index + k][:] = found[row + k].tolist()
        row += target.count
    wrong += _wrong_scalars(wave, i, expected, found[0].tolist())
    result.differences += [f"{where}: {i}: {text}" for text in wrong[:3]]


def _wrong_lanes(wave: Wave, i: Instruction, target: Operand, expected: Expected, words: np.ndarray) -> list[str]:
    wrong = []
    for lane in range(wave.chip.lanes):
        value = sum(int(word) << 32 * k for k, word in enumerate(words[:, lane].tolist()))
        old = sum(wave.v[target.index + k][lane] << 32 * k for k in range(target.count))
        wanted: Any = expected.lanes.get(lane, old)
        same = agrees(wanted, value, expected.letter, i.name) if lane in expected.lanes else value == old
        if not same:
            wrong.append(f"lane {lane}: expected {shown(wanted)}, found {value:#x}; {_sources(wave, i, lane)}")
    return wrong


def _wrong_scalars(wave: Wave, i: Instruction, expected: Expected, row: list[int]) -> list[str]:
    high = row[3] << 32 if wave.chip.lanes == 64 else 0
    found = {"vcc": row[0] | row[1] << 32, "exec": row[2] | high, "scc": row[4]}
    wrong = []
    for name, value in found.items():
        wanted = expected.scalars.get(name, getattr(wave, name))
        if wanted != value:
            wrong.append(f"{name}: expected {wanted:#x}, found {value:#x}; scalars {_scalars(wave, i)}")
        setattr(wave, name, value)
    target = next((o for o in i.targets if o.kind == "s"), None)
    if target:
        words = row[5 : 5 + target.count]
        value = sum(word << 32 * k for k, word in enumerate(words))
        wanted = expected.scalars.get("sdst")
        if wanted is None:
            wanted = sum(wave.s[target.index + k] << 32 * k for k in range(target.count))
        if not agrees(wanted, value, expected.letter, i.name):
            wrong.append(f"{target}: expected {shown(wanted)}, found {value:#x}; {_scalars(wave, i)}")
        wave.s[target.index : target.index + target.count] = words
    return wrong


def _scalars(wave: Wave, i: Instruction) -> list[str]:
    return [hex(wave.read(o, 2)) for o in i.sources if o.kind in ("s", "vcc", "exec", "const")]


def _sources(wave: Wave, i: Instruction, lane: int) -> str:
    texts = []
    for o in i.sources:
        value = sum(wave.v[o.index + k][lane] << 32 * k for k in range(o.count)) if o.kind == "v" else 0
        known_kind = o.kind in ("s", "vcc", "exec")
        texts.append(hex(value) if o.kind == "v" else f"{wave.read(o, 2):#x}" if known_kind else o.text)
    return ", ".join(texts)
