"""Vector addition on torch tensors: called at once, inside of a compiled function, and of an exported program.

A call in a compiled function is one operator of its graph; shapes may change, and nothing is traced again.
"""

from __future__ import annotations

import numpy as np
import torch
from workbench import choose_backend, odd, torch_device

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 64


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.size(c):
        c[i] = a[i] + b[i]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    add_kernel(a, b, c).launch(grid=fx.ceil_div(fx.size(c), BLOCK), block=BLOCK)


class Model(torch.nn.Module):
    """The kernel between operations of torch."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty_like(a)
        add(a.relu(), b, c)
        return c * 2


def check(rng: np.random.Generator, length: int) -> None:
    """Every other element of random vectors of twice the length, against torch."""
    x = torch.as_tensor(rng.standard_normal((2, 2 * length), dtype=np.float32), device=torch_device())
    a, b = x[:, ::2]
    c = torch.empty_like(a)
    add(a, b, c)
    torch.testing.assert_close(c, a + b, rtol=0, atol=0)


def main() -> None:
    choose_backend()
    device = torch_device()
    rng = np.random.default_rng()
    model = Model()
    length = torch.export.Dim("length", min=2)
    sample = (torch.randn(5, device=device), torch.randn(5, device=device))
    exported = torch.export.export(model, sample, dynamic_shapes=({0: length}, {0: length})).module()
    # the backend "inductor" is the default and fuses the rest; on a CPU it needs a C++ compiler
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend="aot_eager")
    for _ in range(3):
        n = odd(rng, 1000) + 2
        check(rng, n)
        a, b = torch.randn(n, device=device), torch.randn(n, device=device)
        for program in (model, compiled, exported):
            torch.testing.assert_close(program(a, b), (a.relu() + b) * 2)
        print(f"vectors of {n}: equal to torch at once, compiled and exported")


if __name__ == "__main__":
    main()
