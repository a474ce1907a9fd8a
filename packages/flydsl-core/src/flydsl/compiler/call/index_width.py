"""The width of the dynamic leaves of tensor arguments: the promise that `flydsl.layout.width` relies on."""

from __future__ import annotations

from flydsl.plugins.tensor_adaptor import TensorDesc

_ELEMENTS = 1 << 30
_BYTES = 1 << 32


def leaf_width(desc: TensorDesc) -> int:
    """32 for a tensor of less than 2^30 elements that lie within less than 4 GiB and 2^30 elements, else 64.

    4 GiB is what 32-bit byte offsets reach, such as those of buffer instructions. Empty modes count as 1: the sizes of
    the others are numbers as well.
    """
    count = span = 1
    for extent, stride in zip(desc.shape, desc.strides, strict=True):
        count *= extent or 1
        span += (extent - 1) * abs(stride) if extent else 0
    span = max(span, count)
    return 64 if span >= _ELEMENTS or span * desc.dtype.bits >= 8 * _BYTES else 32
