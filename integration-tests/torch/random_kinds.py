"""A program that calls kernels with tensors of random kinds, after calls of their kind and without: it ends with 0.

`python random_kinds.py SEED COUNT`. What a first call refuses, each later call refuses, too; a process that ends
otherwise than by an exception is what this looks for.
"""

from __future__ import annotations

import random
import sys
import warnings

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTensorError

LENGTH = 6


def values():
    return torch.arange(1.0, LENGTH + 1)


class Sub(torch.Tensor):
    """A subclass with memory."""


class Wrapper(torch.Tensor):
    """A subclass that only stands for a tensor."""

    @staticmethod
    def __new__(cls):
        return torch.Tensor._make_wrapper_subclass(cls, (LENGTH,), dtype=torch.float32)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise AssertionError(f"{function} is called")


def requiring():
    return values().requires_grad_()


def fake():
    with FakeTensorMode():
        return torch.empty(LENGTH)


def inference():
    with torch.inference_mode():
        return values()


DENSE = {
    "plain": values,
    "strided": lambda: values().repeat_interleave(2)[::2],
    "double": lambda: values().double(),
    "bfloat16": lambda: values().bfloat16(),
    "integers": lambda: values().int(),
    "subclass": lambda: values().as_subclass(Sub),
    "buffer": lambda: torch.nn.Parameter(values(), requires_grad=False),
    "inference": inference,
}
READ_ONLY = {
    "leaf": requiring,
    "recorded": lambda: requiring() * 1,
    "parameter": lambda: torch.nn.Parameter(values()),
    "expanded": lambda: torch.ones(1).expand(LENGTH),
    "unfolded": lambda: torch.ones(LENGTH + 1).unfold(0, 2, 1)[:, 0].as_strided((LENGTH,), (0,)),
}
REFUSED = {
    "nested": lambda: torch.nested.nested_tensor([values(), values()[:2]]),
    "jagged": lambda: torch.nested.nested_tensor([values(), values()[:2]], layout=torch.jagged),
    "sparse": lambda: values().to_sparse(),
    "csr": lambda: torch.eye(LENGTH).to_sparse_csr(),
    "csc": lambda: torch.eye(LENGTH).to_sparse_csc(),
    "bsr": lambda: torch.eye(LENGTH).to_sparse_bsr((2, 2)),
    "quantised": lambda: torch.quantize_per_tensor(values(), 1.0, 0, torch.qint8),
    "mkldnn": lambda: values().to_mkldnn(),
    "meta": lambda: values().to("meta"),
    "fake": fake,
    "negated": lambda: torch._neg_view(values()),
    "complex": lambda: torch.complex(values(), values()),
    "conjugated": lambda: torch.complex(values(), values()).conj(),
    "negative imaginary": lambda: torch.complex(values(), values()).conj().imag,
    "zero": lambda: torch._efficientzerotensor(LENGTH),
    "wrapper": Wrapper,
    "half bytes": lambda: torch.empty(LENGTH, dtype=torch.int4),
}
RANK_0 = {"scalar": lambda: torch.tensor(3.0)}
EMPTY = {"empty": lambda: torch.empty(0), "freed": lambda: torch.empty(0).double()}


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    if i < fx.size(x):
        y[i] = x[i].to(y.element_type)


def make():
    @flyc.jit
    def copy(x: fx.Tensor, y: fx.Tensor):
        copy_kernel(x, y).launch(grid=1, block=32)

    return copy


def step(draw: random.Random, copy, seen: dict[tuple[str, str], str]) -> None:
    """One call, whose result is compared with that of torch, or whose error with that of the first such call."""
    readable = [*DENSE, *READ_ONLY, *RANK_0, *EMPTY]
    kinds = DENSE | READ_ONLY | REFUSED | RANK_0 | EMPTY
    source, target = draw.choice([*kinds, *DENSE]), draw.choice([*kinds, *DENSE, *DENSE])
    x, y = kinds[source](), kinds[target]()
    size = x.numel() if source in readable else 0
    if source in readable and target in readable and y.numel() < size:
        return
    if source == target == "fake":  # torch's own operations take them, too, and compute nothing
        return
    is_served = source in readable and target in {**DENSE, **RANK_0, **EMPTY}
    try:
        copy(x, y)
    except UnsupportedTensorError as error:
        if is_served:
            raise AssertionError(f"{source} to {target} is refused: {error}") from error
        said = str(error).partition("\n")[0]
        assert seen.setdefault((source, target), said) == said, (source, target, said)
        return
    assert is_served, f"{source} to {target} is served"
    torch.testing.assert_close(y.detach().flatten()[:size].double(), x.detach().flatten().double())


def main(seed: int, count: int) -> None:
    warnings.simplefilter("ignore")
    flyc.use_pair("cpu")
    draw, seen, copy = random.Random(seed), {}, make()
    for _ in range(count):
        if draw.random() < 0.02:
            copy = make()
        step(draw, copy, seen)
    print(len(seen), "pairs are refused")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
