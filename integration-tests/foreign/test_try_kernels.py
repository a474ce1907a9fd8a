"""`flydsl try` on a folder of the corpus, and on one in which everything is wrong."""

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
    "right.py": (KERNEL.format(line="x[0, 0] = 1.0", more="fx.Int32 = 1"), "imports; runs launch"),
}


COMMAND = [sys.executable, "-m", "flydsl.tools.cli", "try"]
CHECKED = """
import numpy as np

def kernels(m):
    x = np.zeros(64, np.float32)
    beyond = np.zeros(63, np.float32)
    return {
        "right": (lambda: m.filled(x), lambda: bool((x == 1).all())),
        "wrong": (lambda: m.filled(x), lambda: x[3] == 2),
        "raising": (lambda: m.filled(x), lambda: np.testing.assert_array_equal(x, 0)),
        "faulty": lambda: m.filled(beyond),
        "racing": lambda: m.racing(np.zeros(128, np.float32)),
        "untouched": lambda: None,
    }
"""
KERNELS = """
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def filled_kernel(x: fx.Tensor):
    x[fx.thread_idx.x] = 1.0

@flyc.jit
def filled(x: fx.Tensor):
    filled_kernel(x).launch(grid=1, block=64)

@flyc.kernel
def racing_kernel(x: fx.Tensor):
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 128]).peek()
    i = fx.thread_idx.x
    shared[i] = x[i]
    x[i] = shared[127 - i]

@flyc.jit
def racing(x: fx.Tensor):
    racing_kernel(x).launch(grid=1, block=128)
"""


def report(folder: Path, *options: str, backend: str = "cpu") -> tuple[int, dict[str, str], str]:
    """The exit code, what is said of each file, and the last line."""
    line = [*COMMAND, str(folder), "--backend", backend, *options]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    title, *lines, last = done.stdout.splitlines()
    assert title.startswith("-- ")
    said: dict[str, str] = {}
    name = ""
    for text in lines:
        name = text.split()[0] if not text.startswith(" ") else name
        said[name] = said.get(name, "") + text.removeprefix(name).strip() + "\n"
    return done.returncode, said, last


@pytest.mark.parametrize(("option", "verb"), [([], "runs"), (["--compile-only"], "compiles")])
def test_kernels_of_the_corpus(tmp_path: Path, option: list[str], verb: str) -> None:
    for name in ("vectors", "atoms"):
        (tmp_path / f"{name}.py").write_text((CORPUS / f"{name}.py").read_text())
    code, said, last = report(tmp_path, "--calls", str(CALLS), *option)
    assert code == 0
    assert last.startswith("2 of 2 files can be imported, 10 of 10 functions compile")
    assert said["atoms.py"] == f"imports; {verb} bits, staged, copied, multiplied\n"


def test_what_runs_on_a_simulated_chip_is_checked(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "calls.py").write_text(CHECKED)
    code, said, last = report(tmp_path, "--calls", str(tmp_path / "calls.py"), "--target", "gfx950", backend="rocm")
    assert code == 1
    assert last == (
        "1 of 1 files can be imported, 7 of 7 functions compile, 1 of 3 that are checked are right, 2 have findings"
    )
    lines = said["kernels.py"].splitlines()
    assert lines[0] == "imports; runs right, untouched, filled"
    assert lines[1] == "wrong is wrong: its check is false"
    assert lines[2].startswith("raising is wrong: AssertionError")
    assert "faulty found: RuntimeFailure" in lines[3]
    assert "invalid write" in lines[3]
    assert "racing found: RuntimeFailure" in lines[4]
    assert "a data race in LDS" in lines[4]


def test_every_failure_has_its_reason(tmp_path: Path) -> None:
    for name, (text, _) in BROKEN.items():
        (tmp_path / name).write_text(text)
    code, said, last = report(tmp_path)
    assert code == 1
    assert last.startswith("3 of 8 files can be imported, 1 of 3 functions compile")
    missing = {name: said.get(name) for name, (_, reason) in BROKEN.items() if reason not in said.get(name, "")}
    assert missing == {}
    assert "wrong_rank.py:7" in said["wrong_rank.py"]


def test_a_file_that_never_ends_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text("while True:\n    pass")
    _, said, _ = report(tmp_path, "--timeout", "2")
    assert said["hangs.py"] == "import fails: took more than 2 s\n"


@pytest.mark.parametrize(
    ("line", "said"), [([], "give a folder, or --of a framework"), (["{}"], "has no Python files")]
)
def test_a_wrong_command_line_is_refused(tmp_path: Path, line: list[str], said: str) -> None:
    words = [word.format(tmp_path) for word in line]
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_torch_without_kernels_is_told(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    done = subprocess.run([*COMMAND, "--of", "torch"], capture_output=True, text=True, check=False)
    if tuple(map(int, torch.__version__.split(".")[:2])) < (2, 15):
        assert done.returncode == 1
        assert "has no kernels of this language, 2.15 is the first; give a folder" in done.stderr
    else:
        assert "files can be imported" in done.stdout


@pytest.mark.parametrize(("name", "hint"), [("flydsl._mlir", "flydsl-compat"), ("acme.kernels", "acme")])
def test_a_missing_distribution_is_named(tmp_path: Path, name: str, hint: str) -> None:
    text = f"raise ModuleNotFoundError(\"No module named '{name}'\", name='{name}')"
    (tmp_path / "needs.py").write_text(text)
    _, said, _ = report(tmp_path)
    assert f"; pip install {hint}" in said["needs.py"]
