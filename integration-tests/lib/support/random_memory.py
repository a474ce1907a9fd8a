"""Random kernels whose threads touch their rows of memory at dynamic and fixed indices, compiled beside interpreted.

Each thread owns one row of every tensor, array of shared memory and register tensor, and another one after each
barrier, so that there are no races: whatever the order of threads, there is one right result. Tensors may be the same
array twice, or views that overlap within a row.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from support.source_modules import module_of

import flydsl.compiler as flyc

TYPES = ("Int8", "Uint8", "Int16", "Int32", "Uint32", "Int64", "Float16", "Float32", "Float64")
LAYOUTS = ("flat", "flat", "static flat", "static rows", "rows", "columns", "spread", "reversed", "static columns")
"""How the rows of a tensor lie: in a tensor of rank 1; one after the other; as columns; with strides of 2 and -1. The
layout of a static one is part of the code.
"""
INDICES, SPARE = 4, 3
"""Random numbers in a row that each thread has, and elements by which overlapping rows differ."""
_FILES = itertools.count()


@dataclass(frozen=True, slots=True)
class Program:
    """The text of a module with a function `host(a, b, x, n, m)`, and what its arguments look like."""

    text: str
    type: str
    width: int
    blocks: int
    threads: int
    layouts: tuple[str, str]
    shared: str
    """What the two tensors have in common: `no` memory, the `same` array, or `shifted` rows."""

    def arguments(self, seed: int) -> tuple[list[np.ndarray], list[Any]]:
        """The memory that the program changes, and what `host` is called with: the same for a seed."""
        rng, rows = np.random.default_rng(seed), self.blocks * self.threads
        dtype = np.dtype(self.type.lower())
        memory = [rng.integers(0, 100, (rows, 2 * self.width + SPARE)).astype(dtype) for _ in range(2)]
        first = _view(memory[0], self.layouts[0], self.width, 0)
        if self.shared == "same":
            second = first
        else:
            base = memory[0] if self.shared == "shifted" else memory[1]
            second = _view(base, self.layouts[1], self.width, SPARE if self.shared == "shifted" else 0)
        picks = rng.integers(0, self.width, (INDICES, rows)).astype(np.int32)
        n = int(rng.integers(0, rows + 1)) if rng.random() < 0.5 else rows
        views = (flyc.from_dlpack(v) if "static" in how else v for v, how in zip((first, second), self.layouts))  # noqa: B905
        return memory, [*views, picks, n, int(rng.integers(0, 5))]

    def differences(self, folder: Path, seed: int) -> int:
        """Elements that the compiled program leaves otherwise than the interpreted one, bit for bit."""
        file = folder / f"memory_{next(_FILES)}.py"
        file.write_text(self.text)
        host = module_of(file).host
        found, given = self.arguments(seed)
        host(*given)
        expected, given = self.arguments(seed)
        flyc.interpret(host)(*given)
        return sum(int((_bits(a) != _bits(b)).sum()) for a, b in zip(found, expected, strict=True))


def _bits(array: np.ndarray) -> np.ndarray:
    return array.view(np.dtype(f"u{array.itemsize}"))


def _view(memory: np.ndarray, layout: str, width: int, shift: int) -> np.ndarray:
    """`width` elements a row of a part of the memory, as a layout says."""
    rows = len(memory)
    how = layout.removeprefix("static ")
    if how == "flat":
        return memory.reshape(-1)[: rows * width]
    if how == "columns":
        return memory.reshape(-1)[: rows * width].reshape(width, rows).T
    if how == "spread":
        return memory[:, shift : shift + 2 * width : 2]
    if how == "reversed":
        return memory[:, shift : shift + width][:, ::-1]
    return memory[:, shift : shift + width]


class _Writer:
    """The lines of one kernel; `places` are the texts of its arrays, which an index completes."""

    def __init__(self, rng: Random, kind: str, width: int, blocks: int, threads: int, flat: tuple[bool, bool]) -> None:
        self.depth, self.most = rng.choice(((0, 4), (0, 8), (1, 6), (2, 6)))  # what is short and straight is vectorised
        self.rng, self.kind, self.width, self.blocks, self.threads = rng, kind, width, blocks, threads
        self.places = [f"{name}[{f'r * {width} + ' if f else 'r, '}{{}}]" for name, f in zip("ab", flat, strict=True)]
        self.flat = [name for name, f in zip("ab", flat, strict=True) if f]
        self.values = ["v0", "v1"]
        self.indices = [f"i{k}" for k in range(INDICES)]

    def lines(self) -> list[str]:
        rng, width, blocks, threads = self.rng, self.width, self.blocks, self.threads
        lines = ["l = fx.thread_idx.x", f"first = fx.block_idx.x * {threads}", "r = first + l", "q = l"]
        lines += [f"i{k} = x[{k}, r]" for k in range(INDICES)]
        lines += [f"v0 = {self.kind}(3)", f"v1 = {self.kind}(x[1, r])"]
        for name in self.flat:
            if rng.random() < 0.25:
                start, stride = rng.choice(((0, 0), (0, 1), (width - 1, -1)))
                layout = f"fx.make_layout(({blocks * threads}, {width}), ({width}, {stride}))"
                lines += [f"m{name} = fx.make_view(fx.get_iter({name}) + {start}, {layout})"]
                self.places.append(f"m{name}[r, {{}}]")
        held = [name for name in ("registers", "shared") if rng.random() < 0.3]
        if "registers" in held:
            lines += [f"g = fx.make_rmem_tensor({width}, {self.kind})"]
            self.places.append("g[{}]")
        if "shared" in held:
            lines += [f"s = fx.SharedAllocator().allocate(fx.Array[{self.kind}, {threads * width}])"]
            self.places.append(f"s[q * {width} + {{}}]" if rng.random() < 0.5 else f"s[{{}} * {threads} + q]")
        for place in self.places[len(self.places) - len(held) :]:
            lines += [f"for k in fx.range_constexpr({width}):", f"    {place.format('k')} = {self.kind}(k)"]
        for phase in range(rng.choice((1, 1, 2, 3))):
            if phase:
                lines += ["fx.barrier()", f"q = (l + {rng.randrange(threads)}) % {threads}", "r = first + q"]
            block = self.block(self.depth, ())
            lines += ["if r < n:", *_indented(block)] if rng.random() < 0.3 else block
        if "registers" in held:
            lines += [f"for k in fx.range_constexpr({width}):", f"    {self.places[0].format('k')} = g[k]"]
        return lines

    def block(self, depth: int, loops: tuple[str, ...]) -> list[str]:
        lines: list[str] = []
        for _ in range(self.rng.randint(2, self.most)):
            roll = self.rng.random()
            if depth and roll < 0.12:
                lines += [f"if {self.condition()}:", *_indented(self.block(depth - 1, loops))]
                if self.rng.random() < 0.5:
                    lines += ["else:", *_indented(self.block(depth - 1, loops))]
            elif depth and roll < 0.25:
                lines += self.loop(depth, loops)
            else:
                lines += self.statement(loops)
        return lines

    def loop(self, depth: int, loops: tuple[str, ...]) -> list[str]:
        rng, j = self.rng, f"j{len(loops)}"
        count = rng.choice(
            [f"fx.range_constexpr({min(self.width, 4)})", f"fx.range(0, {rng.choice(self.indices)} + 1)"]
        )
        body = self.block(depth - 1, (*loops, j))
        if "constexpr" not in count and rng.random() < 0.3:
            body.insert(rng.randrange(len(body) + 1) if not any(line[0] == " " for line in body) else 0, "BREAK")
            at = body.index("BREAK")
            body[at : at + 1] = [f"if {self.condition()}:", "    break"]
        return [f"for {j} in {count}:", *_indented(body)]

    def statement(self, loops: tuple[str, ...]) -> list[str]:
        rng, place = self.rng, self.place
        roll = rng.random()
        if roll < 0.35:
            return [f"{rng.choice(self.values)} = {place(loops)}"]
        if roll < 0.6:
            return [f"{place(loops)} = {self.value(loops)}"]
        if roll < 0.75:
            return [f"{place(loops)} = {place(loops)} {rng.choice('+-')} {self.value(loops)}"]
        if roll < 0.85:
            a, b = place(loops), place(loops)
            return [f"w = {a}", f"{a} = {b}", f"{b} = w"]
        if roll < 0.92 and self.flat and self.width > 1:
            return self.vectors()
        if roll < 0.95 and self.flat and self.kind in ("Int32", "Uint32", "Int64", "Float32"):
            place = f"fx.get_iter({rng.choice(self.flat)}) + r * {self.width} + {self.index(loops)}"
            return [f"fx.atomic_add({place}, {rng.choice(self.values)})"]
        if roll < 0.97:
            name = rng.choice(self.values)
            return [f"{name} = (r < n).select({name}, {self.kind}({rng.randrange(9)}))"]
        return [f"{rng.choice(self.values)} = {self.value(loops)}"]

    def vectors(self) -> list[str]:
        """A vector of a row moves within it, or to the other tensor's."""
        rng = self.rng
        lanes = rng.choice([n for n in (2, 4, 8, 16) if n <= self.width])
        views = [
            f"fx.make_view(fx.get_iter({rng.choice(self.flat)}) + r * {self.width} + {at}, fx.make_layout({lanes}, 1))"
            for at in (rng.randrange(self.width - lanes + 1) for _ in range(2))
        ]
        changed = rng.choice(["", f" + {self.kind}(1)", f" + {rng.choice(self.values)}"])
        return [f"u = {views[0]}.load(){changed}", f"{views[1]}.store(u)"]

    def place(self, loops: tuple[str, ...]) -> str:
        return self.rng.choice(self.places).format(self.index(loops))

    def index(self, loops: tuple[str, ...]) -> str:
        rng, width = self.rng, self.width
        roll = rng.random()
        if roll < 0.5:
            return str(rng.randrange(width))
        index = rng.choice(self.indices)
        if roll < 0.75:
            return index
        if loops and roll < 0.9:
            return f"({rng.choice(loops)} % {width})"
        return f"(({index} + {rng.randrange(width)}) % {width})"

    def value(self, loops: tuple[str, ...]) -> str:
        rng = self.rng
        name = rng.choice(self.values)
        right = rng.choice([self.place(loops), rng.choice(self.values), f"{self.kind}({rng.randrange(9)})"])
        return f"{self.kind}({name} {rng.choice('+-')} {right})" if rng.random() < 0.6 else right

    def condition(self) -> str:
        left, right = self.rng.choice(self.values), self.rng.choice([*self.values, f"{self.kind}(20)"])
        return (
            f"{left} {self.rng.choice('<>')} {right}"
            if self.rng.random() < 0.6
            else f"{self.rng.choice(self.indices)} > 0"
        )


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def program(seed: int) -> Program:
    """The program of a seed."""
    rng = Random(seed)
    kind, width = rng.choice(TYPES), rng.choice((1, 2, 2, 2, 3, 4, 4, 5, 7, 8, 12, 16))
    blocks, threads = rng.choice((1, 2, 3)), rng.choice((1, 4, 16, 31, 32, 64, 64))
    layouts = (rng.choice(LAYOUTS), rng.choice(LAYOUTS))
    shared = rng.choice(("no", "no", "same", "shifted"))
    if shared == "same":
        layouts = (layouts[0], layouts[0])
    if shared == "shifted" and not {how.removeprefix("static ") for how in layouts} <= {"rows", "spread", "reversed"}:
        shared = "no"
    flat = ("flat" in layouts[0], "flat" in layouts[1])
    kernels = rng.choice((1, 1, 1, 2))
    text = ["import flydsl.compiler as flyc", "import flydsl.expr as fx", *[f"from flydsl.expr import {kind}"]]
    for name in range(kernels):
        text += [
            "",
            "",
            "@flyc.kernel",
            f"def kernel{name}(a: fx.Tensor, b: fx.Tensor, x: fx.Tensor, n: fx.Int32, m: fx.Int32):",
        ]
        text += _indented(_Writer(rng, kind, width, blocks, threads, flat).lines())
    text += ["", "", "@flyc.jit", "def host(a: fx.Tensor, b: fx.Tensor, x: fx.Tensor, n: fx.Int32, m: fx.Int32):"]
    text += [f"    kernel{name}(a, b, x, n, m).launch(grid={blocks}, block={threads})" for name in range(kernels)]
    return Program("\n".join([*text, ""]), kind, width, blocks, threads, layouts, shared)
