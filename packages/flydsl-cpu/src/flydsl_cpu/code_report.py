"""Counts of the native functions of kernels, from their disassembly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flydsl.base.errors import CompileError
from flydsl.plugins import KernelReport

_BRANCH = re.compile(r"j\w+|b|b\.\w+|br|cbn?z|tbn?z|ret[qw]?")
_CALL = re.compile(r"call\w*|blr?")
_VECTOR_REGISTER = re.compile(r"%([xyz])mm\d+|\b[vq]\d+(?:\.|\b)")
_BITS = {"x": 128, "y": 256, "z": 512}


def code_reports(text: str, kernels: Sequence[str]) -> tuple[KernelReport, ...]:
    """Of `kernels`, in this order, whose disassembly is in `text`."""
    bodies: dict[str, list[tuple[str, str]]] = {}
    for name, instruction, operands in _instructions(text):
        bodies.setdefault(name, []).append((instruction, operands))
    for name in kernels:
        if name not in bodies:
            raise CompileError(f"the code object has no kernel {name!r}; it has {', '.join(filter(None, bodies))}")
    return tuple(_report(name, bodies[name]) for name in kernels)


def _instructions(text: str) -> Iterator[tuple[str, str, str]]:
    """(function, mnemonic, operands) of each instruction."""
    name = ""
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith((" ", "L_")):
            name = line[:-1]
        elif (body := line.partition("//")[0].split(None, 1)) and not line.endswith(":"):
            yield name, body[0], body[1] if len(body) > 1 else ""


def _report(name: str, body: list[tuple[str, str]]) -> KernelReport:
    classes = [_class_of(*instruction) for instruction in body]
    vectors = [_BITS.get(match[1], 128) for _, text in body for match in _VECTOR_REGISTER.finditer(text)]
    return KernelReport(
        name,
        instructions={kind: classes.count(kind) for kind in ("vector", "scalar", "branch", "call")},
        widest={"vector register": max(vectors)} if vectors else {},
        notes=("vector instructions are those that name a vector register, be it for one number.",),
    )


def _class_of(instruction: str, operands: str) -> str:
    if _CALL.fullmatch(instruction):
        return "call"
    if _BRANCH.fullmatch(instruction):
        return "branch"
    return "vector" if _VECTOR_REGISTER.search(operands) else "scalar"
