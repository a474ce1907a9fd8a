"""FlyDSL for PyTorch: installed, it makes `torch.Tensor` an argument of kernels; nothing needs to be imported.

`op` makes operators of kernels, and `detect_missing_gradients` finds kernels that should be one. `enable` lets code
that is being compiled call kernels: when torch is imported, or when the first tensor is passed to a kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.errors import LibraryMissingError

if TYPE_CHECKING:
    from flydsl.torch.interception import install as enable
    from flydsl.torch.operator import Operator as Operator
    from flydsl.torch.operator import op as op
    from flydsl.torch.recording import detect_missing_gradients as detect_missing_gradients

__all__ = ["Operator", "detect_missing_gradients", "enable", "op"]

_MODULES = {
    "op": "operator",
    "Operator": "operator",
    "enable": "interception",
    "detect_missing_gradients": "recording",
}


def __getattr__(name: str) -> Any:
    """The public names, imported with torch when they are asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    try:
        import_module(f"{__name__}.earlier_torch").check_version()
        module = import_module(f"{__name__}.{_MODULES[name]}")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise LibraryMissingError(
            f"flydsl.torch.{name} needs PyTorch, which is not installed: pip install torch"
        ) from None
    return getattr(module, "install" if name == "enable" else name)
