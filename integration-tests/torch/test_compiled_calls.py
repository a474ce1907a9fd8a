"""Kernels called in code that torch compiles: one graph, right numbers, right mutations, and no silent mistake."""

import os
import subprocess
import sys
import threading

import pytest
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure

FACTOR = 2.0
SWAPPED = False
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script_method.*:DeprecationWarning")  # inductor's imports
BACKENDS = pytest.mark.parametrize("backend", ["eager", "aot_eager"])


@flyc.kernel
def axpy_kernel(a: fx.Tensor, x: fx.Tensor, y: fx.Tensor, f: fx.Float32, n: fx.Int32):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < n:
        y[i] = a[i] * f + x[i]


@flyc.jit
def axpy(
    a: fx.Tensor, x: fx.Tensor, y: fx.Tensor, f: fx.Float32, n: fx.Int32, stream: fx.Stream = fx.Stream(None)
) -> None:
    axpy_kernel(a, x, y, f, n).launch(grid=(n + 31) // 32, block=32, stream=stream)


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()


def compiled(function, backend="aot_eager", **options):
    return torch.compile(function, backend=backend, fullgraph=True, **options)


@BACKENDS
@pytest.mark.parametrize("dynamic", [None, True])
def test_shapes_and_numbers_may_change_without_a_graph_break(backend, dynamic):
    def model(a, x, f):
        y = torch.empty_like(a)
        axpy(a + 1, x, y, f, a.shape[0])
        return y.sin()

    run = compiled(model, backend, dynamic=dynamic)
    for length in (5, 37, 64, 65):
        for f in (0.5, -3.0):
            a, x = torch.randn(length), torch.randn(length)
            torch.testing.assert_close(run(a, x, f), ((a + 1) * f + x).sin())


def test_inductor_runs_it():
    def model(a, x):
        y = torch.zeros_like(a)
        axpy(a.cos(), x, y, 2.0, n=a.shape[0])
        return y * 2 + a

    run = compiled(model, "inductor", dynamic=True)
    for length in (7, 100):
        a, x = torch.randn(length), torch.randn(length)
        torch.testing.assert_close(run(a, x), (a.cos() * 2 + x) * 2 + a)


@BACKENDS
def test_inputs_of_the_graph_and_intermediate_tensors_are_written_in_place(backend):
    def model(a, y):
        before = y * 1
        axpy(a, y, y, 2.0, a.shape[0])
        middle = y + 1
        axpy(a, middle, middle, 1.0, a.shape[0])
        return before, middle

    a, y = torch.randn(9), torch.randn(9)
    old = y.clone()
    version = y._version
    before, middle = compiled(model, backend)(a, y)
    torch.testing.assert_close(before, old)
    torch.testing.assert_close(y, a * 2 + old)
    torch.testing.assert_close(middle, a * 2 + old + 1 + a)
    assert y._version > version


@BACKENDS
def test_views_of_one_tensor_are_read_and_written(backend):
    def model(base):
        axpy(base[:8], base[8:16], base[16:], 3.0, 8)
        return base.sum()

    base = torch.randn(24)
    expected = torch.cat([base[:16], base[:8] * 3 + base[8:16]])
    torch.testing.assert_close(compiled(model, backend)(base), expected.sum())
    torch.testing.assert_close(base, expected)


def test_strided_and_transposed_tensors_have_code_of_their_own():
    def model(a, x, y):
        axpy(a[::2], x[:, 1], y, 1.0, y.shape[0])
        return y + 0

    run = compiled(model, dynamic=True)
    for length in (4, 11):
        a, x, y = torch.randn(2 * length), torch.randn(length, 3), torch.empty(length)
        torch.testing.assert_close(run(a, x, y), a[::2] + x[:, 1])


def test_a_graph_is_made_once_and_not_again_for_eager_calls():
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    def model(a, y):
        axpy(a, a, y, 1.0, a.shape[0])
        return y * 2

    run = torch.compile(model, backend=backend, fullgraph=True, dynamic=True)
    for length in (6, 7, 8):
        a, y = torch.randn(length), torch.zeros(length)
        torch.testing.assert_close(run(a, y), a * 4)
        axpy(a.double(), a.double(), y.double(), 1.0, length)
    (graph,) = graphs
    (call,) = [node for node in graph.graph.nodes if node.target is torch.ops.flydsl.launch.default]
    assert call.args[2].startswith("axpy:")
    assert len(call.args[0]) == len(call.args[1]) == 1


def make_scale(factor):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = x[fx.thread_idx.x] * factor

    @flyc.jit
    def scale(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=x.shape[0])

    return scale


scale = make_scale(2.0)


def test_another_function_of_the_same_code_is_another_call(monkeypatch):
    def model(x):
        y = torch.empty_like(x)
        scale(x, y)
        return y

    run, x = compiled(model), torch.randn(5)
    assert torch.equal(run(x), x * 2)
    monkeypatch.setitem(globals(), "scale", make_scale(3.0))
    assert torch.equal(run(x), x * 3)


@flyc.kernel
def read_global_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] * FACTOR


