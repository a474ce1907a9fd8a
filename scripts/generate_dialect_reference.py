"""The definitions of the Fly dialect and the files of its tests in, `docs/reference/fly_dialect.md` out.

Usage: python scripts/generate_dialect_reference.py [--check]. Every example is a function of a FileCheck test and is
run here once more: what does not parse, or a pass that fails, ends the script. With --check nothing is written, and
the exit code is 1 when the page is out of date.
"""

from __future__ import annotations

import inspect
import io
import re
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

from flydsl.ir import ktrace
from flydsl.ir.fly import Fly, copy_ops, int_tuple_ops, layout_ops, memory_ops, mma_ops
from flydsl.ir.fly.fields import OptionalOperand, VariadicOperand
from flydsl.ir.fly.op import FlyOp
from flydsl.passes.default import FLY_PIPELINE
from flydsl.passes.registry import PASSES
from flydsl.tools import fly_opt

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/fly_dialect.md"
TESTS = ROOT / "packages/flydsl-mlir/tests/filecheck"
GROUPS = {
    "Integer tuples": int_tuple_ops,
    "Layouts": layout_ops,
    "Memory": memory_ops,
    "Copies": copy_ops,
    "Matrix products": mma_ops,
    "Traces of kernels": ktrace,
}
MAX_LINES = 32
HEAD = """# The Fly dialect

<!-- Made by scripts/generate_dialect_reference.py from the definitions; every example is run. -->

All layout information is in types; an SSA value carries only the integers that are not known before the program runs.
[How the layout algebra works](../explanation/layout_algebra.md) explains what the types mean.

## Text

```
int      := <integer> | ? | ?{i64} | ?{div=16} | ?{i64 div=8}     known | known at run time: width (i32), divisor (1)
leaf     := int | * | <int>E<m>[E<m>...]                          *: keep or leave alone; 4E1: 4 along mode 1
tuple    := leaf | ( tuple , tuple , ... )
layout   := tuple : tuple                                         shape : stride
swizzle  := S<mask,base,shift>
composed := (layout | swizzle | [composed]) o tuple o (layout | [composed])    inner o offset o outer
tile     := [ e | e | ... ]      e := int | * | layout | [nested]
```

Operations are written `%r = fly.op(operands) {attributes} : (operand types) -> result type`; constants have neither
operands nor parentheses, an operand of a matrix product is named first (`fly.mma.make_fragment(a, ...)`), and counts
stand in angle brackets (`fly.append<4>(...)`). The generic form of MLIR is read and printed too. Result types are
checked against what the operand types imply.
"""
TAIL = """
## Dialects of targets

A backend's plugin brings address spaces, atoms and operations in a dialect of its own (`fly_rocdl`, for example)
through the manifest fields `dialects` and `passes`. Their types parse where the plugin is installed, and only there.
"""


def main(words: list[str]) -> int:
    """Write the page, or compare it."""
    page = HEAD + "".join([*types(), *operations(), *passes()]) + TAIL
    if "--check" not in words:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is out of date: run {Path(__file__).relative_to(ROOT)}", file=sys.stderr)
    return 1


def types() -> Iterator[str]:
    """The section of types and attributes."""
    text = (TESTS / "types/types.mlir").read_text()
    run(text)
    yield "\n## Types and attributes\n"
    for attribute in sorted(Fly.attributes, key=lambda a: a.name):
        yield f"\n### `{attribute.name}`\n\n{summary(attribute)}\n"
        examples = type_examples(attribute.name, text)
        if not examples:
            raise SystemExit(f"types/types.mlir has no example of {attribute.name}")
        yield block(examples)


def type_examples(name: str, text: str) -> list[str]:
    """The spellings of a type or attribute in a file, each once."""
    word = name.removeprefix("fly.")
    found = re.findall(rf"#fly<{word} \w+>|#{re.escape(name)}\b", text)
    for match in re.finditer(rf"!{re.escape(name)}<", text):
        depth, end = 1, match.end()
        while depth:
            depth += (text[end] == "<") - (text[end] == ">" and text[end - 1] != "-")
            end += 1
        found.append(text[match.start() : end])
    return list(dict.fromkeys(found))[:4]


