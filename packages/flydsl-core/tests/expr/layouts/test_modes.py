"""Modes of layouts and tuples: sizes, parts, coordinates and indices."""

from __future__ import annotations

import pytest

import flydsl.expr as fx


@pytest.fixture
def layout(emitted):
    return lambda function: emitted(lambda: function(fx.make_layout((4, (2, 3)), (6, (3, 1))))).result


def text(value):
    return str(value.payload).replace(" ", "")


def test_rank_and_depth_are_numbers_of_python(layout):
    assert layout(lambda a: (fx.rank(a), fx.depth(a))) == (2, 2)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda a: fx.size(a), "24"),
        (lambda a: fx.cosize(a), "24"),
        (lambda a: fx.get_shape(a), "(4,(2,3))"),
        (lambda a: fx.get_stride(a), "(6,(3,1))"),
        (lambda a: fx.get_(a, 1), "(2,3):(3,1)"),
        (lambda a: fx.get_(a, [1, 0]), "2:3"),
        (lambda a: fx.take(a, 0, 1), "4:6"),
        (lambda a: fx.select(a, [1, 0]), "((2,3),4):((3,1),6)"),
        (lambda a: fx.group(a, 0, 2), "((4,(2,3))):((6,(3,1)))"),
        (lambda a: fx.append(a, fx.make_layout(5, 24)), "(4,(2,3),5):(6,(3,1),24)"),
        (lambda a: fx.prepend(a, fx.make_layout(5, 24)), "(5,4,(2,3)):(24,6,(3,1))"),
        (lambda a: fx.slice(a, (None, 0)), "4:6"),
        (lambda a: fx.dice(a, (None, 0)), "(2,3):(3,1)"),
    ],
)
def test_parts_of_a_layout(layout, function, expected):
    assert text(layout(function)) == expected


def test_indices_and_coordinates_of_run_time_are_each_others_inverse(computed):
    def there_and_back(i, j, k):
        layout = fx.make_layout((4, (2, 3)), (6, (3, 1)))
        index = fx.crd2idx((i, (j, k)), layout)
        return fx.get_scalar(index), *fx.get_leaves(fx.idx2crd(index, layout))

    call = computed(there_and_back, fx.Int32, fx.Int32, fx.Int32)
    for i in range(4):
        for j in range(2):
            for k in range(3):
                assert call(i, j, k) == [6 * i + 3 * j + k, i, j, k]


def test_coordinates_are_compared_mode_by_mode(computed):
    call = computed(lambda i, j: fx.elem_less((i, j), (4, 3)), fx.Int32, fx.Int32)
    assert [call(3, 2), call(4, 2), call(3, 3)] == [True, False, False]
    equal = computed(lambda i: fx.equal((i, 1), (2, 1)), fx.Int32)
    assert [equal(2), equal(1)] == [True, False]


def test_a_coordinate_with_a_free_mode():
    assert fx.has_none((1, (None, 2)))
    assert not fx.has_none((1, (0, 2)))