@flyc.jit
def read_global(x: fx.Tensor, y: fx.Tensor):
    if SWAPPED:
        read_global_kernel(y, x).launch(grid=1, block=4)
    else:
        read_global_kernel(x, y).launch(grid=1, block=4)


def test_a_changed_global_is_noticed_and_another_output_refused(monkeypatch):
    def model(x):
        y = torch.zeros_like(x)
        read_global(x, y)
        return y

    run, x = compiled(model), torch.randn(4)
    assert torch.equal(run(x), x * 2)
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert torch.equal(run(x), x * 5)
    monkeypatch.setitem(globals(), "SWAPPED", True)
    with pytest.raises(RuntimeFailure, match="'read_global' writes 'x' now, which it did not"):
        run(x)


@flyc.kernel
def fill_kernel(y: fx.Tensor, value: fx.Int32):
    y[fx.thread_idx.x] = value


@flyc.jit
def fill(tensors, k: fx.Constexpr[int], values: fx.Constexpr[tuple] = (1, 2), on: fx.Boolean = True):
    for tensor, value in zip(tensors["y"], values, strict=True):
        if on:
            fill_kernel(tensor, value * k).launch(grid=1, block=3)


def test_containers_constants_and_booleans_are_arguments():
    def model(x, k):
        one, two = torch.zeros_like(x), torch.zeros_like(x)
        fill({"y": [one, two]}, k, on=True)
        fill({"y": [two, one]}, k=k, values=(7, 9), on=k > 4)
        return one, two

    run = compiled(model)
    for k in (4, 5, 6):
        one, two = run(torch.zeros(3, dtype=torch.int32), k)
        first, second = (9 * k, 7 * k) if k > 4 else (k, 2 * k)
        assert (one.tolist(), two.tolist()) == ([first] * 3, [second] * 3)


def test_functions_of_modules_and_keywords_are_called(monkeypatch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn(6))
            self.kernel = axpy

        def forward(self, x):
            y = torch.empty_like(x)
            self.kernel(self.weight, y=y, x=x, f=1.0, n=6)
            return (y * self.weight).sum()

    model = Model()
    x = torch.randn(6)
    loss = torch.compile(model, backend="aot_eager", fullgraph=True)(x)
    torch.testing.assert_close(loss, ((model.weight + x) * model.weight).sum())
    loss.backward()
    eager = Model()
    eager.weight.data = model.weight.data
    eager(x).backward()
    torch.testing.assert_close(model.weight.grad, eager.weight.grad)


def test_a_graph_break_costs_no_trace_of_this_package():
    frames = []

    def model(x):
        y = torch.empty_like(x)
        axpy(x.numpy(), x, y, 1.0, 4)
        print("")
        axpy(x, y, y, 1.0, 4)
        return y * 1

    def backend(graph, inputs):
        frames.append(graph)
        return graph

    x = torch.randn(4)
    torch.testing.assert_close(torch.compile(model, backend=backend)(x), x * 3)
    assert len(frames) <= 3


def test_threads_share_one_compiled_function():
    def model(a, x):
        y = torch.empty_like(a)
        axpy(a, x, y, 2.0, a.shape[0])
        return y

    run = compiled(model, dynamic=True)
    run(torch.randn(8), torch.randn(8))
    wrong, barrier = [], threading.Barrier(16)

    def work(length):
        barrier.wait()
        for _ in range(20):
            a, x = torch.randn(length), torch.randn(length)
            if not torch.allclose(run(a, x), a * 2 + x):
                wrong.append(length)

    threads = [threading.Thread(target=work, args=(length,)) for length in range(10, 26)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


SHARED = """
import torch
import flydsl.compiler as flyc
import flydsl.expr as fx
from torch._dynamo.utils import counters
import kernels_of_shared_caches as kernels

def model(x):
    y = torch.empty_like(x)
    kernels.scale(x, y, 3.0)
    return y

x = torch.arange(5.0)
assert torch.equal(torch.compile(model, fullgraph=True)(x), x * 3), "wrong"
print(counters["inductor"]["fxgraph_cache_hit"], counters["inductor"]["fxgraph_cache_miss"])
"""
KERNELS = """
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor, f: fx.Float32):
    y[fx.thread_idx.x] = x[fx.thread_idx.x] * f

@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor, f: fx.Float32):
    kernel(x, y, f).launch(grid=1, block=x.shape[0])
"""


def test_processes_share_the_graph_cache_of_torch(tmp_path):
    (tmp_path / "kernels_of_shared_caches.py").write_text(KERNELS)
    environment = {
        **os.environ,
        "ATEN_CPU_CAPABILITY": "default",  # no compilations that look for vector instructions
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "inductor"),
        "TORCHINDUCTOR_FX_GRAPH_CACHE": "1",
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }

    def run():
        done = subprocess.run([sys.executable, "-c", SHARED], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    assert run() == ["0", "1"]
    assert run() == ["1", "0"]
