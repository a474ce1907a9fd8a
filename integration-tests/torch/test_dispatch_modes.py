"""Kernels and operators where torch watches what is done: dispatch modes, make_fx, checkpoints, vmap, traces."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from support.kernels import scale
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
from torch.utils.flop_counter import FlopCounterMode

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch
from flydsl.base.errors import RuntimeFailure, UnsupportedTensorError


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    for j in fx.range_constexpr(4):
        y[fx.thread_idx.x, j] = x[fx.thread_idx.x, j] * 2


@flyc.jit
def double(x: fx.Tensor, y: fx.Tensor):
    """Of shape (n, 4)."""
    copy_kernel(x, y).launch(grid=1, block=x.shape[0])


@flydsl.torch.op("modes::double", out=lambda x: torch.empty_like(x))
def doubled(x: torch.Tensor, y: torch.Tensor) -> None:
    """Through views of its output, and of one that is no whole tensor."""
    double(x[:2], y.view(-1).view(x.shape)[:2])
    double(x.t()[:, :4].t()[2:], y[2:])


doubled.register_backward(lambda ctx, g: doubled(g))


@flydsl.torch.op("modes::writes_input", out=lambda x: torch.empty_like(x))
def writes_input(x: torch.Tensor, y: torch.Tensor) -> None:
    double(x, y)
    double(y, x.view(-1).view(4, 4))


@flydsl.torch.op("modes::writes_nothing", out=lambda x: torch.empty_like(x))
def writes_nothing(x: torch.Tensor, y: torch.Tensor) -> None:
    double(x, y.clone().t())


class Seen(TorchDispatchMode):
    """Notes operations, and does them."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(str(function))
        return function(*args, **(kwargs or {}))


def checkpointed(function, x):
    def policy(*_, **__):
        return CheckpointPolicy.MUST_SAVE

    contexts = functools.partial(create_selective_checkpoint_contexts, policy)
    leaf = x.clone().requires_grad_()
    result = checkpoint(lambda v: function(v) * 1, leaf, use_reentrant=False, context_fn=contexts)
    result.sum().backward()
    return result.detach()


def inside(mode):
    def run(function, x):
        with mode():
            return function(x)

    return run


def compiled(backend, **options):
    def run(function, x):
        torch._dynamo.reset()
        return torch.compile(lambda v: function(v), backend=backend, fullgraph=True, **options)(x)

    return run


MODES = {
    "eager": lambda function, x: function(x),
    "dispatch mode": inside(Seen),
    "two modes": lambda function, x: inside(Seen)(functools.partial(inside(Seen), function), x),
    "flops": inside(lambda: FlopCounterMode(display=False)),
    "checkpoint": checkpointed,
    "no_grad": inside(torch.no_grad),
    "vmap": lambda function, x: torch.vmap(function)(x[None])[0],
    "functionalize": lambda function, x: torch.func.functionalize(function)(x),
    "aot_eager": compiled("aot_eager"),
    "aot_eager dynamic": compiled("aot_eager", dynamic=True),
    "make_fx real": lambda function, x: make_fx(function)(x)(x),
    "make_fx fake": lambda function, x: make_fx(function, tracing_mode="fake")(x)(x),
    "make_fx symbolic": lambda function, x: make_fx(function, tracing_mode="symbolic")(x)(x),
    "make_fx pre_dispatch": lambda function, x: make_fx(function, pre_dispatch=True)(x)(x),
}


@pytest.mark.parametrize("mode", MODES)
def test_an_operator_that_writes_views_of_its_output_is_right(mode):
    x = torch.randn(4, 4)
    for _ in range(2):
        torch.testing.assert_close(MODES[mode](doubled, x), x * 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("operator, text", [(writes_input, "writes its input 'x'"), (writes_nothing, "output 'y'")])
def test_what_an_operator_must_not_do_is_seen(mode, operator, text):
    with pytest.raises((RuntimeFailure, RuntimeError), match=text):
        MODES[mode](operator, torch.randn(4, 4))


def raw(x):
    y = torch.zeros_like(x)
    scale(x, y, 3.0, x.numel())
    return y + 1


WATCHED = [mode for mode in MODES if mode not in ("vmap", "checkpoint", "functionalize")]


@pytest.mark.parametrize("calls", [0, 1, 3])
@pytest.mark.parametrize("mode", WATCHED)
def test_a_kernel_call_is_part_of_what_torch_watches(mode, calls):
    x = torch.randn(16)
    for _ in range(calls):
        raw(x)
    other = torch.randn(16)
    torch.testing.assert_close(MODES[mode](raw, other), other * 3 + 1)
    torch.testing.assert_close(raw(x), x * 3 + 1)


@pytest.mark.parametrize(
    "options", [{}, {"pre_dispatch": True}, {"tracing_mode": "fake"}, {"tracing_mode": "symbolic"}]
)
def test_a_graph_has_the_kernel_and_nothing_of_ours(options):
    raw(torch.ones(8))
    graph = make_fx(raw, **options)(torch.ones(8)).graph
    called = [str(node.target) for node in graph.nodes if node.op == "call_function" and "sym" not in str(node.target)]
    assert called == ["aten.zeros_like.default", "flydsl.launch.default", "aten.add.Tensor"]


def test_a_mode_sees_the_call_as_an_operator():
    x, y = torch.randn(8), torch.zeros(8)
    for _ in range(3):
        scale(x, y, 2.0, 8)
        with Seen() as seen:
            scale(x, y, 2.0, 8)
        assert seen.names == ["flydsl.launch.default"]


def test_tensors_of_one_kind_are_passed():
    with FakeTensorMode():
        fake = torch.empty(8)
    with pytest.raises(UnsupportedTensorError, match="one that only stands for a tensor"):
        scale(fake, torch.zeros(8), 2.0, 8)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("calls", [0, 1, 3])
def test_torch_jit_trace_is_refused(calls):
    x = torch.randn(8)
    for _ in range(calls):
        raw(x)
    with pytest.raises(UnsupportedTensorError, match=r"torch\.jit\.trace cannot record the kernels of 'scale'"):
        torch.jit.trace(raw, x)
    assert torch.equal(raw(x), x * 3 + 1)


@pytest.mark.parametrize("reader", [0, 1])
def test_what_a_first_call_refuses_each_later_call_refuses(reader):
    environment = os.environ | {"FLYDSL_RUNTIME_NATIVE_READER": str(reader)}
    program = Path(__file__).with_name("random_kinds.py")
    found = subprocess.run(
        [sys.executable, program, "7", "500"], capture_output=True, text=True, env=environment, check=False
    )
    assert found.returncode == 0, found.stderr[-3000:]
