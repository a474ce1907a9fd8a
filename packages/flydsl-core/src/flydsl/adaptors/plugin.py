"""The core's own plugin, behind the same door as every other: adaptors for NumPy, placeholders and DLPack."""

from __future__ import annotations

from flydsl.plugins import ClassNames, TensorAdaptorManifest, hookimpl

HOOKS_READ: tuple[str, ...] = ()
"""What they return is always the same."""


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """NumPy arrays, placeholders, and below all others whatever speaks DLPack."""
    return [
        TensorAdaptorManifest(
            name="abstract",
            factory="flydsl.adaptors.abstract:AbstractAdaptor",
            claims=ClassNames("flydsl.adaptors.abstract:AbstractTensor"),
        ),
        TensorAdaptorManifest(
            name="numpy",
            factory="flydsl.adaptors.numpy_adaptor:NumpyAdaptor",
            claims=ClassNames("numpy:ndarray"),
        ),
        TensorAdaptorManifest(
            name="dlpack",
            factory="flydsl.adaptors.dlpack_adaptor:DLPackAdaptor",
            claims=_has_dlpack,
            priority=-100,
        ),
    ]


def _has_dlpack(cls: type[object]) -> bool:
    return hasattr(cls, "__dlpack__") and hasattr(cls, "__dlpack_device__")