def operations() -> Iterator[str]:
    """The sections of operations."""
    for title, file in GROUPS.items():
        yield f"\n## {title}\n"
        for op in (getattr(file, name) for name in file.__all__ if name.endswith("Op") and name != "RecordOp"):
            yield f"\n### `{op.name}`\n\n{summary(op)}\n"
            if signature := fields(op):
                yield f"\n{signature}\n"
            example = operation_example(op.name)
            yield block([example]) if example else "\nOnly atoms of targets have a state to set.\n"


def fields(op: type[FlyOp]) -> str:
    """Operands and attributes by name."""
    marks = {OptionalOperand: " (optional)", VariadicOperand: "..."}
    operands = [f"`{field.name}`{marks.get(type(field), '')}" for field in op.operand_fields]
    attributes = [f"`{field.key}`{'' if field.required else ' (optional)'}" for field in op.attribute_fields]
    parts = [f"Operands: {', '.join(operands)}." if operands else ""]
    parts.append(f"Attributes: {', '.join(attributes)}." if attributes else "")
    return " ".join(filter(None, parts))


def operation_example(name: str) -> str:
    """The first use of an operation in the tests, after a run of its function."""
    for path in sorted((TESTS / "ops").glob("*.mlir")):
        if path.name.startswith("invalid_"):
            continue
        for function in functions(path.read_text()):
            for line in function.split("\n"):
                if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", line):
                    run(function)
                    return line.strip()
    return ""


def passes() -> Iterator[str]:
    """The section of passes, each with a function before and after it."""
    yield "\n## Passes\n\nFirst those of the pipeline that every backend begins with, in its order.\n"
    for name in dict.fromkeys([*FLY_PIPELINE, *sorted(PASSES)]):
        module_name, _, class_name = PASSES[name].partition(":")
        pass_class = getattr(import_module(module_name), class_name)
        text = (TESTS / f"passes/{name.replace('-', '_')}.mlir").read_text()
        before = next(functions(text))
        after = run(before if "gpu.func" not in before else f"gpu.module @kernels {{\n{before}\n}}", f"--{name}")
        described = f"{summary(pass_class)} {module_summary(module_name)}".strip()
        yield f"\n### `{name}`\n\n{described}\n"
        yield block([before]) + "\nbecomes\n" + block(shortened(next(functions(after)).split("\n")))


def functions(text: str) -> Iterator[str]:
    """The functions of a file, without comments and indentation."""
    text = re.sub(r"^ *//.*\n", "", text, flags=re.MULTILINE)
    lines = text.split("\n")
    start = 0
    while start < len(lines):
        match = re.match(r"( *)(func|gpu)\.func ", lines[start])
        end = start
        if match and lines[start].endswith("{"):
            end = next(n for n in range(start, len(lines)) if lines[n] == f"{match[1]}}}")
        if match:
            yield "\n".join(line.removeprefix(match[1]).rstrip() for line in lines[start : end + 1])
        start = end + 1


def run(text: str, *flags: str) -> str:
    """What `fly-opt` makes of `text`."""
    output, errors, old = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(text)
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            code = fly_opt.main(flags)
    finally:
        sys.stdin = old
    if code:
        raise SystemExit(f"{text}\n{errors.getvalue()}")
    return output.getvalue()


def summary(definition: type) -> str:
    """The description of a class, as one paragraph."""
    return " ".join((inspect.getdoc(definition) or "").split())


def shortened(lines: list[str]) -> list[str]:
    """The first lines and the last of a long function."""
    return lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 3], "  ...", *lines[-2:]]


def module_summary(name: str) -> str:
    """The description of a module behind its first line."""
    doc = inspect.getdoc(import_module(name)) or ""
    paragraphs = doc.split("\n\n")
    return f"{' '.join(paragraphs[1].split()).rstrip('.')}." if len(paragraphs) > 1 else ""


def block(lines: list[str]) -> str:
    """A code block."""
    return "\n```mlir\n" + "\n".join(lines) + "\n```\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
