"""A seed and a chip in, where engine and reference differ on a random program out, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from flydsl_hipsim.program import Program

from .assembly import STEP_WORDS, assemble, code_object, known_lines
from .compare import agrees, shown
from .generate import REGISTERS, contents, instructions, samples
from .instruction import Instruction
from .machine import Expected, Wave

__all__ = ["Trial", "known", "trial"]

_MODES = (0xF0, 0xF0, 0xF0, 0x00, 0x0F, 0xFA, 0xF5, 0xC0, 0x30, 0xA7)
"""Rounding in bits 0-1 (f32) and 2-3 (f16, f64), denormals in 4-5 and 6-7."""


@cache
def known(chip: str) -> list[tuple[str, str]]:
    """Names and forms that the chip has."""
    every = samples()
    return [
        (name, form)
        for (name, form, _), ok in zip(every, known_lines([str(i) for *_, i in every], chip), strict=True)
        if ok
    ]


@dataclass(slots=True)
class Trial:
    """What differs, one text for each lane or scalar; at most a few for each instruction."""

    differences: list[str] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


def trial(seed: int, chip: str, count: int, folder: Path, only: str = "") -> Trial:
    random = Random(seed)
    mode = random.choice(_MODES)
    options = {"ieee": random.random() < 0.7, "clamps_nan": random.random() < 0.8}
    chosen = [entry for entry in known(chip) if only in entry[0]]
    made = instructions(random, chosen, count, mode)
    vectors, scalars = contents(random)
    code = assemble(code_object(made, len(vectors), len(scalars), mode, chip, **options), chip, folder)
    given = np.array(vectors, np.uint32)
    out = np.zeros(count * STEP_WORDS + given.size, np.uint32)
    source = np.concatenate([np.array(scalars, np.uint32), given.ravel()])
    with Program(code) as program:
        program.run("main", 1, 64, [out, source])
    wave = Wave([*vectors, [0] * 64], list(scalars) + [0] * 8, mode=mode, **options)
    result = Trial(names={i.name for i in made})
    for k, i in enumerate(made):
        _compare(
            result,
            wave,
            i,
            wave.step(i),
            out[k * STEP_WORDS :][:STEP_WORDS].reshape(3, 64),
            f"seed {seed} mode {mode:#x} {options}",
        )
    left = out[count * STEP_WORDS :].reshape(given.shape)
    for register in range(REGISTERS):
        if left[register].tolist() != wave.v[register]:
            result.differences.append(
                f"seed {seed}: v{register} was written by an instruction with another destination"
            )
    return result


def _compare(result: Trial, wave: Wave, i: Instruction, expected: Expected, found: np.ndarray, where: str) -> None:
    target = next((o for o in i.targets if o.kind == "v"), None)
    wrong = []
    if target:
        for lane in range(64):
            words = [int(found[0, lane]), int(found[1, lane])] if expected.letter in "dqP" else [int(found[0, lane])]
            value = sum(word << 32 * k for k, word in enumerate(words))
            old = sum(wave.v[target.index + k][lane] << 32 * k for k in range(len(words)))
            wanted: Any = expected.lanes.get(lane, old)
            same = agrees(wanted, value, expected.letter, i.name) if lane in expected.lanes else value == old
            if not same:
                wrong.append(f"lane {lane}: expected {shown(wanted)}, found {value:#x}; {_sources(wave, i, lane)}")
            for k, word in enumerate(words):
                wave.v[target.index + k][lane] = word
    wrong += _compare_scalars(wave, i, expected, found[2].tolist())
    result.differences += [f"{where}: {i}: {text}" for text in wrong[:3]]


def _compare_scalars(wave: Wave, i: Instruction, expected: Expected, row: list[int]) -> list[str]:
    found = {"vcc": row[0] | row[1] << 32, "exec": row[2] | row[3] << 32, "scc": row[4]}
    wrong = []
    for name, value in found.items():
        wanted = expected.scalars.get(name, getattr(wave, name))
        if wanted != value:
            wrong.append(f"{name}: expected {wanted:#x}, found {value:#x}; scalars {_scalars(wave, i)}")
        setattr(wave, name, value)
    target = next((o for o in i.targets if o.kind == "s"), None)
    if target:
        words = row[5 : 5 + target.count]
        wanted, value = expected.scalars["sdst"], sum(word << 32 * k for k, word in enumerate(words))
        if wanted != value:
            wrong.append(f"{target}: expected {wanted:#x}, found {value:#x}; {_scalars(wave, i)}")
        wave.s[target.index : target.index + target.count] = words
    return wrong


def _scalars(wave: Wave, i: Instruction) -> list[str]:
    return [hex(wave.read(o, 2)) for o in i.sources if o.kind != "v"]


def _sources(wave: Wave, i: Instruction, lane: int) -> str:
    texts = []
    for o in i.sources:
        value = (
            wave.v[o.index][lane] | wave.v[o.index + 1][lane] << 32
            if o.kind == "v" and o.count == 2
            else wave.v[o.index][lane]
            if o.kind == "v"
            else 0
        )
        texts.append(hex(value) if o.kind == "v" else f"{wave.read(o, 2):#x}" if o.kind != "const" else o.text)
    return ", ".join(texts)
