"""What earlier torch needs: a bound, and a compiler that is mended once, when it is imported."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import torch

import flydsl.torch
from flydsl.base.errors import LibraryMissingError
from flydsl.torch.earlier_torch import OLDEST, check_version, mend_compiler, release

MENDED = """
import sys, types
import torch
torch.__version__ = "2.11.0"
from flydsl.torch.earlier_torch import mend_compiler


def waiting():
    return sum(type(finder).__name__ == "_Mending" for finder in sys.meta_path)


mend_compiler()
mend_compiler()
assert (waiting(), "torch._dynamo" in sys.modules) == (1, False)

import flydsl.compiler as flyc
import flydsl.expr as fx

flyc.use_pair("cpu")


@flyc.kernel
def fill_kernel(y: fx.Tensor, value: fx.Float32):
    y[fx.thread_idx.x] = value


@flyc.jit
def fill(y: fx.Tensor, value: fx.Float32):
    fill_kernel(y, value).launch(grid=1, block=y.shape[0])


holder = types.SimpleNamespace(fill=fill)


@torch.compile(backend="eager", fullgraph=True)
def run(x):
    y = torch.empty_like(x)
    holder.fill(y, 3.0)
    return x + y


assert run(torch.ones(4)).tolist() == [4.0] * 4
assert waiting() == 0
functions = sys.modules["torch._dynamo.variables.functions"]
assert functions.invoke_and_store_as_constant.flydsl
mended = functions.invoke_and_store_as_constant
mend_compiler()
assert functions.invoke_and_store_as_constant is mended
print("mended")
"""


def test_the_bound_is_that_of_the_metadata() -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert "torch>=" + ".".join(map(str, OLDEST)) in project["dependencies"]


@pytest.mark.parametrize(
    ("version", "expected"),
    [("2.9.1+cu128", (2, 9)), ("2.12.0a0+git123", (2, 12)), ("2.10.0", (2, 10)), ("3.0", (3, 0))],
)
def test_releases_are_compared_as_numbers(version: str, expected: tuple[int, int]) -> None:
    assert release(version) == expected


def test_an_older_torch_is_an_error_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    check_version()
    monkeypatch.setattr(torch, "__version__", "2.7.1+cpu")
    wanted = r"flydsl-torch works with torch 2\.8 and later, 2\.7\.1\+cpu is installed: pip install 'torch>=2\.8'"
    for name in ("op", "enable"):
        with pytest.raises(LibraryMissingError, match=wanted):
            getattr(flydsl.torch, name)
    with pytest.raises(LibraryMissingError, match=wanted):
        flydsl.torch.interception.install()


def test_importing_an_older_torch_is_a_warning() -> None:
    script = "import torch\ntorch.__version__ = '2.7.1'\nfrom flydsl.torch.autoload import autoload\nautoload()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "FlyDSL is off in torch.compile and torch.export: flydsl-torch works with torch 2.8" in done.stderr


def test_a_newer_compiler_stays_as_it_is() -> None:
    if release(torch.__version__) >= (2, 12):
        finders = list(sys.meta_path)
        mend_compiler()
        assert sys.meta_path == finders


@pytest.mark.skipif(release(torch.__version__) >= (2, 14), reason="its compiler has other parts")
def test_the_compiler_is_mended_when_it_is_imported(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(MENDED)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "mended", done.stderr
