"""Dynamic leaves of tensor arguments have 64 bits from half of what 32 bits count on."""

from __future__ import annotations

import pytest

from flydsl.base.dlpack import DeviceKind
from flydsl.compiler.call.index_width import leaf_width
from flydsl.compiler.call.tensor import bare_layout
from flydsl.plugins.tensor_adaptor import DeviceRef, DType, TensorDesc


def described(shape: tuple[int, ...], strides: tuple[int, ...], bits: int = 8) -> TensorDesc:
    return TensorDesc(0, shape, strides, DType(0, bits), DeviceRef(DeviceKind.CPU))


@pytest.mark.parametrize(
    ("shape", "strides", "bits", "width"),
    [
        ((), (), 8, 32),
        ((32768, 32767), (32767, 1), 8, 32),
        ((32768, 32768), (32768, 1), 8, 64),
        ((32768, 32767), (32767, 1), 32, 32),
        ((32768, 32767), (32767, 1), 64, 64),  # 8 GiB
        ((2, 2), (1 << 30, 1), 8, 64),  # four elements, far from each other
        ((2, 2), (-(1 << 30), 1), 8, 64),
        ((1 << 16, 1 << 16), (0, 0), 8, 64),  # one element, 2^32 times
        ((0, 65536, 65536), (0, 65536, 1), 8, 64),
        ((0, 3), (3, 1), 8, 32),
        ((1, 3), (1 << 40, 1), 8, 32),
    ],
)
def test_the_width_of_dynamic_leaves(shape, strides, bits, width):
    assert leaf_width(described(shape, strides, bits)) == width


def test_a_bare_tensor_has_extents_of_64_bits_when_it_is_large():
    assert str(bare_layout(described((3, 5), (5, 1)))) == "(?,?):(?{i64},1)"
    assert str(bare_layout(described((1 << 16, 1 << 16), (1 << 16, 1)))) == "(?{i64},?{i64}):(?{i64},1)"
