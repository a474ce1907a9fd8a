"""Kernels in branches, loops and checkpoints of torch and under its transforms: served, or clearly refused."""

import pytest
import torch
from torch._higher_order_ops.map import map as map_of_torch
from torch._higher_order_ops.scan import scan
from torch.utils.checkpoint import checkpoint

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch


@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, f: fx.Float32):
    i = fx.thread_idx.x
    if i < fx.size(x):
        y[i] = x[i] * f
        z[i] = x[i] + f


@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, f: fx.Float32):
    scale_kernel(x, y, z, f).launch(grid=1, block=32)


def scaled(x, f):
    y, z = torch.empty_like(x), torch.empty_like(x)
    scale(x, y, z, f)
    return y + z


@flydsl.torch.op("branches::scale", out=lambda x, f: (torch.empty_like(x), torch.empty_like(x)))
def operator(x: torch.Tensor, f: float, y: torch.Tensor, z: torch.Tensor) -> None:
    scale(x, y, z, f)


def conditional(x, call):
    return torch.cond(x.sum() > 3, lambda x: call(x, 2.0), lambda x: call(x, 3.0), (x,))


def loop(x, call):
    return torch.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, call(x, 2.0)), (torch.tensor(0), x))[1]


def mapped(x, call):
    return map_of_torch(lambda row: call(row, 2.0), torch.stack([x, x + 1]))


def scanned(x, call):
    return scan(lambda carry, row: (carry + call(row, 2.0), carry * 1), x, torch.stack([x, x + 1]))[0]


def checkpointed(x, call):
    return checkpoint(lambda v: call(v.detach(), 2.0) * v, x, use_reentrant=False)


class Weighted(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.call, self.weight = call, torch.nn.Parameter(torch.ones(4))

    def forward(self, x):
        return self.call(self.weight, 2.0) + x


def functional(x, call):
    return torch.func.functional_call(Weighted(call), {"weight": x * 3}, (x,))


@pytest.fixture(autouse=True)
def fresh_compiler():
    torch._dynamo.reset()


def by_torch(x, f):
    return x * f + (x + f)


def by_operator(x, f):
    return sum(operator(x, f))


@pytest.mark.parametrize("call", [scaled, by_operator])
@pytest.mark.parametrize("model", [conditional, loop, mapped, scanned, checkpointed, functional])
def test_kernels_run_in_code_that_operators_of_torch_take(model, call):
    run = torch.compile(lambda x: model(x, call), backend="aot_eager", fullgraph=model is not functional)
    for x in (torch.arange(4.0), torch.zeros(4)):
        expected = model(x, by_torch)
        torch.testing.assert_close(model(x, call), expected)
        torch.testing.assert_close(run(x), expected)


def test_a_branch_that_writes_its_input_is_refused_as_by_operations_of_torch():
    def branch(x, y):
        scale(x, y, y, 2.0)
        return y + 1

    def model(x):
        return torch.cond(x.sum() > 3, branch, lambda x, y: y - 1, (x, torch.zeros_like(x)))

    with pytest.raises(torch._dynamo.exc.UncapturedHigherOrderOpError, match="input mutation|captured completely"):
        torch.compile(model, backend="aot_eager", fullgraph=True)(torch.ones(4))


def test_vmap_names_the_kernel_and_what_to_write_instead():
    with pytest.raises(Exception, match=r"'scale\\*' is called inside of torch\.vmap.*flydsl\.torch\.op"):
        torch.compile(torch.vmap(lambda x: scaled(x, 2.0)), backend="eager", fullgraph=True)(torch.ones(2, 4))


def test_branches_are_exported_and_saved(tmp_path):
    class Model(torch.nn.Module):
        def forward(self, x):
            return conditional(x, scaled)

    program = torch.export.export(Model(), (torch.ones(4),))
    torch.export.save(program, tmp_path / "model.pt2")
    run = torch.export.load(tmp_path / "model.pt2").module()
    for x in (torch.ones(4), torch.zeros(4)):
        torch.testing.assert_close(run(x), conditional(x, by_torch))
