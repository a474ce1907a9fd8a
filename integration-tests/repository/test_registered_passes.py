"""Passes of MLIR in our pipelines: wheels have those that `registrations_gpu.cpp` names, other builds have all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from flydsl_mlir.identity import llvm_prefix

ROOT = Path(__file__).resolve().parents[2]
REGISTRATIONS = ROOT / "packages/flydsl-mlir/src/native/registrations_gpu.cpp"
BACKENDS = ROOT / "docs/how-to/write_a_backend.md"
GENERAL = llvm_prefix() / "include/mlir/Transforms"
HEADERS = sorted((llvm_prefix() / "include/mlir").rglob("Passes.h.inc"))
DECLARED = re.compile(
    r'class (\w+)Base : .*?getArgumentName\(\) \{\s*return ::llvm::StringLiteral\("([^"]+)"', re.DOTALL
)


def names_of_mlir() -> dict[str, str]:
    """The function that registers each pass of MLIR, by the pass's name; those of no dialect have one for all."""
    found = {}
    for header in HEADERS:
        for declared, name in DECLARED.findall(header.read_text()):
            found[name] = "registerTransformsPasses" if header.parent == GENERAL else f"register{declared}"
    return found


def words_of_our_sources(known: frozenset[str]) -> Iterator[str]:
    """Words of `known` in the texts of our sources; a docstring is no text."""
    any_known = re.compile("|".join(map(re.escape, known)))
    for file in ROOT.glob("packages/*/src/**/*.py"):
        source = file.read_text()
        if any_known.search(source) is None:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Expr):
                node.value = ast.Constant(None)
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield from known.intersection(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", node.value))


def test_every_pass_of_our_pipelines_and_of_the_page_on_backends_is_in_the_wheels() -> None:
    known, text = names_of_mlir(), REGISTRATIONS.read_text()
    used = set(words_of_our_sources(frozenset(known)))
    assert {"convert-arith-to-llvm", "gpu-module-to-binary", "convert-nvvm-to-llvm", "cse"} <= used
    used |= known.keys() & re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", BACKENDS.read_text())
    left_out = {word: known[word] for word in sorted(used) if f"{known[word]}()" not in text}
    assert left_out == {}
