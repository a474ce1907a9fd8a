"""What autograd records: operators, in reverse mode, and errors where a derivative would be missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar, Token
from importlib import import_module
from typing import Any

import torch
from torch.autograd import forward_ad
from torch.utils._python_dispatch import TorchDispatchMode

from flydsl.base.errors import RuntimeFailure, UnsupportedTensorError

_autograd: Any = import_module("torch._library.autograd")
_library_types: Any = import_module("torch._library.utils")
_is_grad_enabled, _is_recorded = torch.is_grad_enabled, torch._C._any_requires_grad
_below_autograd = torch._C._AutoDispatchBelowAutograd
_levels: Any = forward_ad  # whose level of now is not in its public part
NO_LEVEL = -1
"""The level of forward mode where there is none."""
_DETECTING: ContextVar[bool] = ContextVar("flydsl_torch_detecting", default=False)


def autograd_kernel(
    overload: Any,
    backward: Callable[..., Any],
    setup_context: Callable[..., Any],
    completed: Callable[[tuple[Any, ...]], tuple[Any, ...]],
) -> Callable[..., Any]:
    """What runs an operator for autograd: as torch's own kernel for custom operators, and never without a tangent.

    `completed` adds arguments that torch leaves out, those that have their default.
    """
    redispatch, later = overload.redispatch, torch._C._after_autograd_keyset

    def forward(ctx: Any, *args: Any) -> Any:
        inputs = args[:-1]
        with _below_autograd():
            result = redispatch(args[-1] & later, *inputs)
        setup_context(ctx, completed(inputs), result)
        return result

    def differentiate(ctx: Any, *gradients: Any) -> Any:
        needed = ctx.needs_input_grad
        ctx.needs_input_grad = needed[:-1]  # without the set of keys
        try:
            found = backward(ctx, *gradients)
        finally:
            ctx.needs_input_grad = needed
        return (*found, None) if isinstance(found, tuple) else (found, None)

    record = _recorded(overload, forward, differentiate).apply

    def kernel(keyset: Any, *args: Any) -> Any:
        if _levels._current_level >= 0 and has_tangent(args):
            raise RuntimeFailure(
                f"operator {overload.name()!r} has no derivative of forward mode (torch.func.jvp, jacfwd, linearize, "
                "dual tensors): use reverse mode (torch.autograd), or call it on values without a tangent"
            )
        if _is_grad_enabled() and _is_recorded(*args):
            return record(*args, keyset)
        with _below_autograd():
            return redispatch(keyset & later, *args)

    return kernel


def _recorded(overload: Any, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
    """The function of autograd for an operator, which may take lists of tensors."""
    name = f"GeneratedBackwardFor_{overload._namespace}_{overload._opname}_{overload._overloadname}"
    functions = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    function = type(name, (torch.autograd.Function,), functions)
    schema = overload._schema
    if any(_library_types.is_tensorlist_like_type(one.type) for one in (*schema.arguments, *schema.returns)):
        return _autograd.supports_tensorlist(function)
    return function


def has_tangent(values: Iterable[Any]) -> bool:
    """Whether a tensor of these, or of lists among them, is dual."""
    for value in values:
        if isinstance(value, list | tuple):
            if has_tangent(value):
                return True
        elif isinstance(value, torch.Tensor) and _levels.unpack_dual(value).tangent is not None:
            return True
    return False


def lacks_derivative(*values: Any) -> bool:
    """Whether a kernel that gets these values would drop a derivative of forward mode."""
    return bool(_levels._current_level >= 0 and has_tangent(values))


def refuse_tangent(function: Any, *_: Any) -> None:
    """The error of such a kernel."""
    raise UnsupportedTensorError(
        f"{function.__name__!r} is called with a dual tensor, and kernels have no derivative of forward mode "
        "(torch.func.jvp, jacfwd, linearize): use reverse mode, through an operator made with flydsl.torch.op"
    )


class detect_missing_gradients(TorchDispatchMode):  # type: ignore[no-untyped-call]  # noqa: N801 (as torch.no_grad)
    """A block in which a kernel that is called with a tensor that autograd records is an error: it drops the gradient.

    Each operation takes longer in it. Operators made with `flydsl.torch.op` have gradients, and pass.
    """

    _token: Token[bool]

    def __enter__(self) -> Any:
        self._token = _DETECTING.set(True)
        return super().__enter__()  # type: ignore[no-untyped-call]

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        _DETECTING.reset(self._token)

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return function(*args, **(kwargs or {}))


def check_gradients(name: str, tensors: Iterable[torch.Tensor]) -> None:
    """UnsupportedTensorError for a kernel that reads what autograd records, in a block that detects it."""
    if not _DETECTING.get():
        return
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
        raise UnsupportedTensorError(
            f"{name!r} is called with a tensor that requires a gradient, and autograd does not see what it writes: "
            "call it through an operator made with flydsl.torch.op, on tensor.detach(), or under torch.no_grad()"
        )
