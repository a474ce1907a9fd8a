"""`scripts/try_kernels.py` on a folder of the corpus, and on one in which everything is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORPUS, CALLS = ROOT / "integration-tests/foreign/corpus", ROOT / "integration-tests/foreign/calls.py"
KERNEL = """
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def kernel(x: fx.Tensor):
    {line}

@flyc.jit
def launch(x: fx.Tensor, *, more: {more}):
    kernel(x).launch(grid=1, block=1)
"""
BROKEN = {
    "absent_module.py": (
        "import no_such_module",
        "import fails: ModuleNotFoundError: No module named 'no_such_module'",
    ),
    "absent_name.py": (
        "from flydsl._mlir.dialects.llvm import CallOp",
        "declare an external function: flydsl.expr.extern",
    ),
    "leaves.py": ("import sys\nsys.exit(3)", "import fails: SystemExit: 3"),
    "dies.py": ("import os\nos._exit(7)", "import fails: the process ended with code 7"),
    "no_python.py": ("def f(:", "import fails: SyntaxError: "),
    "wrong_rank.py": (KERNEL.format(line="x[0, 0, 0, 0] = 1.0", more="fx.Int32 = 1"), "launch fails: OperandError: "),
    "unknown.py": (
        KERNEL.format(line="x[0] = 1.0", more="dict"),
        "launch fails: nothing is known of its argument 'more'",
    ),
    "right.py": (KERNEL.format(line="x[0, 0] = 1.0", more="fx.Int32 = 1"), "imports; compiles launch"),
}


def report(folder: Path, *options: str) -> tuple[int, dict[str, str], str]:
    """The exit code, what is said of each file, and the last line."""
    script = ROOT / "scripts/try_kernels.py"
    line = [sys.executable, str(script), str(folder), "--backend", "cpu", *options]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    *lines, last = done.stdout.splitlines()
    said: dict[str, str] = {}
    name = ""
    for text in lines:
        name = text.split()[0] if not text.startswith(" ") else name
        said[name] = said.get(name, "") + text.removeprefix(name).strip() + "\n"
    return done.returncode, said, last


def test_kernels_of_the_corpus_compile(tmp_path: Path) -> None:
    for name in ("vectors", "atoms"):
        (tmp_path / f"{name}.py").write_text((CORPUS / f"{name}.py").read_text())
    code, said, last = report(tmp_path, "--calls", str(CALLS))
    assert (code, last) == (0, "2 of 2 files can be imported, 10 of 10 functions compile")
    assert said["atoms.py"] == "imports; compiles bits, staged, copied, multiplied\n"


def test_every_failure_has_its_reason(tmp_path: Path) -> None:
    for name, (text, _) in BROKEN.items():
        (tmp_path / name).write_text(text)
    code, said, last = report(tmp_path)
    assert code == 1
    assert last == "3 of 8 files can be imported, 1 of 3 functions compile"
    missing = {name: said.get(name) for name, (_, reason) in BROKEN.items() if reason not in said.get(name, "")}
    assert missing == {}
    assert "wrong_rank.py:7" in said["wrong_rank.py"]


def test_a_file_that_never_ends_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text("while True:\n    pass")
    _, said, _ = report(tmp_path, "--timeout", "2")
    assert said["hangs.py"] == "import fails: took more than 2 s\n"


def test_a_folder_without_kernels_is_refused(tmp_path: Path) -> None:
    script = ROOT / "scripts/try_kernels.py"
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "has no Python files" in done.stderr


@pytest.mark.parametrize("name", ["flydsl._mlir", "torch"])
def test_a_missing_distribution_is_named(tmp_path: Path, name: str) -> None:
    text = f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')"
    (tmp_path / "needs.py").write_text(text)
    _, said, _ = report(tmp_path)
    assert "; pip install flydsl-" in said["needs.py"]
