"""Random signatures of `@flyc.jit` functions and of operators, as programs whose calls torch can compute itself.

A program has a `model`, which calls kernels on views of its arguments, and `expected`, the same by torch. Numbers are
small multiples of a quarter, so that sums of them are exact.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import torch

VIEWS = {
    "{}": "(size,)",
    "{}[::2]": "(2 * size,)",
    "{}[2:]": "(size + 2,)",
    "{}[:, 1]": "(size, 3)",
    "{}.t()[0]": "(size, 2)",
    "{}.expand({size})": "(1,)",
}
"""Vectors made of a tensor, and the shape that it has for them."""
CONSTANTS = {
    "int": ("fx.Constexpr[int]", "int", lambda draw: draw.randint(-3, 3)),
    "float": ("fx.Constexpr[float]", "float", lambda draw: draw.randint(-8, 8) / 4),
    "bool": ("fx.Constexpr[bool]", "bool", lambda draw: draw.random() < 0.5),
    "str": ("fx.Constexpr[str]", "str", lambda draw: draw.choice(["plus", "minus"])),
    "tuple": ("fx.Constexpr[tuple]", "", lambda draw: (draw.randint(1, 3), draw.randint(-4, 4) / 4)),
}
HEAD = """
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch
"""


@dataclass
class Program:
    """The text of a program, and how the arguments of `model` are made: by kind, or the shape of a tensor."""

    text: str = HEAD
    arguments: dict[str, str] = field(default_factory=dict)
    dtype: str = "float32"
    draws: dict[str, Any] = field(default_factory=dict)
    is_mutating: bool = False

    def make(self, draw: random.Random, size: int) -> dict[str, Any]:
        """Arguments of one call: tensors, lists of them, None, and numbers."""
        return {name: self._value(name, kind, draw, size) for name, kind in self.arguments.items()}

    def _value(self, name: str, kind: str, draw: random.Random, size: int) -> Any:
        if kind == "number of a tensor":
            number = self.draws[name](draw)
            return torch.tensor(number, dtype=torch.float64 if isinstance(number, float) else torch.int64)
        if kind in ("number", "constant"):
            return self.draws[name](draw)
        if kind == "none":
            return None
        shapes = eval(kind, {"size": size})
        made = [self._tensor(draw, shape) for shape in (shapes if isinstance(shapes, list) else [shapes])]
        return made if isinstance(shapes, list) else made[0]

    def _tensor(self, draw: random.Random, shape: tuple[int, ...]) -> torch.Tensor:
        count = torch.Size(shape).numel()
        values = [draw.randint(-20, 20) / 4 for _ in range(count)]
        return torch.tensor(values, dtype=getattr(torch, self.dtype)).reshape(shape)


class Writer:
    """Draws a program, parameter by parameter."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.program = Program(dtype=self.draw.choice(["float32", "float64"]))
        self.is_operator = self.draw.random() < 0.4
        self.name = f"signature_{seed}"
        self.parameters: list[tuple[str, str, str, str]] = []
        """Name, annotation for kernels, annotation for operators, and what the model passes."""
        self.terms: list[str] = []
        self.views: list[str] = []

    def write(self) -> Program:
        """The program."""
        self.tensor("x0")
        kinds = [self.tensor, self.optional, self.tensors, self.number, self.number, self.flag, self.constant]
        for index in range(self.draw.randint(1, 6)):
            self.draw.choice(kinds)(f"p{index}")
        self.draw.shuffle(self.parameters)
        outs = [f"y{index}" for index in range(self.draw.choice([1, 1, 2, 3]))]
        made = [self.output(out) for out in outs]
        self._text(outs, made)
        return self.program

    def tensor(self, name: str) -> None:
        view = self.draw.choice([*VIEWS, "{}", "{}"]) if name != "x0" else self.draw.choice(list(VIEWS)[:5])
        self.program.arguments[f"a_{name}"] = VIEWS[view]
        self.views.append(f"{name} = {view.format(f'a_{name}', size='x0.shape[0]')}")
        self.parameters.append((name, "fx.Tensor", "torch.Tensor", name))
        self.terms.append(f"v = v + {name}[i] * {self.draw.randint(-2, 2)}")

    def optional(self, name: str) -> None:
        self.program.arguments[f"a_{name}"] = self.draw.choice(["none", "(size,)"])
        self.parameters.append((name, "", "torch.Tensor | None", f"a_{name}"))
        self.terms.append(f"if {name} is not None:\n    v = v + {name}[i]")

    def tensors(self, name: str) -> None:
        count = self.draw.randint(1, 3)
        self.program.arguments[f"a_{name}"] = f"[{', '.join(['(size,)'] * count)}]"
        self.parameters.append((name, "", "list[torch.Tensor]", f"a_{name}"))
        self.terms.append("\n".join(f"v = v + {name}[{index}][i]" for index in range(count)))

    def number(self, name: str) -> None:
        is_float = self.draw.random() < 0.6
        kernel = self.draw.choice(["fx.Float32", "fx.Float64"]) if is_float else "fx.Int32"
        ways = [f"a_{name}", f"a_{name}", f"a_{name} + 1", "size", "item"]
        if is_float and self.is_operator:  # torch's type for floats of operators takes no symbols
            ways.remove("item")
        passed = self.draw.choice(ways)
        if passed == "size":
            passed = "x0.shape[0] * 0.25" if is_float else "x0.shape[0] + 1"
        else:
            self.program.arguments[f"a_{name}"] = "number of a tensor" if passed == "item" else "number"
            self.program.draws[f"a_{name}"] = lambda draw: draw.randint(-8, 8) / 4 if is_float else draw.randint(-9, 9)
            passed = f"a_{name}.item()" if passed == "item" else passed
        self.parameters.append((name, kernel, "float" if is_float else "int", passed))
        self.terms.append(f"v = v + {name}")

    def flag(self, name: str) -> None:
        passed = self.draw.choice([f"a_{name}", "x0.shape[0] > 5"])
        if passed.startswith("a_"):
            self.program.arguments[f"a_{name}"] = "number"
            self.program.draws[f"a_{name}"] = lambda draw: draw.random() < 0.5
        self.parameters.append((name, "fx.Boolean", "bool", passed))
        self.terms.append(f"if {name}:\n    v = v + 3")

    def constant(self, name: str) -> None:
        kind = self.draw.choice(
            [kind for kind, (_, of_torch, _) in CONSTANTS.items() if of_torch or not self.is_operator]
        )
        annotation, of_torch, make = CONSTANTS[kind]
        self.program.arguments[f"a_{name}"] = "constant"
        self.program.draws[f"a_{name}"] = make
        self.parameters.append((name, annotation, of_torch, f"a_{name}"))
        term = {"bool": f"if {name}:\n    v = v - 1", "str": f"if {name} == 'plus':\n    v = v + 2"}
        self.terms.append(term.get(kind, f"v = v + {name}" + ("[0] * 2" if kind == "tuple" else "")))

    def output(self, name: str) -> str:
        """The line that makes an output: new memory, a view of it, an argument's, or the input itself."""
        if self.is_operator:
            return f"{name} = torch.zeros(x0.shape[0], dtype=x0.dtype)"
        new = "torch.zeros({}, dtype=x0.dtype)"
        kind = self.draw.choice(["new", "view of new", "given", "input" if name == "y0" else "new"])
        if kind == "new":
            return f"{name} = {new.format('x0.shape[0]')}"
        if kind == "view of new":
            return f"{name} = {new.format('(x0.shape[0], 2)')}.t()[1]"
        self.program.is_mutating = True
        if kind == "input":
            return f"{name} = x0"
        view = self.draw.choice(list(VIEWS)[:5])
        self.program.arguments[f"a_{name}"] = VIEWS[view]
        return f"{name} = {view.format(f'a_{name}')}"

    def _text(self, outs: list[str], made: list[str]) -> None:
        names = [name for name, *_ in self.parameters]
        body = "\n".join(["v = x0[i] * 2", *self.terms])
        writes = "\n".join(f"{out}[i] = v - {index}" for index, out in enumerate(outs))
        typed = ", ".join(f"{name}: {kernel}" if kernel else name for name, kernel, *_ in self.parameters)
        written = ", ".join(f"{out}: fx.Tensor" for out in outs)
        passed = ", ".join([*names, *outs])
        by_name = [f"{name}={value}" for name, _, _, value in self.parameters]
        keywords = self.draw.random() < 0.3
        launched = ", ".join(
            [*by_name, *(f"{out}={out}" for out in outs)]
            if keywords
            else [*(value for *_, value in self.parameters), *outs]
        )
        self.program.text += f"""

@flyc.kernel
def kernel({typed}, {written}):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < fx.size(y0):
{indented(body, 8)}
{indented(writes, 8)}


@flyc.jit
def launch({typed}, {written}):
    kernel({passed}).launch(grid=fx.ceil_div(fx.size(y0), 32), block=32)


def torch_itself({passed}):
{indented(body.replace("[i]", ""), 4)}
{indented(writes.replace("[i] = v", ".copy_(v").replace(chr(10), ")" + chr(10)) + ")", 4)}

"""
        views = "\n".join([*self.views, *made])
        results = ", ".join(f"{out} * 1" for out in outs) + ","
        call = f"launch({launched})"
        if self.is_operator:
            self._operator(outs, names)
            call = f"{', '.join(outs)} = operator({', '.join(value for *_, value in self.parameters)})"
        of_torch = ", ".join([*(value for *_, value in self.parameters), *outs])
        for function, line in (("model", call), ("expected", f"torch_itself({of_torch})")):
            self.program.text += f"""
def {function}({", ".join(self.program.arguments)}):
{indented(views, 4)}
    {line}
    return {results}

"""

    def _operator(self, outs: list[str], names: list[str]) -> None:
        typed = ", ".join(f"{name}: {of_torch}" for name, _, of_torch, _ in self.parameters)
        written = ", ".join(f"{out}: torch.Tensor" for out in outs)
        empty = "torch.empty(x0.shape, dtype=x0.dtype, device=x0.device)"
        made = empty if len(outs) == 1 else f"({', '.join([empty] * len(outs))})"
        self.program.text += f"""
def allocate({", ".join(names)}):
    return {made}


@flydsl.torch.op("random_signatures::{self.name}", out=allocate)
def operator({typed}, {written}):
    launch({", ".join([*names, *outs])})

"""


def indented(text: str, spaces: int) -> str:
    """`text` with this many spaces before each line."""
    return "\n".join(" " * spaces + line for line in text.split("\n"))


def program(seed: int) -> Program:
    """The program of a seed."""
    return Writer(seed).write()
