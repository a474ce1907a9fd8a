"""NumPy arrays, described and refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from flydsl.adaptors import numpy_adaptor
from flydsl.adaptors.numpy_adaptor import NumpyAdaptor
from flydsl.base.errors import UnsupportedTensorError
from flydsl.plugins import DeviceRef, DType

ADAPTOR = NumpyAdaptor()
DTYPES = {
    "bool": (6, 8), "int8": (0, 8), "int16": (0, 16), "int32": (0, 32), "int64": (0, 64), "uint8": (1, 8),
    "uint16": (1, 16), "uint32": (1, 32), "uint64": (1, 64), "float16": (2, 16), "float32": (2, 32),
    "float64": (2, 64), "complex64": (5, 64), "complex128": (5, 128),
}  # fmt: skip


def inline(array: Any) -> tuple[Any, ...]:
    """What a generated stub reads."""
    found = ADAPTOR.inline
    assert found is not None
    names = {**found.names, "x": array}
    return tuple(
        eval(getattr(found, e).format(x="x"), names) for e in ("pointer", "shape", "strides", "signature_text")
    )


@given(hnp.arrays(st.sampled_from(["f4", "i8", "u1"]), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)), st.data())
def test_any_view_is_described_as_numpy_sees_it(array: Any, data: Any) -> None:
    if array.ndim:
        steps = [data.draw(st.sampled_from([slice(None), slice(None, None, 2), slice(1, None)])) for _ in array.shape]
        array = array[tuple(steps)].T
    desc = ADAPTOR.describe(array)
    assert desc.pointer == array.ctypes.data
    assert desc.shape == array.shape
    assert tuple(stride * array.itemsize for stride in desc.strides) == array.strides
    assert inline(array) == (desc.pointer, array.shape, array.strides, ADAPTOR.signature(array))


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes_are_dlpack_numbers(name: str) -> None:
    desc = ADAPTOR.describe(np.zeros(2, name))
    assert desc.dtype == DType(*DTYPES[name])
    assert desc.device == DeviceRef(1, 0)


def test_the_signature_tells_all_that_the_description_tells() -> None:
    base = np.zeros((4, 4), np.float32)
    frozen = base.copy()
    frozen.flags.writeable = False
    others = [base.astype(np.float64), base[:2], base.T[:, ::2], np.asfortranarray(base), frozen, base.view(np.int32)]
    assert len({ADAPTOR.signature(array) for array in [base, base.copy(), *others]}) == 1 + len(others)


@pytest.mark.parametrize(
    "array, message",
    [
        (np.ma.masked_array([1.0], mask=[True]), "pass its .data"),
        (np.zeros(2, ">f4"), r"dtype '>f4' has the other byte order: convert it with .astype\('float32'\)"),
        (np.zeros(2, "S3"), "dtype 'bytes24' cannot be passed to a kernel"),
        (np.zeros(2, [("a", "i4"), ("b", "i8")]), "cannot be passed to a kernel"),
        (np.zeros(2, object), "dtype 'object' cannot be passed to a kernel"),
        (np.zeros(2, [("a", "i1"), ("b", "<i4")])["b"], r"strides \(5,\) are not multiples of the 4 bytes"),
    ],
)
def test_what_a_kernel_cannot_read_is_refused(array: Any, message: str) -> None:
    with pytest.raises(UnsupportedTensorError, match=message):
        ADAPTOR.describe(array)


def test_a_read_only_array_can_be_read_but_not_written() -> None:
    array = np.zeros(3)
    array.flags.writeable = False
    assert ADAPTOR.describe(array).read_only
    ADAPTOR.before_launch(array, 0, written=False)
    with pytest.raises(UnsupportedTensorError, match="the array is read-only and the kernel writes it: pass a copy"):
        ADAPTOR.before_launch(array, 0, written=True)


def test_without_the_direct_way_the_public_one_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_adaptor, "_data_follows_header", lambda: False)
    slow, array = NumpyAdaptor(), np.zeros((3, 4))[1:]
    assert slow.pointer(array) == ADAPTOR.pointer(array)
    assert slow.inline is not None
    assert slow.inline.pointer == "{x}.ctypes.data"


def test_subclasses_are_read_like_their_base(tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "file", np.float32, "w+", shape=(5,))
    assert ADAPTOR.describe(mapped).pointer == mapped.ctypes.data
    assert inline(mapped)[0] == mapped.ctypes.data


@given(hnp.arrays(st.sampled_from(["f4", "i8", "u1"]), hnp.array_shapes(min_dims=0, max_dims=4, min_side=0)))
def test_the_fields_of_any_array_are_where_the_native_reader_reads_them(array: Any) -> None:
    header = ADAPTOR.native_read(np.ndarray)
    assert header is not None
    array = array.T
    array.flags.writeable = len(array.shape) % 2 == 0
    assert numpy_adaptor._shows(header, array)


def test_only_arrays_that_are_what_they_look_like_are_read_natively() -> None:
    assert ADAPTOR.native_read(np.memmap) == ADAPTOR.native_read(np.ndarray)
    for other in (np.matrix, np.ma.MaskedArray, np.recarray, np.float32, int):
        assert ADAPTOR.native_read(other) is None


def test_arrays_of_another_numpy_are_not_read_natively(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numpy_adaptor, "_shows", lambda header, array: False)
    assert numpy_adaptor._header.__wrapped__() is None
