"""Plugin manifest of this distribution; torch is not imported."""

from __future__ import annotations

from flydsl.plugins import TensorAdaptorManifest, hookimpl


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """`torch.Tensor` and its subclasses."""
    return [
        TensorAdaptorManifest(
            name="torch",
            factory="flydsl.torch.adaptor:TorchAdaptor",
            claims=_is_torch_tensor,
            words={"flydsl.compiler.from_torch_tensor": "flydsl.torch.arguments:from_torch_tensor"},
        )
    ]


def _is_torch_tensor(cls: type[object]) -> bool:
    return any(base.__module__ == "torch" and base.__name__ == "Tensor" for base in cls.__mro__)
