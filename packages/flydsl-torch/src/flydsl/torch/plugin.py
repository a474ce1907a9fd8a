"""Plugin manifest of this distribution; torch is not imported."""

from __future__ import annotations

from flydsl.plugins import ClassNames, TensorAdaptorManifest, hookimpl

HOOKS_READ: tuple[str, ...] = ()
"""What they return is always the same."""


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """`torch.Tensor` and its subclasses."""
    return [
        TensorAdaptorManifest(
            name="torch",
            factory="flydsl.torch.adaptor:TorchAdaptor",
            api_version=4,
            claims=ClassNames("torch:Tensor"),
            words={
                "flydsl.compiler.from_torch_tensor": "flydsl.torch.arguments:from_torch_tensor",
                "flydsl.compiler.kernels_of_torch": "flydsl.torch.kernel_files:torch_kernels",
                "flydsl.compiler.calls_of_torch": "flydsl.torch.kernel_files:torch_calls",
            },
        )
    ]
