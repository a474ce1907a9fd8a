"""What others run for the kernels of `memory_cases.py`, and what is right: torch, torch.compile, Triton; float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from memory_cases import BINS, ROW_KERNELS, Case

EPSILON = 1e-5
Tensors = Mapping[str, torch.Tensor]
Call = Callable[[], Any]

EAGER: dict[str, Callable[[Tensors], Any]] = {
    "softmax": lambda t: torch.softmax(t["x"], -1),
    "log_softmax": lambda t: torch.log_softmax(t["x"], -1),
    "rmsnorm": lambda t: F.rms_norm(t["x"], t["x"].shape[-1:], t["weight"], EPSILON),
    "layernorm": lambda t: F.layer_norm(t["x"], t["x"].shape[-1:], t["weight"], t["bias"], EPSILON),
}


def eager(case: Case, t: Tensors) -> Call:
    """Torch itself, into the tensor that is there where it takes one."""
    if case.name in ROW_KERNELS:
        return lambda: EAGER[case.name](t)
    return {
        "copy": lambda: t["y"].copy_(t["a"]),
        "add": lambda: torch.add(t["a"], t["b"], out=t["y"]),
        "transpose": lambda: t["y"].copy_(t["x"].t()),
        "cumsum": lambda: torch.cumsum(t["x"], 0, out=t["y"]),
        "histogram": lambda: torch.histc(t["x"], BINS, 0, 1),
    }[case.name]


def compiled(case: Case, t: Tensors) -> Call | None:
    """torch.compile of the same, in its default mode."""
    functions: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: a + b,
        "copy": lambda a: a.clone(),
        "transpose": lambda x: x.t().contiguous(),
        "cumsum": lambda x: torch.cumsum(x, 0),
        "softmax": lambda x: torch.softmax(x, -1),
        "log_softmax": lambda x: torch.log_softmax(x, -1),
        "rmsnorm": lambda x, w: F.rms_norm(x, x.shape[-1:], w, EPSILON),
        "layernorm": lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, EPSILON),
    }
    names = {"add": "ab", "copy": "a", "rmsnorm": ("x", "weight"), "layernorm": ("x", "weight", "bias")}
    if case.name not in functions:
        return None
    torch._dynamo.reset()
    function = torch.compile(functions[case.name], dynamic=False)
    arguments = [t[name] for name in names.get(case.name, "x")]
    return lambda: function(*arguments)


def triton_calls(case: Case, t: Tensors) -> dict[str, Call]:
    """Triton's kernels, by the number of warps or the size of a block."""
    import memory_triton

    return memory_triton.calls(case, t)


def fill_inputs(case: Case, t: Tensors) -> None:
    """Random numbers in the inputs."""
    for name, tensor in t.items():
        if name in ("y", "words"):
            continue
        if case.name == "histogram":
            tensor.uniform_(-0.1, 1.1)
        else:
            tensor.normal_()


def poison(t: Tensors) -> None:
    """What no kernel gives, into the output."""
    t["y"].fill_(float("nan") if t["y"].is_floating_point() else -1)


def error(case: Case, t: Tensors, result: torch.Tensor) -> float:
    """The largest error of random rows, in units of what rounding to the type of the result may give."""
    if result.is_floating_point() and not bool(torch.isfinite(result).all()):
        return float("inf")
    if case.name in ROW_KERNELS:
        return _row_error(case, t, result)
    if case.name == "histogram":
        scaled = (t["x"] * BINS).floor()
        scaled[t["x"] == 1] = BINS - 1
        inside = scaled[(t["x"] >= 0) & (t["x"] <= 1)].to(torch.int64)
        return float((torch.bincount(inside, minlength=BINS) - result).abs().max())
    if case.name == "cumsum":
        exact = torch.cumsum(t["x"].double(), 0)
        return float((result - exact).abs().max() / exact.abs().max() / 2**-18)
    exact = {"copy": lambda: t["a"], "add": lambda: t["a"] + t["b"], "transpose": lambda: t["x"].t()}[case.name]()
    return 0.0 if torch.equal(exact, result) else float("inf")


def _row_error(case: Case, t: Tensors, result: torch.Tensor) -> float:
    rows = torch.randint(result.shape[0], (64,), device=result.device)
    given = {name: tensor if tensor.dim() == 1 else tensor[rows] for name, tensor in t.items()}
    exact = EAGER[case.name]({name: tensor.double() for name, tensor in given.items()})
    found, scale = result[rows].double(), exact.abs().amax(-1, keepdim=True)
    # Half a unit of bf16 for the rounding, and what single precision adds, relative to the largest of the row.
    allowed = exact.abs() * 2**-8 + scale * 2**-16
    return float(((found - exact).abs() / allowed).max())
