"""What a user can get wrong around a kernel: host code, launches, loops, scalars and indices that cannot be."""

from __future__ import annotations

import traceback

import numpy as np
import pytest
from support.carets import assert_points_at

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, FrontendError


def floats(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def launch(kernel, *arguments):
    """Trace `kernel` on one float vector of static shape."""

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x, *arguments).launch(grid=1, block=32)

    host(flyc.from_dlpack(floats(32)))


@flyc.kernel
def nothing(x: fx.Tensor):
    x[0] = 1.0


@flyc.jit
def loads_element(x: fx.Tensor):
    x[0] = x[0] + 1.0
    nothing(x).launch(grid=1, block=1)


@flyc.jit
def stores_element(x: fx.Tensor):
    x[0] = 2.0
    nothing(x).launch(grid=1, block=1)


@flyc.jit
def stores_vector(x: fx.Tensor):
    x.store(fx.full(32, 1.0, fx.Float32))
    nothing(x).launch(grid=1, block=1)


@flyc.jit
def loads_vector(x: fx.Tensor):
    x.load()
    nothing(x).launch(grid=1, block=1)


@flyc.jit
def copies(x: fx.Tensor):
    fx.copy(fx.make_copy_atom(fx.UniversalCopy32b(), fx.Float32), x, x)
    nothing(x).launch(grid=1, block=1)


@flyc.jit
def adds_atomically(x: fx.Tensor):
    fx.atomic_add(fx.get_iter(x), 1.0)
    nothing(x).launch(grid=1, block=1)


@flyc.jit
def reads_a_thread(x: fx.Tensor):
    n = fx.thread_idx.x + 1
    nothing(x).launch(grid=n, block=1)


@pytest.mark.parametrize(
    ("host", "code"),
    [
        (loads_element, "x[0] + 1.0"),
        (stores_element, "x[0] = 2.0"),
        (stores_vector, "x.store("),
        (loads_vector, "x.load()"),
        (copies, "fx.copy("),
        (adds_atomically, "fx.atomic_add("),
        (reads_a_thread, "fx.thread_idx.x + 1"),
    ],
)
def test_work_of_a_kernel_in_host_code_is_refused_at_its_line(host, code):
    with pytest.raises(FrontendError, match="exists only inside a kernel, and this is host code") as error:
        host(flyc.from_dlpack(floats(32)))
    assert_points_at(error, __file__, code)


def test_layout_algebra_on_the_host_is_allowed():
    @flyc.jit
    def host(x: fx.Tensor):
        coordinates = fx.make_view(fx.make_coord(0), fx.make_layout(8, fx.E(0)))
        tiles = fx.zipped_divide(x, fx.make_layout(4, 1))
        grid = fx.get_scalar(fx.size(tiles.shape[1])) + fx.get_scalar(coordinates[3][0])
        nothing(fx.slice(tiles, (None, 0))).launch(grid=grid, block=1)

    x = floats(32)
    host(x)
    assert x[0] == 1.0


@flyc.jit
def calls_only(x: fx.Tensor):
    nothing(x)


@flyc.jit
def launches_one_of_two(x: fx.Tensor):
    nothing(x).launch(grid=1, block=1)
    nothing(x)  # forgotten


@flyc.jit
def launches_none(x: fx.Tensor):
    x.shape[0] + 1


def test_a_kernel_that_is_called_and_not_launched_is_named():
    with pytest.raises(FrontendError, match="kernel 'nothing' is called and never launched; add .launch") as error:
        calls_only(floats(4))
    assert_points_at(error, __file__, "nothing(x)")
    with pytest.raises(FrontendError, match="never launched") as error:
        launches_one_of_two(floats(4))
    assert_points_at(error, __file__, "nothing(x)  # forgotten")


def test_a_jit_function_that_launches_nothing_does_nothing():
    x = floats(4)
    before = x.copy()
    for _ in range(2):
        launches_none(x)
    np.testing.assert_array_equal(x, before)


def test_a_loop_of_static_bounds_may_be_left_under_a_static_condition():
    @flyc.kernel
    def some(x: fx.Tensor):
        for i in range(1, 10, 2):
            if i > 4:
                break
            x[i] = 1.0

    x = floats(10)

    @flyc.jit
    def host(x: fx.Tensor):
        some(x).launch(grid=1, block=1)

    host(x)
    assert x.nonzero()[0].tolist() == [1, 3]


@flyc.jit
def saxpy(x: fx.Tensor, a: fx.Float32, h: fx.Float16 = 0.0, b: fx.BFloat16 = 0.0):
    nothing(x).launch(grid=1, block=1)


