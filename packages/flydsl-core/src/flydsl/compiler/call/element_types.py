"""The numeric types of tensor elements, by their DLPack data types."""

from __future__ import annotations

from flydsl.adaptors.dtypes import DTYPES
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins.tensor_adaptor import DType

_ELEMENTS: dict[DType, str] = {
    **{DTYPES[f"{kind}{bits}"]: f"{kind.capitalize()}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)},
    **{DTYPES[f"float{bits}"]: f"Float{bits}" for bits in (16, 32, 64)},
    DTYPES["bfloat16"]: "BFloat16",
    DTYPES["bool"]: "Boolean",
    **{
        DTYPES[f"float8_{form}"]: f"Float8{form.upper()}"
        for form in ("e4m3", "e4m3b11fnuz", "e4m3fn", "e4m3fnuz", "e5m2", "e5m2fnuz", "e8m0fnu")
    },
}


def element_name(dtype: DType) -> str:
    """The numeric type of a DLPack dtype."""
    name = _ELEMENTS.get(dtype)
    if name is None:
        raise UnsupportedTensorError(
            f"dtype with DLPack code {dtype.code}, {dtype.bits} bits and {dtype.lanes} lanes is not supported; "
            f"supported: {', '.join(sorted(set(_ELEMENTS.values())))}"
        )
    return name
