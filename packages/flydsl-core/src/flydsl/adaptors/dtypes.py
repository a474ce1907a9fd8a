"""DLPack data types by the names that array libraries give their element types."""

from __future__ import annotations

from flydsl.plugins.tensor_adaptor import DType

DTYPES: dict[str, DType] = {
    **{f"int{bits}": DType(0, bits) for bits in (2, 4, 8, 16, 32, 64)},
    **{f"uint{bits}": DType(1, bits) for bits in (2, 4, 8, 16, 32, 64)},
    **{f"float{bits}": DType(2, bits) for bits in (16, 32, 64)},
    **{f"complex{bits}": DType(5, bits) for bits in (64, 128)},
    "bfloat16": DType(4, 16),
    "bool": DType(6, 8),
    "float8_e3m4": DType(7, 8),
    "float8_e4m3": DType(8, 8),
    "float8_e4m3b11fnuz": DType(9, 8),
    "float8_e4m3fn": DType(10, 8),
    "float8_e4m3fnuz": DType(11, 8),
    "float8_e5m2": DType(12, 8),
    "float8_e5m2fnuz": DType(13, 8),
    "float8_e8m0fnu": DType(14, 8),
    "float6_e2m3fn": DType(15, 6),
    "float6_e3m2fn": DType(16, 6),
    "float4_e2m1fn": DType(17, 4),
    "float4_e2m1fn_x2": DType(17, 4, 2),
}
"""DLPack's data types by the names that NumPy, ml_dtypes and the array API give them."""
