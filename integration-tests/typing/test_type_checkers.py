"""pyright in strict mode and mypy --strict accept what users write, without a comment, and see what is wrong in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
CHECKED = [*EXAMPLES, HERE / "user_kernels.py"]
OF_FRAMEWORKS = [path for path in EXAMPLES if re.match(r"(jax|torch|cuda_\d\d_torch)_", path.name)]
"""jax and torch leave types of theirs unknown, which pyright reports in strict mode wherever they are used."""
IGNORED = re.compile(r"#\s*(type|pyright):")
SOURCES = [str(path) for path in sorted(ROOT.glob("packages/flydsl-*/src"))]


def pyright(*files: Path) -> list[dict[str, Any]]:
    """What pyright says of `files`, with the settings of the workspace."""
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, *map(str, files)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == len(files), done.stderr
    return list(report["generalDiagnostics"])


def mypy(*files: Path) -> str:
    """What mypy --strict prints of `files`; empty when it is content."""
    path = os.pathsep.join([str(ROOT / "examples"), str(HERE), *SOURCES])
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml")]
    done = subprocess.run(
        [*command, *map(str, files)],
        cwd=ROOT / "examples",
        env={**os.environ, "MYPYPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def module(lines: list[str]) -> str:
    """A user's module with `lines` in a function."""
    head = "import flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n\ndef f(x: fx.Tensor, n: fx.Int32) -> None:\n"
    return head + "".join(f"    {line}\n" for line in lines)


def test_no_comment_silences_a_checker() -> None:
    assert len(EXAMPLES) > 10
    assert [path.name for path in CHECKED if IGNORED.search(path.read_text())] == []


def test_pyright_strict_accepts_the_examples_and_a_users_kernels() -> None:
    assert len(OF_FRAMEWORKS) == 6
    assert pyright(*(path for path in CHECKED if path not in OF_FRAMEWORKS)) == []


def test_mypy_strict_accepts_the_examples_and_a_users_kernels() -> None:
    assert mypy(*CHECKED) == ""


# mistakes, and the rules of pyright that see them
WRONG = {
    "fx.make_layout('8')": "reportArgumentType",
    "fx.make_copy_atom(32, fx.Float32)": "reportArgumentType",
    "fx.copy(x, x, x)": "reportArgumentType",
    "x.lod()": "reportAttributeAccessIssue",
    "x[0].too(fx.Int32)": "reportAttributeAccessIssue",
    "x + 1": "reportOperatorIssue",
    "fx.shuffle_xor(x, 1)": "reportCallIssue",
    "x.load().reshape('4')": "reportArgumentType",
    "fx.exp('1')": "reportCallIssue",
    "fx.elem_less(x[0])": "reportCallIssue",
    "x[0].to(32)": "reportArgumentType",
    "fx.SharedAllocator().allocate(16).peek()": "reportAttributeAccessIssue",
    "fx.range(n, unroll='2')": "reportArgumentType",
    "fx.range(n, step=2)": "reportCallIssue",
    "[i for i in fx.range(n)][0].too(fx.Int32)": "reportAttributeAccessIssue",
}


def test_pyright_sees_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(module([f"print({line})" for line in WRONG]))
    rules: dict[int, set[str]] = {}
    for entry in pyright(file):
        rules.setdefault(entry["range"]["start"]["line"] - 5, set()).add(entry.get("rule", ""))
    assert {line: rule for at, (line, rule) in enumerate(WRONG.items()) if rule not in rules.get(at, set())} == {}


HOVERS = {
    "x[0]": "Scalar",
    "x[0, 1]": "Scalar",
    "x[None, 0]": "Tensor",
    "1 + x[0]": "Scalar",
    "n + 1": "Int32",
    "2 * fx.Float32(1)": "Float32",
    "n < 3": "Boolean",
    "x.load() * 2": "Vector",
    "x.load()[1:3]": "Vector",
    "x.load()[0]": "Scalar",
    "x.shape": "IntTuple",
    "x.shape[0] + 1": "Scalar",
    "fx.exp(fx.Float64(1))": "Float64",
    "fx.max(n, n)": "Int32",
    "x[0].to(fx.Int8)": "Int8",
    "fx.thread_idx.x": "Int32",
    "fx.get_iter(x).load(fx.Float16)": "Float16",
    "fx.zipped_divide(x, 4)": "Tensor",
    "fx.logical_divide(fx.make_layout(8), 2)": "Layout",
    "fx.elem_less(x.shape, x.shape)": "Boolean",
    "fx.SharedAllocator().allocate(16)": "Pointer",
    "fx.SharedAllocator().allocate(fx.Float32)": "Storage",
    "[i for i in fx.range(n, unroll=4)][0]": "Leaf",
    "[i for i in fx.range(0, n, 2, init=[n])][0]": "tuple[Leaf, list[Int32]]",
    "[s for (_, s) in fx.range(n, init=(n, n), unroll=True)][0]": "list[Int32]",
    "[s for (_, s) in fx.range(n, init=fx.Float32(0))][0]": "Float32",
    "flyc.jit(f)": "JitFunction[(x: Tensor, n: Int32)]",
    "flyc.kernel(f)": "KernelFunction[(x: Tensor, n: Int32)]",
}


def test_an_editor_shows_the_type_of_what_is_under_the_cursor(tmp_path: Path) -> None:
    file = tmp_path / "hovers.py"
    file.write_text(module([f"reveal_type({expression})" for expression in HOVERS]))
    notes = [re.fullmatch(r'Type of "(.*)" is "(.*)"', entry["message"]) for entry in pyright(file)]
    assert {note.group(1): note.group(2) for note in notes if note is not None} == HOVERS


@pytest.fixture(scope="module")
def results() -> dict[str, np.ndarray]:
    spec = util.spec_from_file_location("user_kernels", HERE / "user_kernels.py")
    assert spec is not None
    assert spec.loader is not None
    kernels = util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    flyc.use_pair("cpu")
    arrays: dict[str, np.ndarray] = kernels.run(np.random.default_rng(0))
    return arrays


def test_the_users_kernels_compute_what_numpy_does(results: dict[str, np.ndarray]) -> None:
    r = {name: array.astype(np.float64) for name, array in results.items()}
    inner = 0.7978845608 * (r["x"] + 0.044715 * r["x"] ** 3)
    np.testing.assert_allclose(r["y"], 0.5 * r["x"] * (1 + np.tanh(inner)) * 2 + 0.5 + 1, rtol=1e-5, atol=1e-5)
    exact = np.exp(r["logits"] - r["logits"].max(axis=1, keepdims=True))
    np.testing.assert_allclose(r["weights"], exact / exact.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-7)
    np.testing.assert_array_equal(results["doubled"], results["image"] * 2 + 1)
    np.testing.assert_array_equal(results["walked"], [results["image"].sum(axis=0), results["image"].max(axis=0)])
    np.testing.assert_allclose(r["c"], 0.5 * r["a"] @ r["b"], rtol=1e-4, atol=1e-4)
