"""Typed memory: arrays, aligned types and records in shared memory, their elements and fields."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.memory.storage import AlignType, ArrayType, Storage, check_alignment, pointer_to, type_name


@fx.struct
class Item:
    count: fx.Int8
    values: fx.Array[fx.Float32, 3]


@pytest.fixture
def at(emitted):
    """`at(kind, use)` traces what is done with memory of a type, at a pointer aligned to 16 bytes."""

    def trace(kind, use):
        def run():
            layout = fx.make_layout(256, 1)
            pointer = fx.recast_iter(fx.Int8, fx.get_iter(fx.make_rmem_tensor(layout, fx.Float64)))
            return use(Storage(pointer, kind))

        return emitted(run)

    return trace


def test_types_of_arrays_and_alignments_have_sizes():
    array = fx.Array[fx.Float32, 5]
    assert array == ArrayType(fx.Float32, 5)
    assert (array.__dsl_size_of__(), array.__dsl_align_of__(), repr(array)) == (20, 4, "Array[Float32, 5]")
    assert fx.Array[fx.Int4, 5].__dsl_size_of__() == 3
    assert fx.Array[fx.Boolean, 5].__dsl_size_of__() == 5
    aligned = fx.Align[array, 16]
    assert aligned == AlignType(array, 16)
    assert (aligned.__dsl_size_of__(), aligned.__dsl_align_of__()) == (20, 16)
    assert type_name(aligned) == repr(aligned) == "Align[Array[Float32, 5], 16]"
    assert fx.Align[fx.Float64, 2].__dsl_align_of__() == 8
    assert fx.Array[fx.Float32, fx.Int32(5)] == array


@pytest.mark.parametrize(
    ("form", "parameters", "message"),
    [
        (fx.Array, fx.Int32, r"an array is written fx\.Array\[T, n\] or fx\.Array\[T, n, align\], found"),
        (fx.Array, (fx.Int32, 0), "an array has a positive number of elements, found 0"),
        (fx.Array, (fx.Int32, True), "an array has a positive number of elements, found True"),
        (fx.Array, (int, 4), r"an array holds a storable type such as fx\.Float32, found <class 'int'>"),
        (fx.Align, fx.Int32, r"an alignment is written fx\.Align\[T, n\], found fx\.Align"),
        (fx.Align, (fx.Int32, 12), "an alignment is a power of two in bytes, found 12"),
        (fx.Align, (int, 4), "an alignment is that of a storable type, found <class 'int'>"),
    ],
)
def test_wrong_parameters_are_refused_with_the_line(form, parameters, message):
    with pytest.raises(FrontendError, match=message) as caught:
        form[parameters]
    assert caught.value.location.file == __file__


@pytest.mark.parametrize("align", [1, 2, 64])
def test_alignments_are_powers_of_two(align):
    check_alignment(align)
    for wrong in (align + 2 if align == 1 else align * 3, -align, 0, float(align)):
        with pytest.raises(FrontendError, match="power of two"):
            check_alignment(wrong)


def test_fields_and_elements_are_at_their_offsets(at):
    def use(item):
        element = item.values._element(2)
        return item.ptr, item.count.ptr, item.values.ptr, element, item.values.dtype

    _, count, values, element, kind = at(Item, use).result
    assert (count.dtype, values.dtype, element.ptr.dtype) == (fx.Int8, fx.Float32, fx.Float32)
    assert kind == fx.Array[fx.Float32, 3]
    assert repr(element) == "Storage(Float32)"
    assert (values.alignment, element.ptr.alignment) == (4, 4)


def test_what_is_no_field_or_element_is_refused(at):
    def use(item):
        with pytest.raises(AttributeError, match=r"Storage\(Item\) has no field 'size'; fields: count, values"):
            _ = item.size
        with pytest.raises(AttributeError, match="has no field 'x'; use peek and poke"):
            item.count.x = 3
        with pytest.raises(FrontendError, match=r"Storage\(Item\) is not an array and has no elements; use its fields"):
            item[0]
        for index in (3, -1):
            with pytest.raises(
                FrontendError, match=rf"index {index} is out of range for Storage\(Array\[Float32, 3\]\)"
            ):
                item.values[index]
        with pytest.raises(FrontendError, match=r"has one index, found \(0, 1\); \.view\(layout\) returns a tensor"):
            item.values[0, 1]
        with pytest.raises(FrontendError, match=r"is an integer, found Float32\(1.0\)"):
            item.values[1.0]
        assert len(item.values) == 3

    at(Item, use)


def test_memory_is_not_a_number(at):
    def use(array):
        with pytest.raises(FrontendError, match="memory, not a number; take a field or an element"):
            array + 1
        with pytest.raises(FrontendError, match=r"memory, not a number; read it with \.peek\(\)"):
            bool(array._element(0))

    at(fx.Array[fx.Float32, 4], use)


def test_storage_is_at_an_aligned_pointer(at):
    with pytest.raises(FrontendError, match=r"storage is at a pointer, found 3; fx.get_iter\(tensor\) returns"):
        Storage(3, fx.Int32)

    def use(storage):
        with pytest.raises(
            FrontendError, match="Float32 needs an address that is a multiple of 4 bytes, found .* to 2$"
        ):
            pointer_to(fx.Float32, storage.ptr, 2)
        assert pointer_to(fx.Float32, storage.ptr, 4).dtype is fx.Float32
        assert pointer_to(Item, storage.ptr, 4).dtype is fx.Int8

    at(fx.Array[fx.Int8, 16], use)


def test_views_stay_inside(at):
    def use(array):
        assert array.view((2, 3)).dtype is fx.Float32
        message = r"reaches element 6, and Storage\(Array\[Float32, 6\]\) has 6; allocate more"
        with pytest.raises(FrontendError, match=message):
            array.view(fx.make_layout((2, 3), (2, 2)))

    at(fx.Array[fx.Float32, 6], use)


def test_arrays_are_written_from_as_many_elements(at):
    def use(array):
        for value, found in ((3, "3"), ([1.0, 2.0], "2")):
            with pytest.raises(FrontendError, match=rf"Array\[Float32, 3\] is written from 3 elements, found {found}"):
                array.poke(value)

    at(fx.Array[fx.Float32, 3], use)


@flyc.kernel
def through_records(x: fx.Tensor, y: fx.Tensor):
    items = fx.SharedAllocator().allocate(fx.Array[Item, 4])
    i = fx.thread_idx.x
    item = items[i]
    item.count = i + 1
    item.values.poke([x[i], 2.0 * x[i], 3.0 * x[i]])
    fx.gpu.barrier()
    other = items[3 - i]
    total = fx.Float32(0)
    for value in other.values:
        total = total + value
    y[i] = total * fx.Float32(other.count.peek())


def test_records_of_one_thread_are_read_by_another(rng):
    x = rng.integers(-9, 10, 4).astype(np.float32)
    y = np.zeros(4, np.float32)
    launch(through_records, x, y, block=4)
    np.testing.assert_array_equal(y, (6 * x * [1, 2, 3, 4])[::-1])
