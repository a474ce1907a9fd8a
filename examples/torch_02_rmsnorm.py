"""RMSNorm as an operator of torch with a backward of its own, in a compiled model.

With s = 1 / sqrt(mean(x * x) + epsilon) the operator gives y = x * s * weight. For the gradient g of y, of a row of N:
the gradient of x is s * (g * weight - x * s * s * mean(g * weight * x)), that of the weight sums g * x * s over rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from rows import VECTOR, add, block_size, load, reduce_block, store
from workbench import choose_backend, odd, torch_device

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.torch


@flyc.kernel
def forward_kernel(x: fx.Tensor, weight: fx.Tensor, y: fx.Tensor, scales: fx.Tensor, epsilon: fx.Float32) -> None:
    row, thread, block = fx.block_idx.x, fx.thread_idx.x, block_size()
    row_x, row_y = x[row, None], y[row, None]
    columns = fx.get_scalar(fx.size(row_x))
    count = fx.get_scalar(fx.ceil_div(columns, VECTOR))

    squares = fx.Vector.filled(VECTOR, 0, fx.Float32)
    for start in range(0, count, block):
        if start + thread < count:
            values = load(row_x, start + thread, outside=0)
            squares = squares + values * values

    scale = fx.rsqrt(reduce_block(squares.reduce(fx.ReductionOp.ADD), add) / columns + epsilon)
    if thread == 0:
        scales[row] = scale
    for start in range(0, count, block):
        if start + thread < count:
            values = load(row_x, start + thread, outside=0)
            store(values * scale * load(weight, start + thread, outside=0), row_y, start + thread)


@flyc.kernel
def backward_kernel(
    g: fx.Tensor, x: fx.Tensor, weight: fx.Tensor, scales: fx.Tensor, of_x: fx.Tensor, of_weight: fx.Tensor
) -> None:
    row, thread, block = fx.block_idx.x, fx.thread_idx.x, block_size()
    row_g, row_x, row_of_x, row_of_weight = (tensor[row, None] for tensor in (g, x, of_x, of_weight))
    columns = fx.get_scalar(fx.size(row_x))
    count = fx.get_scalar(fx.ceil_div(columns, VECTOR))
    scale = scales[row]

    products = fx.Vector.filled(VECTOR, 0, fx.Float32)
    for start in range(0, count, block):
        if start + thread < count:
            weighted = load(row_g, start + thread, outside=0) * load(weight, start + thread, outside=0)
            products = products + weighted * load(row_x, start + thread, outside=0)

    mean = reduce_block(products.reduce(fx.ReductionOp.ADD), add) / columns
    for start in range(0, count, block):
        if start + thread < count:
            gradient, values = load(row_g, start + thread, outside=0), load(row_x, start + thread, outside=0)
            weighted = gradient * load(weight, start + thread, outside=0)
            store((weighted - values * (scale * scale * mean)) * scale, row_of_x, start + thread)
            store(gradient * values * scale, row_of_weight, start + thread)


@flydsl.torch.op(
    "flydsl_examples::rmsnorm", out=lambda x, weight, epsilon=1e-5: (torch.empty_like(x), x.new_empty(x.shape[0]))
)
@flyc.jit
def rmsnorm(
    x: fx.Tensor,
    weight: fx.Tensor,
    y: fx.Tensor,
    scales: fx.Tensor,
    epsilon: fx.Float32,
    stream: fx.Stream = fx.Stream(None),
) -> None:
    """The normalised rows, and the scale of each, which the backward needs."""
    forward_kernel(x, weight, y, scales, epsilon).launch(grid=x.shape[0], block=block_size(), stream=stream)


@flydsl.torch.op(
    "flydsl_examples::rmsnorm_backward", out=lambda g, x, weight, scales: (torch.empty_like(x), torch.empty_like(x))
)
@flyc.jit
def rmsnorm_backward(
    g: fx.Tensor, x: fx.Tensor, weight: fx.Tensor, scales: fx.Tensor, of_x: fx.Tensor, of_weight: fx.Tensor
) -> None:
    """The gradient of x, and what each row adds to that of the weight."""
    backward_kernel(g, x, weight, scales, of_x, of_weight).launch(grid=x.shape[0], block=block_size())


def save(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, torch.Tensor]) -> None:
    x, weight, _ = inputs
    ctx.save_for_backward(x, weight, output[1])
    ctx.mark_non_differentiable(output[1])


def backward(ctx: Any, g: torch.Tensor, _: Any) -> tuple[torch.Tensor, torch.Tensor, None]:
    of_x, of_rows = rmsnorm_backward(g.contiguous(), *ctx.saved_tensors)
    return of_x, of_rows.sum(0), None


rmsnorm.register_backward(backward, setup_context=save)


class Block(torch.nn.Module):
    """A normalised layer; `norm` is the operator, or the same in torch."""

    def __init__(self, width: int, norm: Any) -> None:
        super().__init__()
        self.norm, self.linear = norm, torch.nn.Linear(width, width)
        self.weight = torch.nn.Parameter(torch.randn(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.silu(self.linear(self.norm(x, self.weight)))


def by_kernels(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    y: torch.Tensor = rmsnorm(x, weight)[0]
    return y


def by_torch(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return x * torch.rsqrt((x * x).mean(1, keepdim=True) + 1e-5) * weight


def check(rng: np.random.Generator, rows: int, columns: int) -> None:
    """The gradients of one random matrix, against torch in float64."""
    values = torch.as_tensor(rng.standard_normal((2 * rows + 1, columns), dtype=np.float32), device=torch_device())
    x, g, weight = values[:rows], values[rows:-1], values[-1]
    for found, exact in zip(
        gradients(by_kernels, x, weight, g), gradients(by_torch, *exactly(x, weight, g)), strict=True
    ):
        torch.testing.assert_close(found, exact.float(), rtol=1e-4, atol=1e-4 * float(exact.abs().max()))


def exactly(*tensors: torch.Tensor) -> list[torch.Tensor]:
    return [tensor.double() for tensor in tensors]


def gradients(norm: Any, x: torch.Tensor, weight: torch.Tensor, g: torch.Tensor) -> list[torch.Tensor]:
    """The outputs and the gradients of both inputs."""
    x, weight = x.clone().requires_grad_(), weight.clone().requires_grad_()
    y = norm(x, weight)
    y.backward(g)
    assert x.grad is not None
    assert weight.grad is not None
    return [y.detach(), x.grad, weight.grad]


def main() -> None:
    choose_backend()
    device = torch_device()
    rng = np.random.default_rng()
    for _ in range(2):
        rows, columns = odd(rng, 40), odd(rng, 2000)
        check(rng, rows, columns)
        print(f"rmsnorm of {rows} rows of {columns}: equal to torch in float64, and so are its gradients")
    model, exact = Block(33, by_kernels).to(device), Block(33, by_torch).double().to(device)
    exact.load_state_dict(model.state_dict())
    # the backend "inductor" is the default and fuses the rest; on a CPU it needs a C++ compiler
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend="aot_eager")
    for rows in (5, 16):
        x = torch.randn(rows, 33, device=device)
        for each in (model, exact):
            each.zero_grad()
        compiled(x).sum().backward()
        exact(x.double()).sum().backward()
        for one, other in zip(model.parameters(), exact.parameters(), strict=True):
            assert one.grad is not None
            assert other.grad is not None
            torch.testing.assert_close(one.grad, other.grad.float(), rtol=1e-4, atol=1e-4)
        print(f"a compiled model on {rows} rows: gradients equal to torch in float64")


if __name__ == "__main__":
    main()
