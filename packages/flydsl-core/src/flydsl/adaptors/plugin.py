"""The core's own plugin, behind the same door as every other: adaptors for NumPy, placeholders and DLPack."""

from __future__ import annotations

from flydsl.plugins import TensorAdaptorManifest, hookimpl


@hookimpl
def flydsl_tensor_adaptors() -> list[TensorAdaptorManifest]:
    """NumPy arrays, placeholders, and below all others whatever speaks DLPack."""
    return [
        TensorAdaptorManifest(
            name="abstract",
            factory="flydsl.adaptors.abstract:AbstractAdaptor",
            claims=_is_abstract,
        ),
        TensorAdaptorManifest(
            name="numpy",
            factory="flydsl.adaptors.numpy_adaptor:NumpyAdaptor",
            claims=_is_numpy_array,
        ),
        TensorAdaptorManifest(
            name="dlpack",
            factory="flydsl.adaptors.dlpack_adaptor:DLPackAdaptor",
            claims=_has_dlpack,
            priority=-100,
        ),
    ]


def _is_abstract(cls: type[object]) -> bool:
    return cls.__module__ == "flydsl.adaptors.abstract" and cls.__name__ == "AbstractTensor"


def _is_numpy_array(cls: type[object]) -> bool:
    return any(base.__module__ == "numpy" and base.__name__ == "ndarray" for base in cls.__mro__)


def _has_dlpack(cls: type[object]) -> bool:
    return hasattr(cls, "__dlpack__") and hasattr(cls, "__dlpack_device__")
