"""Capsules with fields that no tensor has: refused, whatever the field."""

from __future__ import annotations

import numpy as np
import pytest
from support.dlpack_capsules import capsule_of

from flydsl.adaptors.dlpack_capsule import read_capsule
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins import DeviceRef, DType

LARGEST = (1 << 63) - 1


def test_a_capsule_is_read_as_it_was_made() -> None:
    array = np.arange(24, dtype=np.int16).reshape(4, 6)[::2, ::-1]
    desc, is_copy = read_capsule(capsule_of(array, flags=3))
    assert (desc.pointer, desc.shape, desc.strides) == (array.ctypes.data, (2, 6), (12, -1))
    assert (desc.dtype, desc.device, desc.read_only, is_copy) == (DType(0, 16), DeviceRef(1, 0), True, True)


def test_strides_that_are_not_given_are_row_major() -> None:
    desc, _ = read_capsule(capsule_of(np.zeros((2, 3, 4)), changed={"strides": 0}))
    assert desc.strides == (12, 4, 1)
    assert read_capsule(capsule_of(np.zeros((2, 0, 4)), changed={"strides": 0}))[0].strides == (4, 4, 1)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"shape": 0}, "has its shape at 0x0"),
        ({"shape": 8}, "has its shape at 0x8"),
        ({"strides": 4095}, "has its strides at 0xfff"),
        ({"ndim": (1 << 31) - 1}, "has 2147483647 modes, expected 0 to 64"),
        ({"ndim": -1}, "has -1 modes"),
        ({"ndim": 65}, "has 65 modes"),
        ({"extent_of_mode_0": -1}, r"has a negative extent in shape \(-1, 3\)"),
        ({"data": 0}, "has no memory, its address is null"),
        ({"data": 0, "byte_offset": 64}, "has no memory, its address is null"),
        ({"byte_offset": (1 << 64) - 8}, "reaches beyond the addresses there are"),
        ({"extent_of_mode_0": LARGEST}, "reaches beyond the addresses there are"),
        ({"extent_of_mode_0": LARGEST, "stride_of_mode_0": 0}, "reaches beyond the addresses there are"),
        ({"stride_of_mode_1": LARGEST}, "reaches beyond the addresses there are"),
        ({"stride_of_mode_1": -LARGEST - 1}, "reaches beyond the addresses there are"),
        ({"bits": 0}, "has elements of 1 lanes of 0 bits"),
        ({"lanes": 0}, "has elements of 0 lanes of 64 bits"),
        ({"device_ordinal": -1}, "is on device -1"),
        ({"flags": 1 << 20}, "has flags 0x100000"),
        ({"flags": 4, "bits": 4}, "has elements of 4 bits that are padded to a byte each"),
        ({"major": 0}, "DLPack 0.0 is not supported, expected 1.x"),
        ({"major": 2}, "DLPack 2.0 is not supported, expected 1.x"),
    ],
    ids=str,
)
def test_what_no_tensor_has_is_refused(changed: dict[str, int], message: str) -> None:
    with pytest.raises(UnsupportedTensorError, match=message):
        read_capsule(capsule_of(np.zeros((2, 3)), changed=changed))


def test_no_memory_is_needed_for_no_elements() -> None:
    assert read_capsule(capsule_of(np.zeros((2, 0)), changed={"data": 0}))[0].pointer == 0
