"""Idioms of kernels written elsewhere, one a test: what they rely on, with the numbers that come out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

pytestmark = pytest.mark.filterwarnings("ignore::flydsl.base.errors.UnwatchedValueWarning")  # pytest rewrites asserts


def traced(body: Any, *arguments: Any) -> Any:
    """What `body` gives for tensors of these arrays, inside of a kernel of one thread that runs."""
    found = []

    @flyc.kernel
    def kernel(tensors: tuple[fx.Tensor, ...]):
        found.append(body(*tensors))

    @flyc.jit
    def run(tensors: tuple[fx.Tensor, ...]):
        kernel(tensors).launch(grid=1, block=1)

    run(arguments)
    return found[0]


@pytest.fixture
def matrix() -> np.ndarray:
    return np.arange(24, dtype=np.float32).reshape(4, 6)


def test_int_tuples_unpack_to_nested_python_values(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        assert fx.make_layout(8, 1).shape.unpack() == 8
        assert fx.make_layout(((2, 2), 4), ((1, 2), 4)).shape.unpack() == ((2, 2), 4)
        assert x.stride.unpack()[1] == 1
        assert isinstance(x.stride.unpack()[0], fx.Int64)
        rows, columns = x.shape.to_py_value()
        assert isinstance(rows, fx.Int32)
        assert fx.make_identity_layout((4, 8)).stride.unpack() == (fx.E(0), fx.E(1))
        x[0, 0], x[0, 1] = rows, columns

    traced(body, matrix)
    assert matrix[0, :2].tolist() == [4, 6]


def test_a_coordinate_with_none_slices_a_layout(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        row = fx.make_layout((4, 6), (6, 1))(2, None)
        assert (row.shape.unpack(), row.stride.unpack()) == (6, 1)
        x[0, 0] = x.layout(2, None)(3)

    traced(body, matrix)
    assert matrix[0, 0] == 3


def test_coordinate_tensors_load_as_vectors_of_indices(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        coordinates = fx.make_view(fx.make_int_tuple(5), fx.make_layout(4, 3))
        vector = coordinates.load()
        assert (vector.dtype, vector.shape) == (fx.Int32, (4,))
        x[0, 0] = vector.reduce("add")

    traced(body, matrix)
    assert matrix[0, 0] == 5 + 8 + 11 + 14


def test_types_are_given_by_their_ir_types_too(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        fragment = fx.make_fragment_like(fx.make_rmem_tensor(4, fx.Float32), fx.Float16.ir_type)
        assert fragment.dtype is fx.Float16
        assert fx.make_rmem_tensor(4, fx.Float16.ir_type).dtype is fx.Float16
        narrow = x[1, 0].truncf(fx.Float16.ir_type)
        assert narrow.dtype is fx.Float16
        bits = x[1, 1].bitcast(fx.Int32.ir_type)
        assert bits.dtype is fx.Int32
        wide = fx.Vector.filled(2, 1.5, fx.Float16).extf(fx.Float32.ir_type)
        x[0, 0], x[0, 1], x[0, 2] = narrow.extf(fx.Float32), bits.bitcast(fx.Float32), wide[1]
        for wrong in ("f16", 16, None, fx.Tensor):
            with pytest.raises(FrontendError, match="a numeric type such as fx.Float16 is needed, found"):
                fx.make_rmem_tensor(4, wrong)
        with pytest.raises(FrontendError, match="extf of .* needs a wider float type, found Float16"):
            x[0, 0].extf(fx.Float16)

    traced(body, matrix)
    assert matrix[0, :3].tolist() == [6, 7, 1.5]


def test_values_tell_their_ir_types(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        pointer = fx.PointerType(fx.get_iter(x).type)
        assert (pointer.element_type, pointer.alignment) == (fx.Float32.ir_type, 4)
        assert pointer.address_space == x.memspace
        assert x.type.element_type == fx.Float32.ir_type
        assert fx.Vector.filled(4, 0, fx.Int8).type == fx.Vector.make_type(4, fx.Int8)

    traced(body, matrix)


def test_a_condition_of_any_type_selects_by_its_truth(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        x[0, 0] = fx.Int32(x[0, 1]).select(fx.Float32(10.0), fx.Float32(20.0))
        x[0, 1] = x[0, 0].select(1, 2.5)
        lanes = fx.Vector.from_elements([x[1, 0], x[1, 0] - 6, x[1, 1]]).select(fx.Int32(1), fx.Int32(2))
        assert (lanes.dtype, lanes.shape) == (fx.Int32, (3,))
        x[0, 2], x[0, 3], x[0, 4] = lanes[0], lanes[1], lanes[2]
        static = fx.Boolean(True).select(fx.Int32(3), fx.Float32(2.0))
        assert (static.dtype, static.value) == (fx.Float32, 3.0)
        with pytest.raises(ValueError, match="vectors of one shape"):
            fx.Vector.filled(3, 1, fx.Int32).select(fx.Vector.filled(2, 1, fx.Int32), 0)

    traced(body, matrix)
    assert matrix[0, :5].tolist() == [10, 1, 1, 2, 1]


def test_divmod_is_both_operators(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        i = fx.Int32(x[1, 1])  # 7
        x[0, 0], x[0, 1] = divmod(i, 3)
        x[0, 2], x[0, 3] = divmod(17, i)
        quotients, rests = divmod(fx.Vector.filled(2, 9, fx.Int32), 4)
        assert quotients.signed
        assert not fx.Vector.filled(2, 1, fx.Uint32).signed
        x[0, 4], x[0, 5] = quotients[0], rests[1]

    traced(body, matrix)
    assert matrix[0].tolist() == [2, 1, 2, 3, 2, 1]


def test_errors_are_those_of_python(matrix: np.ndarray) -> None:
    def body(x: fx.Tensor) -> None:
        with pytest.raises(IndexError, match="the mode must be one of the 2 modes"):
            x.shape[2]
        with pytest.raises(ValueError, match="'sum' is not a reduction"):
            fx.Vector.filled(2, 1, fx.Int32).reduce("sum")
        with pytest.raises(TypeError, match="abs needs a number"):
            abs(x[0, 0] < 1)
        with pytest.raises(TypeError, match="at an integer"):
            fx.Vector.filled(2, 1, fx.Int32)["x"]
        with pytest.raises(RuntimeError, match=r"int\(\) needs a value known while tracing"):
            int(x[0, 0])

    traced(body, matrix)


def test_a_state_of_one_value_ends_as_that_value(matrix: np.ndarray) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        for _, state in range(0, 4, 1, init=[fx.Float32(0.0)]):
            one = yield [state[0] + 2.0]
        for _, state in range(0, 4, 1, init=[fx.Float32(0.0), fx.Float32(1.0)]):
            two = yield [state[0] + 1.0, state[1] * 2.0]
        x[0, 0], x[0, 1], x[0, 2] = one, two[0], two[1]

    @flyc.jit
    def run(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    run(matrix)
    assert matrix[0, :3].tolist() == [8, 4, 16]


def test_classes_are_defined_while_tracing(matrix: np.ndarray) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        class Tile:
            rows = 3

            def area(self, columns):
                if columns > 2:
                    return self.rows * columns
                return 0

        @fx.struct
        class Pair:
            a: fx.Float32
            b: fx.Float32

        pair = Pair(Tile().area(5), x[1, 0])
        if x[0, 1] > 0:
            pair = pair.replace(b=pair.b + 1.0)
        x[0, 0], x[0, 1] = pair.a, pair.b

    @flyc.jit
    def run(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    run(matrix)
    assert matrix[0, :2].tolist() == [15, 7]


def test_dicts_are_joined_by_their_keys(matrix: np.ndarray) -> None:
    @flyc.kernel
    def kernel(x: fx.Tensor):
        d = {"a": fx.Float32(1.0), "b": {"c": fx.Float32(2.0), "d": fx.Float32(3.0)}}
        if x[0, 1] > 0:
            d = {"b": {"d": fx.Float32(30.0), "c": fx.Float32(20.0)}, "a": fx.Float32(10.0)}
        x[0, 0], x[0, 1], x[0, 2] = d["a"], d["b"]["c"], d["b"]["d"]

    @flyc.jit
    def run(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    run(matrix)
    assert matrix[0, :3].tolist() == [10, 20, 30]


@fx.struct
class Tile:
    rows: fx.Constexpr[int]
    scale: fx.Float32


@flyc.kernel
def scale_rows(x: fx.Tensor, tile: Tile):
    for i in fx.range_constexpr(tile.rows):
        x[0, i] = tile.scale
    if x[1, 0] > 0:
        tile = tile.replace(scale=tile.scale + 1.0)
    for _ in range(fx.Int32(x[0, 5])):
        tile = tile.replace(scale=tile.scale * 2.0)
    x[0, 5] = tile.scale


@flyc.jit
def run_tile(x: fx.Tensor, tile: Tile):
    scale_rows(x, tile).launch(grid=1, block=1)


def test_constexpr_fields_of_structs_are_part_of_their_type(matrix: np.ndarray) -> None:
    for rows in (2, 4, 2):
        x = matrix.copy()
        run_tile(x, Tile(rows, 7.0))
        assert x[0].tolist() == [*[7.0] * rows, *matrix[0, rows:5], 8 * 2.0**5]

    @flyc.kernel
    def kernel(x: fx.Tensor):
        tile = Tile(2, x[0, 0])
        if x[1, 0] > 0:
            tile = Tile(3, x[0, 0])
        x[0, 0] = tile.scale

    @flyc.jit
    def run(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match="variable 'tile' has .* on one path"):
        run(matrix)


def test_arrays_of_structs_have_a_least_alignment() -> None:
    @fx.struct
    class Storage:
        flag: fx.Int8
        data: fx.Array[fx.Float16, 8, 16]

    assert (Storage.__dsl_align_of__(), Storage.__dsl_size_of__()) == (16, 32)
    with pytest.raises(FrontendError, match="a power of two in bytes, found 12"):
        fx.Array[fx.Float16, 8, 12]


def test_the_value_of_a_stream_is_what_was_given(matrix: np.ndarray) -> None:
    found = []

    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0, 0] = 5.0

    @flyc.jit
    def run(x: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
        found.append(stream.value)
        kernel(x).launch(grid=1, block=1, stream=stream.value)

    class Foreign:
        cuda_stream = 0

    assert (fx.Stream(None).value, fx.Stream(5).value) == (None, 5)
    run(matrix)
    run(matrix, Foreign())
    assert matrix[0, 0] == 5
    assert all(token is not None and not isinstance(token, int) for token in found)
    assert fx.Stream(Foreign()).handle == 0


@pytest.mark.parametrize(
    ("size", "error"),
    [([1.5], TypeError), ("64", TypeError), ([0], ValueError), ([-1, 2], ValueError), ([1] * 4, ValueError)],
)
def test_a_known_block_size_is_checked_where_it_is_given(size: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="known_block_size takes"):
        flyc.kernel(known_block_size=size)(lambda x: None)