def test_a_float_beyond_its_type_names_the_argument_and_the_range():
    for _ in range(2):  # the second call is through the call stub
        with pytest.raises(ArgumentError, match=r"argument 'a': 1e\+300 does not fit in Float32; .*3\.40"):
            saxpy(floats(4), 1e300)
        saxpy(floats(4), 1.0, 1.0, 1.0)
    with pytest.raises(ArgumentError, match=r"argument 'h': 70000.0 does not fit in Float16; .*65504"):
        saxpy(floats(4), 1.0, 70000.0)
    with pytest.raises(ArgumentError, match="argument 'b'.*BFloat16"):
        saxpy(floats(4), 1.0, 1.0, 1e300)
    saxpy(floats(4), float("inf"))


def test_an_unknown_keyword_is_named_before_what_is_missing():
    with pytest.raises(ArgumentError, match=r"keyword argument 'y'; the parameters are x, a, h, b"):
        saxpy(floats(4), y=1.0)

    @flyc.jit
    def host(x: fx.Tensor):
        nothing(z=x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match="kernel 'nothing'.*keyword argument 'z'") as error:
        host(floats(4))
    assert_points_at(error, __file__, "nothing(z=x)")


class Model:
    @flyc.jit
    def forward(self, x: fx.Tensor):
        nothing(x).launch(grid=1, block=1)


class Scaled:
    by = 3

    @flyc.jit
    def forward(self: fx.Constexpr, x: fx.Tensor):
        nothing(x).launch(grid=1, block=1)


def test_an_unannotated_self_says_how_to_annotate_it():
    with pytest.raises(ArgumentError, match=r"argument 'self'.*annotate the parameter with fx\.Constexpr"):
        Model().forward(floats(4))
    x = floats(4)
    Scaled().forward(x)
    assert x[0] == 1.0


@flyc.kernel
def reads_before(x: fx.Tensor):
    x[0] = x[-1]


@flyc.kernel
def writes_after(x: fx.Tensor):
    x[32] = 1.0


@flyc.kernel
def slices_after(x: fx.Tensor):
    fx.slice(fx.zipped_divide(x, 8), (None, 4))


@pytest.mark.parametrize(
    ("kernel", "message", "code"),
    [
        (reads_before, r"index -1 .*outside the shape \(32\)", "x[-1]"),
        (writes_after, r"index 32 .*outside the shape \(32\): .*less than 32", "x[32] = 1.0"),
        (slices_after, r"index 4 .*outside the shape", "fx.slice("),
    ],
)
def test_a_static_index_outside_of_a_tensor_is_refused(kernel, message, code):
    with pytest.raises(FrontendError, match=message) as error:
        launch(kernel)
    assert_points_at(error, __file__, code)


def test_a_negative_index_is_refused_in_a_dynamic_shape_too():
    @flyc.jit
    def host(x: fx.Tensor):
        reads_before(x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match="index -1 .*at least 0"):
        host(floats(32))


@flyc.kernel
def gives_back(x: fx.Tensor):
    def inner(value):
        return value + 1.0

    if x[1] > 0.0:
        return x[0]
    return inner(x[2])


@flyc.jit
def host_gives_back(x: fx.Tensor):
    nothing(x).launch(grid=1, block=1)
    return x.shape


def test_a_returned_value_is_shown_with_its_line():
    with pytest.raises(FrontendError, match="kernel gives_back returns a value") as error:
        launch(gives_back)
    assert_points_at(error, __file__, "return x[0]")
    with pytest.raises(FrontendError, match="host_gives_back returns a value") as error:
        host_gives_back(floats(4))
    assert_points_at(error, __file__, "return x.shape")


@flyc.kernel
def names_nothing(x: fx.Tensor):
    if x[0] > 0.0:
        x[0] = no_such_name  # noqa: F821


@flyc.kernel
def misspells(x: fx.Tensor):
    x.shpae


@flyc.kernel
def misspells_a_word(x: fx.Tensor):
    fx.make_layuot(x)


def test_a_misspelt_attribute_is_an_error_at_its_line():
    with pytest.raises(AttributeError, match=r"has no attribute 'shpae'; did you mean 'shape'") as error:
        launch(misspells)
    assert_points_at(error, __file__, "x.shpae")


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [(names_nothing, NameError), (misspells_a_word, AttributeError)],
)
def test_a_failure_of_the_users_own_code_shows_the_users_frames_only(kernel, kind):
    with pytest.raises(kind) as error:
        launch(kernel)
    files = [frame.filename for frame in traceback.extract_tb(error.value.__traceback__)]
    inner = files[next(i for i, file in enumerate(files) if file.endswith("jit.py")) :]
    assert inner[-1] == __file__
    entry = {"jit.py", "interception.py"}
    assert {file.rsplit("/", 1)[-1] for file in inner[:-3]} <= {*entry, "test_bad_host_code.py"}
