"""Every `.mlir` file of this folder holds: its RUN lines are executed in this process, as lit would with programs."""

from __future__ import annotations

import io
import re
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import filecheck.main
import pytest

from flydsl.ir.fly import Fly
from flydsl.ir.ktrace import KTRACE
from flydsl.passes.registry import PASSES
from flydsl.tools import fly_opt

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("*.mlir"))
RUN = re.compile(r"// RUN: (.*)")


def run(command: str, file: Path, given: str) -> tuple[int, str, str]:
    """Exit code, output and errors of one program with `given` as its standard input; `not` inverts the code."""
    program, *words = [word.replace("%s", str(file)) for word in shlex.split(command)]
    if program == "not":
        code, output, errors = run(shlex.join(words), file, given)
        return int(code == 0), output, errors
    output, errors, old = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO(given)
    try:
        with redirect_stdout(output), redirect_stderr(errors):
            code = fly_opt.main(words) if program == "fly-opt" else _check(program, words)
    finally:
        sys.stdin = old
    return code, output.getvalue(), errors.getvalue()


def _check(program: str, words: list[str]) -> int:
    assert program == "filecheck"
    try:
        filecheck.main.main([program, *words])
    except SystemExit as end:
        return int(end.code or 0)
    return 0


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(FOLDER)))
def test_run_lines(file: Path) -> None:
    lines = RUN.findall(file.read_text())
    assert lines, "no RUN line"
    for line in lines:
        text = ""
        for command in line.replace("2>&1", "").split(" | "):
            code, output, errors = run(command, file, text)
            assert code == 0, f"{command}\n{output}\n{errors}"
            text = output + errors if "2>&1" in line else output


def operations_in(folder: str, kind: str) -> set[str]:
    """The names of the dialect in the files of valid or invalid input."""
    prefix = "invalid_" if kind == "invalid" else ""
    files = [path for path in (FOLDER / folder).glob(f"{prefix}*.mlir") if prefix or "invalid_" not in path.name]
    return set(re.findall(r"\bfly(?:_ktrace)?\.[\w.]+", "\n".join(path.read_text() for path in files)))


@pytest.mark.parametrize("kind", ["valid", "invalid"])
def test_every_operation_has_a_test(kind: str) -> None:
    missing = {op.name for op in (*Fly.operations, *KTRACE.operations)} - operations_in("ops", kind)
    assert missing <= {"fly.atom.set_value"}  # only atoms of targets have a state: see the tests of their plugins


@pytest.mark.parametrize("kind", ["valid", "invalid"])
def test_every_type_has_a_test(kind: str) -> None:
    missing = {attribute.name for attribute in Fly.attributes} - operations_in("types", kind)
    words = {"fly.address_space", "fly.mma_operand", "fly.atomic_op", "fly.cache_policy", "fly.gemm_traversal_order"}
    assert missing <= words  # enumerations are spelt `#fly<word case>`


@pytest.mark.parametrize("name", sorted(PASSES))
def test_every_pass_has_a_test_of_what_it_does_and_of_what_it_refuses(name: str) -> None:
    files = {file.name: file.read_text() for file in (FOLDER / "passes").glob("*.mlir")}
    stem = name.replace("-", "_")
    assert f"--{name}" in files[f"{stem}.mlir"]
    assert f"--{name}" in files[f"invalid_{stem}.mlir"]
