"""Attention on Hopper as an operator of torch with a gradient: both passes are kernels, heads have 64 or 128 channels.

`attend(q, k, v, causal)` takes tensors (batch, head, length, channel) of bf16 and may stand in a compiled model.
Gradients are the same in each run if torch is told so: `torch.use_deterministic_algorithms(True)`.
"""

from __future__ import annotations

from typing import Any

import torch
from backward_terms import plan_of, scratch_shapes
from cuda_03_attention import attention as forward
from cuda_06_attention_backward import attention_backward

import flydsl.compiler as flyc
import flydsl.torch


def results(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Memory for what attention gives: the result, and the logarithm of each query's sum."""
    return torch.empty_like(q), q.new_empty(q.shape[:-1], dtype=torch.float32)


@flydsl.torch.op("flydsl_examples::attention", out=results)
def attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, o: torch.Tensor, lse: torch.Tensor
) -> None:
    """As `examples/cuda_03_attention.py`, of tensors (head, length, channel)."""
    forward(q, k, v, o, causal, lse, q.shape[-1])


@flydsl.torch.op(
    "flydsl_examples::attention_gradients",
    out=lambda q, k, v, o, do, lse, causal, in_order: (torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)),
)
def gradients(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, o: torch.Tensor, do: torch.Tensor, lse: torch.Tensor,
    causal: bool, in_order: bool, dq: torch.Tensor, dk: torch.Tensor, dv: torch.Tensor,
) -> None:  # fmt: skip
    """As `examples/cuda_06_attention_backward.py`, which needs memory for a while."""
    *shapes, of_turns = scratch_shapes(*q.shape)
    scratch = [torch.empty(shape, device=q.device) for shape in shapes]
    turns = torch.empty(of_turns, device=q.device, dtype=torch.int32) if in_order else None
    attention_backward(q, k, v, o, do, lse, dq, dk, dv, *scratch, turns, causal, q.shape[-1])


def save(ctx: Any, inputs: tuple[Any, ...], output: tuple[torch.Tensor, torch.Tensor]) -> None:
    *tensors, ctx.causal = inputs
    ctx.save_for_backward(*tensors, *output)
    ctx.mark_non_differentiable(output[1])


def backward(ctx: Any, do: torch.Tensor, _: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
    q, k, v, o, lse = ctx.saved_tensors
    in_order = torch.are_deterministic_algorithms_enabled()
    return *gradients(q, k, v, o, do.contiguous(), lse, ctx.causal, in_order), None


attention.register_backward(backward, setup_context=save)


def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool = False) -> torch.Tensor:
    """softmax(q k^T / sqrt(channels)) v of (batch, head, length, channel); k and v may have fewer heads."""
    plan_of(q.shape[-1])  # raises an error for heads of other sizes, which had no gradient
    o, _ = attention(*(x.flatten(0, 1) for x in (q, k, v)), causal)
    result: torch.Tensor = o.unflatten(0, q.shape[:2])
    return result


def check(batch: int, heads: int, heads_of_keys: int, length: int, depth: int, causal: bool) -> None:
    """Result and gradients of random tensors against torch's own in float64, and those of a compiled function."""
    shapes = (batch, heads, length, depth), *[(batch, heads_of_keys, length, depth)] * 2
    given = [torch.randn(shape, device="cuda", dtype=torch.bfloat16, requires_grad=True) for shape in shapes]
    do = torch.randn(shapes[0], device="cuda", dtype=torch.bfloat16)
    wide = [x.detach().double().requires_grad_() for x in given]
    own: Any = torch.nn.functional.scaled_dot_product_attention
    right = own(*wide, is_causal=causal, enable_gqa=True)
    expected = [right, *torch.autograd.grad(right, wide, do.double())]
    functions: list[Any] = [attend, torch.compile(attend, fullgraph=True, backend="aot_eager")]
    for function in functions:
        o = function(*given, causal)
        for found, one in zip([o, *torch.autograd.grad(o, given, do)], expected, strict=True):
            torch.testing.assert_close(found.double(), one, rtol=2e-2, atol=2e-2 * float(one.abs().max()))


def main() -> None:
    if not torch.cuda.is_available():
        print("this needs a GPU")
        return
    flyc.use_pair("cuda")
    for batch, heads, heads_of_keys, length, depth, causal in ((2, 4, 4, 333, 128, False), (1, 6, 2, 515, 64, True)):
        torch.use_deterministic_algorithms(causal)
        check(batch, heads, heads_of_keys, length, depth, causal)
        words = f"{heads} heads of {depth} on {heads_of_keys} of {length} tokens{', causal, in order' * causal}"
        print(f"{batch} x {words}: as by torch")


if __name__ == "__main__":
    main()
