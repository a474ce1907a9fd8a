"""Portable calls: what they pack is what a call with real tensors packs; integration tests run them."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.adaptors.dtypes import DTYPES
from flydsl.base.errors import ArgumentError, ShapeError, UnsupportedTensorError
from flydsl.compiler import AbstractNumber, AbstractTensor
from flydsl.compiler.call.bound_call import BoundCall

F32 = DTYPES["float32"]


@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor, n: fx.Int32, f: fx.Float32):
    y[0, 0] = x[0, 0] * f + n


@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor, n: fx.Int32, f: fx.Float32 = 1.5, s: fx.Stream = None, k: fx.Constexpr[int] = 2):
    scale_kernel(x, y, n, f).launch(grid=k, block=1, stream=s)


pytestmark = pytest.mark.usefixtures("fake_device")


def packed_by_a_call(*args):
    """The bytes that the stub of an ordinary call hands to the launcher."""
    kept = []
    artifact = flyc.compile(scale, *args).artifact
    call = BoundCall.of(scale.parameters, scale._complete(args, {}), len(args))
    from flydsl.compiler.call.stub import make_site, packing

    site = make_site(call, frozenset(), pair=None, is_current=None, miss=None, check=None, fail=None)
    site.stub(*call.passed_leaves, (lambda *a: kept.append(a[-1]) or 0, 0, 0, 0, *packing(artifact.slots, call)))
    return kept[0]


def placeholder(array, shape=None):
    return AbstractTensor(array.shape if shape is None else shape, DTYPES[array.dtype.name])


@pytest.mark.parametrize("shapes", [(None, None), ((None, 7), (None, 7)), ((None, None), (5, None)), ((5, None), None)])
def test_it_packs_what_a_call_packs(shapes):
    x, y = np.zeros((5, 7), np.float32), np.zeros((5, 7), np.float32)
    portable = scale.portable(placeholder(x, shapes[0]), placeholder(y, shapes[1]), -3, f=0.25)
    found = portable.pack([x.ctypes.data, y.ctypes.data], [x.shape, y.shape])
    assert found == packed_by_a_call(x, y, -3, 0.25)
    assert portable.written == (1,)
    assert portable.alignments == (4, 4)


def test_numbers_that_are_open_are_packed_as_a_call_packs_them():
    x, y = np.zeros((5, 7), np.float32), np.zeros((5, 7), np.float32)
    addresses = [x.ctypes.data, y.ctypes.data]
    opened = scale.portable(placeholder(x), placeholder(y), AbstractNumber(), f=AbstractNumber())
    assert opened.numbers == (fx.Int32, fx.Float32)
    assert [(field.size, field.tensor) for field in opened.fields if field.what == "value"] == [(4, 0), (4, 1)]
    for numbers in ((-3, 0.25), (2**31 - 1, float("inf")), (True, -0.0)):
        assert opened.pack(addresses, numbers=numbers) == scale.portable(placeholder(x), placeholder(y), *numbers).pack(
            addresses
        )
    with pytest.raises(ArgumentError, match="does not fit in Int32"):
        opened.pack(addresses, numbers=(2**31, 0.0))
    with pytest.raises(ArgumentError, match="expected 2 numbers, found 0"):
        opened.pack(addresses)
    assert opened.key != scale.portable(placeholder(x), placeholder(y), 0, 0.0).key


def test_a_number_that_is_not_there_is_not_launched():
    x, y = np.zeros((5, 7), np.float32), np.zeros((5, 7), np.float32)
    for arguments in ((AbstractNumber(), 1.0), (1, AbstractNumber())):
        with pytest.raises(ArgumentError, match="stands for a number that is known when the code runs"):
            scale(x, y, *arguments)


def test_an_open_number_has_the_type_of_its_parameter():
    @flyc.jit
    def untyped(x: fx.Tensor, n):
        scale_kernel(x, x, n, 1.0).launch(grid=1, block=1)

    with pytest.raises(ArgumentError, match="takes a number|takes|tensor"):
        untyped.portable(placeholder(np.zeros((5, 7), np.float32)), AbstractNumber())


def test_closed_tensors_leave_their_addresses_open_only():
    x = AbstractTensor((5, 7), F32)
    portable = scale.portable(x, x, 1)
    assert [(field.tensor, field.what) for field in portable.fields] == [(0, "address"), (1, "address")]
    assert portable.pack([64, 128])[portable.fields[1].offset :][:8] == struct.pack("<Q", 128)
    assert portable.artifact == scale.portable(x, x, 2).artifact


def test_the_key_tells_apart_what_launches_differently():
    x, wide = AbstractTensor((5, 7), F32), AbstractTensor((5, 8), F32)
    keys = [scale.portable(x, y, n, k=k).key for y in (x, wide) for n in (1, 2) for k in (2, 3)]
    assert len(set(keys)) == len(keys)
    assert keys[0] == scale.portable(x, x, 1).key


def test_open_strides_follow_the_extents():
    portable = scale.portable(AbstractTensor((None, None), F32), AbstractTensor((2, 3), F32), 1)
    assert [field.what for field in portable.fields] == ["address", "shape", "shape", "stride", "address"]
    stride = portable.fields[3]
    assert struct.unpack_from("<q", portable.pack([64, 64], [(4, 9), (2, 3)]), stride.offset) == (9,)


def test_what_does_not_fit_the_code_is_refused():
    portable = scale.portable(AbstractTensor((None, 7), F32), AbstractTensor((5, 7), F32), 1)
    with pytest.raises(ArgumentError, match="tensor 1 is at 0x42, which is not a multiple of 4"):
        portable.pack([64, 66], [(5, 7), (5, 7)])
    with pytest.raises(ArgumentError, match=r"tensor 0 has shape \(5, 8\), the code is for \(None, 7\)"):
        portable.pack([64, 64], [(5, 8), (5, 7)])
    with pytest.raises(ArgumentError, match=r"2\^30 elements or 4 GiB"):
        portable.pack([64, 64], [(1 << 29, 7), (5, 7)])
    with pytest.raises(ArgumentError, match="the code is for"):
        portable.pack([64, 64])
    with pytest.raises(ArgumentError, match="expected 2 tensors, found 1"):
        portable.pack([64])


def test_what_holds_an_address_is_refused():
    x = AbstractTensor((5, 7), F32)
    with pytest.raises(ArgumentError, match=r"argument 'y' is of type ndarray: pass a flyc.AbstractTensor"):
        scale.portable(x, np.zeros((5, 7), np.float32), 1)
    with pytest.raises(ArgumentError, match="argument 's': the stream is that of the launch, pass None"):
        scale.portable(x, x, 1, s=8)
    assert scale.portable(x, x, 1, s=fx.Stream(None)).key == scale.portable(x, x, 1).key


def test_a_written_tensor_that_shares_its_elements_is_refused():
    with pytest.raises(UnsupportedTensorError, match="stride 0"):
        scale.portable(AbstractTensor((5, 7), F32), AbstractTensor((5, 7), F32, (0, 1)), 1)


def test_an_open_extent_cannot_be_part_of_the_code():
    closed = AbstractTensor((5, 7), F32)
    for argument, what in (
        (flyc.from_dlpack(AbstractTensor((None, 7), F32)), "the shape of mode 0 is open, and its layout has 1"),
        (flyc.from_dlpack(AbstractTensor((3, None), F32)).mark_shape_dynamic(), "the stride of mode 0 is open"),
    ):
        with pytest.raises(ShapeError, match=what):
            scale.portable(argument, closed, 1)
    marked = flyc.from_dlpack(closed, assumed_align=16)
    assert scale.portable(marked, marked, 1).alignments == (16, 16)


@flyc.jit
def scale_first(pair, y: fx.Tensor):
    scale_kernel(pair[0], y, 1, pair[1]).launch(grid=1, block=1)


def test_a_placeholder_is_a_leaf_of_containers():
    x, y = AbstractTensor((5, 7), F32), AbstractTensor((None, 7), F32)
    portable = scale_first.portable((x, 2.0), y)
    assert portable.tensors[0] is x
    assert portable.tensors[1] is y
    assert portable.written == (1,)
