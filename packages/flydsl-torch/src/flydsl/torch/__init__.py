"""FlyDSL for PyTorch: installed, it makes `torch.Tensor` an argument of kernels; nothing needs to be imported.

`op` makes operators of kernels. `enable` lets code that is being compiled call kernels; it is called when torch is
imported, or when the first tensor is passed to a kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flydsl.torch.interception import install as enable
    from flydsl.torch.operator import Operator as Operator
    from flydsl.torch.operator import op as op

__all__ = ["Operator", "enable", "op"]

_MODULES = {"op": "operator", "Operator": "operator", "enable": "interception"}


def __getattr__(name: str) -> Any:
    """The public names, imported with torch when they are asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module = import_module(f"{__name__}.{_MODULES[name]}")
    return getattr(module, "install" if name == "enable" else name)
