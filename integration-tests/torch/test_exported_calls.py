"""Kernels in exported programs: the graph holds the operator, and another process runs it from the cache."""

import os
import subprocess
import sys

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTensorError

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")  # of torch itself


@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor, f: fx.Float32, n: fx.Int32):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < n:
        y[i] = x[i] * f


@flyc.jit
def scale(
    k: fx.Constexpr[int], x: fx.Tensor, y, f: fx.Float32, on: bool = True, stream: fx.Stream = fx.Stream(None)
) -> None:
    scale_kernel(x, y, f * k, x.shape[0]).launch(grid=(x.shape[0] + 31) // 32, block=32, stream=stream)


class Model(torch.nn.Module):
    """A kernel between operations of torch, with an output made here and an input that is written."""

    def forward(self, x, seen):
        y = torch.empty_like(x)
        scale(3, x + 1, y, 0.5)
        scale(1, seen, seen, f=2.0)
        return y * 2


def expected(x, seen):
    return (x + 1) * 3, seen * 2


def check(program):
    for length in (4, 33):
        x, seen = torch.randn(length), torch.randn(length)
        y, after = expected(x, seen)
        torch.testing.assert_close(program(x, seen), y)
        torch.testing.assert_close(seen, after)


def exported(strict=False):
    length = torch.export.Dim("length", min=2)
    shapes = ({0: length}, {0: length})
    return torch.export.export(Model(), (torch.randn(6), torch.randn(6)), dynamic_shapes=shapes, strict=strict)


@pytest.mark.parametrize("strict", [False, True])
def test_an_exported_program_calls_the_kernel(strict):
    program = exported(strict)
    calls = [node for node in program.graph.nodes if node.target is torch.ops.flydsl.launch.default]
    assert [len(call.args[1]) for call in calls] == [1, 1]
    check(program.module())
    check(program.run_decompositions().module())


RUN = """
import sys, torch
import flydsl.torch; flydsl.torch.enable()
program = torch.export.load(sys.argv[1]).module()
x, seen = torch.arange(5.0), torch.arange(5.0)
y = program(x, seen)
assert torch.equal(y, (x + 1) * 3) and torch.equal(seen, torch.arange(5.0) * 2)
program(x, seen)
try:
    program(torch.arange(10.0)[::2], torch.arange(10.0)[::2])
except Exception as error:
    print(type(error).__name__)
print("xdsl" in sys.modules)
"""


def run(path, **environment):
    return subprocess.run(
        [sys.executable, "-c", RUN, str(path)], env={**os.environ, **environment}, capture_output=True, text=True
    )


def test_another_process_runs_a_saved_program_from_the_cache_and_names_what_it_lacks(tmp_path):
    path = tmp_path / "model.pt2"
    torch.export.save(exported(), path)
    done = run(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[-1] == "False"
    elsewhere = run(path, FLYDSL_RUNTIME_CACHE_DIR=str(tmp_path / "elsewhere"))
    assert elsewhere.returncode == 1
    assert "RuntimeFailure: the graph calls kernel function 'scale' as 'scale:" in elsewhere.stderr
    assert "set FLYDSL_RUNTIME_CACHE_DIR to the cache of the process that traced or exported it" in elsewhere.stderr


def test_fake_tensors_are_traced_by_make_fx():
    def call(x):
        y = torch.empty_like(x)
        scale(2, x, y, 1.5)
        return y

    graph = make_fx(call, tracing_mode="symbolic")(torch.randn(5))
    assert any(node.target is torch.ops.flydsl.launch.default for node in graph.graph.nodes)
    x = torch.randn(12)
    torch.testing.assert_close(graph(x), x * 3)


def test_a_recorded_tensor_is_not_written_in_an_export():
    class Wrong(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4))

        def forward(self, x):
            y = self.weight * 2
            scale(1, x, y, 1.0)
            return y

    with pytest.raises(UnsupportedTensorError, match="writes a tensor that requires a gradient"):
        torch.export.export(Wrong(), (torch.ones(4),))


def test_every_call_passes_the_checks_of_torch():
    from flydsl.torch.call_table import calls

    before = set(calls)
    torch.compile(lambda x, y: scale(7, x, y, 1.5), backend="eager", fullgraph=True)(torch.randn(5), torch.zeros(5))
    (key,) = set(calls) - before
    found = torch.library.opcheck(torch.ops.flydsl.launch.default, ([torch.randn(5)], [torch.zeros(5)], key, [], [1.5]))
    assert set(found.values()) == {"SUCCESS"}
    assert len(found) == 4
