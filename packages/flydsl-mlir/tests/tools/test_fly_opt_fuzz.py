"""Malformed text and senseless IR through `fly-opt`: the answer is a result or a diagnostic, never anything else."""

from __future__ import annotations

import io
import os
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from random import Random

import pytest

from flydsl.tools import fly_opt

FILES = sorted((Path(__file__).parents[1] / "filecheck").rglob("*.mlir"))
COUNT = 20_000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 400
BATCH = COUNT // 4
PASSES = (
    "fly-rewrite-func-signature",
    "fly-canonicalize",
    "fly-layout-lowering",
    "fly-int-swizzle-simplify",
    "canonicalize",
    "cse",
    "fly-convert-atom-call-to-ssa-form",
    "fly-promote-regmem-to-vectorssa",
)
FUNCTION = re.compile(r"^func\.func .*?^}", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
TYPE = re.compile(r"!fly\.[\w.]+<[^!]*?>(?=[,)\s])|\b(?:i1|i32|i64|f32|index)\b")
WORD = re.compile(r"%?[\w.]+|[^\w\s]|\s+")
SCRAPS = (
    *("(", ")", "<", ">", "{", "}", "[", "]", ":", ",", "?", "*", "->", '"', "!", "#", "%", "^", "@", "\0", "\\", "é"),
    *("!fly.", "fly.", "1E0", "?{i64 div=8}", "S<3,3,3>", "-1", "0", "99999999999999999999999", "loc(", "//", "'"),
    *("fly.static : ", "fly.size(%l)", "!fly.layout<1:0>", "func.func @f() {", "scf.yield", "fly.mma.make_fragment(a"),
)


def corpus() -> list[str]:
    """The functions of all FileCheck files, without comments."""
    texts = (COMMENT.sub("", path.read_text()) for path in FILES)
    return [found for text in texts for found in FUNCTION.findall(text)]


def broken_text(random: Random, texts: list[str]) -> str:
    """A function with some words taken out, put in, doubled or swapped."""
    words = WORD.findall(random.choice(texts))
    for _ in range(random.randint(1, 6)):
        at = random.randrange(len(words))
        kind = random.randrange(5)
        if kind == 0:
            del words[at : at + random.randint(1, 4)]
        elif kind == 1:
            words.insert(at, random.choice(SCRAPS))
        elif kind == 2:
            words[at] = random.choice(WORD.findall(random.choice(texts)))
        elif kind == 3:
            words[at:at] = words[at : at + 8]
        else:
            words = words[:at] or ["("]
        words = words or [" "]
    return "".join(words)


def senseless_ir(random: Random, texts: list[str]) -> str:
    """A function in which some types or integers are replaced by others: most of it parses."""
    text = random.choice(texts)
    types = TYPE.findall(random.choice(texts)) or ["i32"]
    for _ in range(random.randint(1, 3)):
        pattern = TYPE if random.random() < 0.3 else re.compile(r"(?<![\w%@.!<])\d+(?![\w.]*[<(x])")
        places = list(pattern.finditer(text))
        if not places:
            continue
        old = random.choice(places).group()
        new = (
            random.choice(types)
            if pattern is TYPE
            else str(random.choice([0, 1, 2, 3, 5, 8, 64, -1, 1 << 31, 1 << 63]))
        )
        text = text.replace(old, new)  # everywhere: uses keep the types of their definitions
    return text


def answer(text: str, flags: list[str]) -> tuple[int, str]:
    """Exit code and errors for `text` on the standard input."""
    output, errors, old = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            code = fly_opt.main(flags)
    finally:
        sys.stdin = old
    return code, errors.getvalue()


def check(text: str, flags: list[str]) -> None:
    code, errors = answer(text, flags)
    assert code in (0, 1)
    assert (code == 1) == ("error: " in errors), f"{flags}\n{text}\n{errors}"
    assert "internal error" not in errors, f"{flags}\n{text}\n{errors}"


@pytest.mark.parametrize("seed", range(2))
def test_malformed_text_gives_a_diagnostic(seed: int) -> None:
    random, texts = Random(seed), corpus()
    for _ in range(BATCH):
        check(broken_text(random, texts), [])


@pytest.mark.parametrize("seed", range(2))
def test_senseless_ir_gives_a_diagnostic_in_every_pass(seed: int) -> None:
    random, texts = Random(seed), corpus()
    for _ in range(BATCH):
        passes = PASSES[: random.randint(0, len(PASSES))] if random.random() < 0.5 else [random.choice(PASSES)]
        check(senseless_ir(random, texts), [f"--{name}" for name in passes])


@pytest.mark.parametrize(
    "text", ["", " ", "\0", "}", "{" * 5000, "(" * 5000, "!fly.int_tuple<" + "(" * 5000, '"', "\ud800"]
)
def test_strange_texts(text: str) -> None:
    code, errors = answer(text, ["--fly-canonicalize"])
    assert "internal error" not in errors
    assert code in (0, 1)
