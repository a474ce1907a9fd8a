"""What is imported when: nothing of torch by the compiler, and torch's compiler knows kernels in any order."""

import os
import subprocess
import sys

import pytest

CALL = """
import {first}
import {second}
import torch._dynamo
import flydsl.expr as fx
from flydsl import compiler as flyc

@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] * 2

@flyc.jit
def double(x: fx.Tensor, y: fx.Tensor):
    kernel(x, y).launch(grid=1, block=4)

def model(x):
    y = torch.empty_like(x)
    double(x, y)
    return y

{autoload}
x = torch.arange(4.0)
assert torch.equal(torch.compile(model, backend="eager", fullgraph=True)(x), x * 2)
"""
AUTOLOAD = "from flydsl.torch.autoload import autoload; autoload()"


@pytest.mark.parametrize("first", ["torch", "flydsl.compiler"])
def test_the_order_of_imports_does_not_matter(first, tmp_path):
    second = {"torch": "flydsl.compiler", "flydsl.compiler": "torch"}[first]
    script = CALL.format(first=first, second=second, autoload=AUTOLOAD)
    path = tmp_path / "program.py"
    path.write_text(script)
    # what torch does when it is imported is done by the program, for an installation from before the entry point
    environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "FLYDSL_COMPILE_BACKEND": "cpu"}
    done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_importing_the_compiler_imports_no_torch():
    script = "import sys, flydsl.compiler, flydsl.expr, flydsl.torch; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
