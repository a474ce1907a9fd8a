"""What is wrong with kernel calls in code that torch compiles: errors with names, and a process that lives."""

import os
import subprocess
import sys

import pytest
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, RuntimeFailure, UnsupportedTensorError

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


def make_scale(factor):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = x[fx.thread_idx.x] * factor

    @flyc.jit
    def scale(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=x.shape[0])

    return scale


scale = make_scale(2.0)


@BACKENDS
def test_a_tensor_that_autograd_records_is_not_written(backend):
    def model(a, x):
        y = x * 2
        axpy(a, a, y, 1.0, 4)
        return y

    x = torch.randn(4, requires_grad=True)
    with pytest.raises(torch._dynamo.exc.Unsupported, match="writes a tensor that requires a gradient"):
        compiled(model, backend)(torch.randn(4), x)
    with pytest.raises(UnsupportedTensorError, match=r"argument 'y': .*under torch.no_grad"):
        torch.compile(model, backend=backend)(torch.randn(4), x)
    with torch.no_grad():
        a = torch.randn(4)
        torch.testing.assert_close(compiled(model, backend)(a, x), a * 2)


def test_a_saved_tensor_that_a_kernel_overwrites_is_an_error_in_backward():
    def model(weight, saved):
        return (weight * saved).sum()

    weight, saved, a = torch.ones(4, requires_grad=True), torch.randn(4), torch.randn(4)
    loss = compiled(model)(weight, saved)
    compiled(lambda a, y: axpy(a, a, y, 1.0, 4))(a, saved)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda a: axpy(a, a, a, 1.0), ArgumentError, "missing a required argument: 'n'"),
        (lambda a: axpy(a, a, a, "fast", 4), ArgumentError, "Float32 takes a number, found str"),
        (lambda a: axpy(a, a, 3, 1.0, 4), ArgumentError, "argument 'y'"),
        (lambda a: axpy(a, a.to("meta"), a, 1.0, 4), UnsupportedTensorError, "meta"),
    ],
)
def test_wrong_arguments_are_errors_with_and_without_a_graph_break(call, error, message):
    def model(a):
        call(a)
        return a + 1

    with pytest.raises(torch._dynamo.exc.Unsupported, match=f"(?s)'axpy'.*{message}"):
        compiled(model)(torch.ones(4))
    with pytest.raises(error, match=message):
        torch.compile(model, backend="aot_eager")(torch.ones(4))


@flyc.kernel
def check_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    assert x[i] < 10.0, "too large"
    y[i] = x[i]


@flyc.jit
def checked_copy(x: fx.Tensor, y: fx.Tensor):
    check_kernel(x, y).launch(grid=1, block=x.shape[0])


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_a_kernel_that_fails_raises_its_name_and_the_process_lives(backend):
    def model(x):
        y = torch.zeros_like(x)
        checked_copy(x, y)
        return y + 1

    run = compiled(model, backend)
    with pytest.raises(RuntimeFailure, match="check_kernel.*too large"):
        run(torch.full((4,), 11.0))
    assert torch.equal(run(torch.ones(4)), torch.full((4,), 2.0))


def test_a_batched_call_is_refused():
    def model(x):
        def row(v):
            y = torch.empty_like(v)
            scale(v, y)
            return y

        return torch.vmap(row)(x)

    with pytest.raises(UnsupportedTensorError, match=r"torch.vmap and torch.func, .* flydsl.torch.op"):
        model(torch.ones(3, 4))
    with pytest.raises(Exception, match=r"flydsl::launch|flydsl.torch.op|vmap"):
        compiled(model)(torch.ones(3, 4))


PROGRAM = """
import torch

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch

flydsl.torch.enable()


@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x]


@flyc.jit
def copy(x: fx.Tensor, y: fx.Tensor):
    kernel(x, y).launch(grid=1, block=4)


def model(x):
    y = torch.empty_like(x)
    copy(x, y)
    return y


for fullgraph in (True, False):
    try:
        torch.compile(model, backend="eager", fullgraph=fullgraph)(torch.ones(4))
    except Exception as error:
        print(type(error).__name__, "unknown compile backend 'nobody'" in str(error))
"""


def test_a_backend_that_is_not_installed_is_named(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = {**os.environ, "FLYDSL_COMPILE_BACKEND": "nobody"}
    done = subprocess.run([sys.executable, str(path)], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["Unsupported True", "UnknownBackendError True"]
