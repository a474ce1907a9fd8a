"""A program that compiles random functions which call kernels from wherever Python may hold one: it ends with 0.

`python random_graphs.py SEED COUNT`. Each compiled function, in one graph, equals itself without torch's compiler: for
other sizes and numbers, with what holds the kernel function changed in between, and for strided and transposed tensors.
"""

from __future__ import annotations

import functools
import random
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def sum_kernel(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, f: fx.Float32, n: fx.Int32):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < n:
        out[i] = a[i] * f + b[i]


@flyc.kernel
def product_kernel(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, f: fx.Float32, n: fx.Int32):
    i = fx.block_idx.x * 32 + fx.thread_idx.x
    if i < n:
        out[i] = a[i] * b[i] - f


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, f: fx.Float32, n: fx.Int32):
    sum_kernel(a, b, out, f, n).launch(grid=(n + 31) // 32, block=32)


@flyc.jit
def multiply(a: fx.Tensor, b: fx.Tensor, out: fx.Tensor, f: fx.Float32, n: fx.Int32):
    product_kernel(a, b, out, f, n).launch(grid=(n + 31) // 32, block=32)


HELD = add
Held = tuple[Callable[..., None], Callable[[Any], None]]
"""What calls the kernel function that is held, and what makes it hold another one."""


def in_global(function: Any) -> Held:
    def replace(other: Any) -> None:
        global HELD
        HELD = other

    replace(function)
    return (lambda *args, **kwargs: HELD(*args, **kwargs)), replace


def in_closure(function: Any) -> Held:
    held = function

    def replace(other: Any) -> None:
        nonlocal held
        held = other

    return (lambda *args, **kwargs: held(*args, **kwargs)), replace


def in_attribute(holder: Any, function: Any) -> Held:
    holder.held = function
    return (lambda *args, **kwargs: holder.held(*args, **kwargs)), functools.partial(setattr, holder, "held")


def in_item(holder: Any, key: Any, function: Any) -> Held:
    holder[key] = function
    return (lambda *args, **kwargs: holder[key](*args, **kwargs)), functools.partial(holder.__setitem__, key)


def in_static_method(function: Any) -> Held:
    class Holder:
        held = staticmethod(function)

    holder = Holder()
    replace = lambda other: setattr(Holder, "held", staticmethod(other))  # noqa: E731
    return (lambda *args, **kwargs: holder.held(*args, **kwargs)), replace


def in_default(function: Any) -> Held:
    def call(*args: Any, held: Any = function, **kwargs: Any) -> None:
        held(*args, **kwargs)

    return call, lambda other: call.__kwdefaults__.update(held=other)


class Plain:
    """An object of a class without slots."""


HOLDERS: dict[str, Callable[[Any], Held]] = {
    "global": in_global,
    "closure": in_closure,
    "namespace": lambda function: in_attribute(types.SimpleNamespace(), function),
    "module": lambda function: in_attribute(types.ModuleType("holder"), function),
    "instance": lambda function: in_attribute(Plain(), function),
    "torch module": lambda function: in_attribute(torch.nn.Linear(1, 1), function),
    "class": lambda function: in_attribute(type("Holder", (), {}), function),
    "list": lambda function: in_item([None, None], 1, function),
    "dictionary": lambda function: in_item({}, "held", function),
    "static method": in_static_method,
    "default": in_default,
}


def make_model(draw: random.Random, call: Callable[..., None]) -> Callable[..., torch.Tensor]:
    """A function of some kernel calls with torch operations between."""
    steps = [
        (draw.choice(("positions", "keywords", "views")), draw.choice((0.5, -2, 3.0)))
        for _ in range(draw.randint(1, 3))
    ]

    def model(a: torch.Tensor, b: torch.Tensor, f: float) -> torch.Tensor:
        n = a.shape[0]
        for kind, factor in steps:
            if kind == "positions":
                out = torch.empty_like(b)
                call(a, b, out, factor, n)
            elif kind == "keywords":
                out = torch.zeros_like(b)
                call(a + 1, b=b, n=n, f=f, out=out)
            else:
                both = torch.zeros(n, 2)
                call(a, b.sin(), both[:, 1], factor, n)
                out = both.sum(1)
            a, b = b, out * 0.5
        return a + b

    return model


def inputs(draw: random.Random, kind: str) -> tuple[torch.Tensor, torch.Tensor, float]:
    n = draw.randint(2, 90)
    both = torch.randn(2, 2 * n)
    a = {"plain": both[0, :n], "strided": both[0, ::2], "column": both.t().contiguous().t()[0, :n]}[kind]
    return a.clone() if kind == "plain" else a, both[1, :n].clone(), draw.choice((0.25, 1.5, -3.0))


def program(draw: random.Random) -> None:
    """One function, compiled once, and some calls of it."""
    torch._dynamo.reset()
    name, kind = draw.choice(list(HOLDERS)), draw.choice(("plain", "strided", "column"))
    first, second = draw.sample((add, multiply), 2)
    call, replace = HOLDERS[name](first)
    model = make_model(draw, call)
    dynamic, backend = draw.choice((None, True, False)), draw.choice(("eager", "aot_eager"))
    compiled = torch.compile(model, fullgraph=True, dynamic=dynamic, backend=backend)
    for function in (first, second, first):
        replace(function)
        for _ in range(draw.randint(1, 2)):
            values = inputs(draw, kind)
            torch.testing.assert_close(compiled(*values), model(*values), msg=lambda text: f"{name}, {kind}: {text}")


def main(seed: int, count: int) -> None:
    warnings.simplefilter("ignore")
    flyc.use_pair("cpu")
    torch.manual_seed(seed)
    for number in range(count):
        try:
            program(random.Random(f"{seed} {number}"))
        except Exception as error:
            raise AssertionError(f"program {number} of seed {seed}") from error
    print(count, "programs are right")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
