"""The core treats operations of a plugin by the effects that they declare, and takes no declaration for the worst."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

pytestmark = pytest.mark.usefixtures("acme")


@flyc.kernel
def strikes(a: fx.Tensor, b: fx.Tensor) -> None:
    """Two equal strikes, whose dents nobody looks at."""
    force = a[0]
    fx.acme.strike(fx.get_iter(b), force)
    fx.acme.strike(fx.get_iter(b), force)


@flyc.kernel
def weighs(a: fx.Tensor, b: fx.Tensor) -> None:
    """The same weight twice, and one that nobody asks for."""
    piece = a[0]
    fx.acme.weigh(piece + 1.0)
    b[0] = fx.acme.weigh(piece) * fx.acme.weigh(piece)


@flyc.kernel
def polishes(a: fx.Tensor, b: fx.Tensor) -> None:
    """Both are polished, one of them in vain."""
    fx.acme.polish(fx.get_iter(a))
    b[0] = fx.acme.polish(fx.get_iter(b))


@flyc.kernel
def strikes_registers(a: fx.Tensor, b: fx.Tensor) -> None:
    """What a strike leaves in registers is read after it."""
    piece = fx.make_rmem_tensor(2, fx.Float32)
    piece[0] = a[0]
    fx.acme.strike(fx.get_iter(piece), a[1])
    b[0] = piece[0]


@flyc.kernel
def weighs_registers(a: fx.Tensor, b: fx.Tensor) -> None:
    """Registers beside an operation that touches none."""
    piece = fx.make_rmem_tensor(2, fx.Float32)
    piece[0] = fx.acme.weigh(a[0])
    b[0] = piece[0]


def compiled(kernel: Any) -> Any:
    def host(a: Any, b: Any) -> None:
        kernel(a, b).launch(grid=1, block=1)

    array = importlib.import_module("flydsl_acme.adaptor").AcmeArray
    return flyc.compile(flyc.jit(host), array([1.0] * 4), array([0.0] * 4), launch=False)


def code(kernel: Any) -> str:
    text: str = compiled(kernel).artifact.device.decode()
    return text


def test_operation_that_writes_is_neither_shared_nor_erased() -> None:
    assert code(strikes).count('"acme.strike"') == 2


def test_pure_operation_is_shared_and_erased_when_unused() -> None:
    assert code(weighs).count('"acme.weigh"') == 1


def test_operation_that_declares_nothing_stays() -> None:
    assert code(polishes).count('"acme.polish"') == 2


@pytest.mark.parametrize("passes", ["cse", "canonicalize", "fly-canonicalize"])
def test_each_simplifying_pass_goes_by_the_declared_effects(passes: str) -> None:
    from flydsl.ir.context import create_context
    from flydsl.ir.parse import parse_module
    from flydsl.passes.registry import run

    dialect = importlib.import_module("flydsl_acme.dialect").ACME
    names = ("strike", "polish", "weigh")
    operands = {"strike": "(%p, %x) : (!llvm.ptr, f32)", "polish": "(%p) : (!llvm.ptr)", "weigh": "(%x) : (f32)"}
    body = " ".join(f'%{n}{i} = "acme.{n}"{operands[n]} -> f32' for n in names for i in range(2))
    text = f"func.func @f(%p : !llvm.ptr, %x : f32) {{ {body} func.return }}"
    context = create_context((dialect,))
    module = parse_module(text, context)
    run(module, [passes], context=context)
    left = [op.name for op in module.walk()]
    assert [left.count(f"acme.{n}") for n in names] == [2, 2, 0]


@pytest.mark.parametrize("kernel, written", [(strikes, {1}), (weighs, {1}), (polishes, {0, 1})])
def test_an_address_given_to_an_operation_is_written_unless_it_says_otherwise(kernel: Any, written: set[int]) -> None:
    assert set(compiled(kernel).artifact.written) == written


@pytest.mark.parametrize("kernel, in_memory", [(strikes_registers, True), (weighs_registers, False)])
def test_registers_whose_address_an_operation_takes_stay_in_memory(kernel: Any, in_memory: bool) -> None:
    assert ("fly.make_ptr" in code(kernel)) == in_memory
