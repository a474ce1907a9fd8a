"""Derivatives that kernels do not have: errors in forward mode, and on request where a gradient is dropped."""

from __future__ import annotations

import pytest
import torch
from support.kernels import scale
from torch.autograd import forward_ad, functional

import flydsl.torch
from flydsl.base.errors import RuntimeFailure, UnsupportedTensorError


@flydsl.torch.op("missing::scale", out=lambda x: torch.empty_like(x))
def scaled(x: torch.Tensor, y: torch.Tensor) -> None:
    scale(x, y, 3.0, x.numel())


scaled.register_backward(lambda ctx, gradient: scaled(gradient.contiguous()))


def raw(x):
    y = torch.zeros_like(x)
    scale(x, y, 3.0, x.numel())
    return y


def dual(function, x):
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(function(forward_ad.make_dual(x, torch.ones_like(x)))).tangent


def compiled(function, x):
    torch._dynamo.reset()
    return torch.compile(lambda x: torch.func.jvp(function, (x,), (x,)), backend="aot_eager")(x)


FORWARD = {
    "jvp": lambda function, x: torch.func.jvp(function, (x,), (x,)),
    "jacfwd": lambda function, x: torch.func.jacfwd(function)(x),
    "linearize": lambda function, x: torch.func.linearize(function, x)[1](x),
    "dual": dual,
    "dual without gradients": torch.no_grad()(dual),
    "vmap": lambda function, x: torch.vmap(lambda row: torch.func.jvp(function, (row,), (row,)))(x[None]),
    "jacobian": lambda function, x: functional.jacobian(function, x, strategy="forward-mode", vectorize=True),
    "compiled": compiled,
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("calls", [0, 3])
@pytest.mark.parametrize("mode", FORWARD)
@pytest.mark.parametrize("function", [raw, scaled])
def test_a_derivative_of_forward_mode_is_an_error_and_no_zero(mode, function, calls):
    x = torch.randn(6)
    for _ in range(calls):
        function(x)
    with pytest.raises((RuntimeFailure, UnsupportedTensorError, RuntimeError), match="no derivative of forward mode"):
        FORWARD[mode](function, x)
    torch.testing.assert_close(function(x), x * 3)


def test_what_has_no_tangent_passes_beside_what_has_one():
    x = torch.randn(6)
    value, tangent = torch.func.jvp(lambda v: v * scaled(x), (x,), (torch.ones(6),))
    torch.testing.assert_close((value, tangent), (x * x * 3, x * 3))
    with forward_ad.dual_level():
        made = forward_ad.make_dual(x, torch.ones(6)) * raw(x)
        torch.testing.assert_close(forward_ad.unpack_dual(made).tangent, x * 3)


def test_derivatives_of_reverse_mode_are_right():
    x = torch.randn(6)
    torch.testing.assert_close(functional.jacobian(scaled, x), torch.eye(6) * 3)
    torch.testing.assert_close(functional.jvp(scaled, x, x)[1], x * 3)


@pytest.mark.parametrize("calls", [0, 3])
def test_a_kernel_that_drops_a_gradient_is_found_on_request(calls):
    x = torch.randn(6, requires_grad=True)
    for _ in range(calls):
        raw(x)
    with flydsl.torch.detect_missing_gradients():
        for run in (lambda: raw(x), lambda: x + raw(x * 2)):
            with pytest.raises(
                UnsupportedTensorError, match="'scale' is called with a tensor that requires a gradient"
            ):
                run()
        torch.testing.assert_close(raw(x.detach()), x.detach() * 3)
        with torch.no_grad():
            raw(x)
        scaled(x).sum().backward()
    torch.testing.assert_close(x.grad, torch.full((6,), 3.0))
    torch.testing.assert_close(raw(x), x.detach() * 3)
