"""What a user can get wrong: each is a Python exception that names what was asked, what was found and what to do."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from support.carets import assert_points_at
from support.kernels import add_by_fours

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import (
    FrontendError,
    LayoutError,
    LlvmPassError,
    SettingError,
    ShapeError,
    ToolchainMissingError,
    UnknownBackendError,
    UnsupportedConstructError,
)


def floats(*shape: int) -> np.ndarray:
    return np.zeros(shape, np.float32)


def launch(kernel, *arguments):
    """Trace `kernel` on one float vector."""

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x, *arguments).launch(grid=1, block=32)

    host(floats(32))


def test_an_unknown_backend_lists_the_registered_ones():
    with pytest.raises(UnknownBackendError, match=r"'tpu'.*registered:.*'cpu'"):
        flyc.get_backend("tpu")


def test_an_unknown_architecture_is_named():
    with pytest.raises(ValueError, match="x86-64-v9"):
        add_by_fours.trace(floats(8, 64), floats(8, 64), floats(8, 64), arch="x86-64-v9")


@flyc.kernel
def inadmissible(x: fx.Tensor):
    fx.composition(fx.make_layout((4, 6), (1, 5)), fx.make_layout(5, 3))


def test_an_inadmissible_composition_names_op_operands_and_line():
    with pytest.raises(LayoutError, match=r"composition\(\(4,6\):\(1,5\), 5:3\)") as error:
        launch(inadmissible)
    assert_points_at(error, __file__, "fx.composition(fx.make_layout((4, 6), (1, 5)), fx.make_layout(5, 3))")


@flyc.kernel
def matches(x: fx.Tensor):
    match x[0]:
        case 1.0:
            x[0] = 2.0


def test_a_construct_that_cannot_be_traced_is_shown_with_its_line():
    with pytest.raises(UnsupportedConstructError, match="match cannot be traced") as error:
        launch(matches)
    assert_points_at(error, __file__, "match x[0]:")


@flyc.kernel
def python_condition(x: fx.Tensor):
    flags = [value > 0.0 for value in [x[0], x[1]]]
    x[0] = 1.0 if any(flags) else 2.0


def test_a_dynamic_value_as_a_python_condition_is_refused_with_its_line():
    with pytest.raises(FrontendError, match="known while tracing.*Boolean") as error:
        launch(python_condition)
    assert_points_at(error, __file__, "any(flags)")


@flyc.kernel
def one_path_only(x: fx.Tensor):
    if x[0] > 0.0:
        value = x[1]
    x[2] = value + 1.0


def test_a_variable_assigned_on_one_path_only_is_named():
    with pytest.raises(FrontendError, match="variable 'value' has no value on some path") as error:
        launch(one_path_only)
    assert_points_at(error, __file__, "value + 1.0")


@flyc.kernel
def two_types(x: fx.Tensor):
    value = fx.make_layout(4, 1)
    if x[0] > 0.0:
        value = fx.make_layout(8, 1)
    x[fx.size(value)] = 1.0


def test_a_variable_of_two_kinds_on_two_paths_is_refused():
    with pytest.raises(FrontendError, match="variable 'value' is a Layout"):
        launch(two_types)


@flyc.kernel
def returns(x: fx.Tensor):
    return x[0]


def test_a_kernel_that_returns_a_value_is_refused():
    with pytest.raises(FrontendError, match="returns a value"):
        launch(returns)


def test_a_kernel_called_outside_of_a_jit_function_is_refused():
    with pytest.raises(FrontendError, match=r"call it in a function decorated with @flyc\.jit"):
        returns(floats(4))


def test_language_words_outside_of_a_trace_are_refused():
    with pytest.raises(FrontendError, match="no kernel is being traced"):
        fx.thread_idx.x


def test_a_lambda_is_refused():
    from flydsl.base.errors import SourceUnavailableError

    with pytest.raises(SourceUnavailableError, match="lambda"):
        flyc.jit(lambda x: None)(floats(4))


def test_a_block_that_is_too_large_raises_and_the_process_goes_on():
    @flyc.kernel
    def nothing(x: fx.Tensor):
        x[0] = 1.0

    @flyc.jit
    def too_large(x: fx.Tensor):
        nothing(x).launch(grid=1, block=(1024, 1024, 64))

    with pytest.raises(RuntimeError, match="1024"):
        too_large(floats(4))
    x = floats(8, 64)
    add_by_fours(x + 1, x, x)
    assert x.sum() == x.size


def test_misspelled_words_of_the_language_are_attribute_errors():
    with pytest.raises(AttributeError, match="make_layuot"):
        fx.make_layuot


def test_a_pass_pipeline_of_the_environment_that_does_not_parse_is_an_error(monkeypatch):
    monkeypatch.setenv("FLYDSL_COMPILE_LLVM_PASS_PIPELINE", "instcombin")
    with pytest.raises(LlvmPassError, match="unknown pass name 'instcombin'; did you mean 'instcombine'"):
        add_by_fours.trace(floats(8, 64), floats(8, 64), floats(8, 64)).lower().compile()


def test_a_missing_linker_names_its_variable(monkeypatch):
    monkeypatch.setenv("FLYDSL_COMPILE_LLD", "no-such-linker")
    lowered = add_by_fours.trace(floats(8, 64), floats(8, 64), floats(8, 64)).lower()
    with pytest.raises(ToolchainMissingError, match="'no-such-linker' of FLYDSL_COMPILE_LLD"):
        lowered.compile()


def test_a_dump_folder_that_cannot_be_made_names_its_variable(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FLYDSL_DUMP_IR", "1")
    monkeypatch.setenv("FLYDSL_DUMP_DIR", str(tmp_path / "file"))
    with pytest.raises(SettingError, match="FLYDSL_DUMP_DIR"):
        add_by_fours.trace(floats(8, 64), floats(8, 64), floats(8, 64))


def host_of(**launch):
    """A @jit function that marks `x` and launches `mark_kernel` once more as said."""

    @flyc.jit
    def host(x: fx.Tensor):
        mark_kernel(x).launch(grid=1, block=1)
        mark_kernel(x).launch(**launch)

    return host


@flyc.kernel
def mark_kernel(x: fx.Tensor):
    x[0] = 1.0


@pytest.mark.parametrize(
    "launch, message",
    [
        ({"grid": 1, "block": 0}, r"block has extents of at least 1, found Int32\(0\)"),
        ({"grid": 1, "block": (4, -1)}, r"block has extents of at least 1"),
        ({"grid": -1, "block": 1}, r"grid has extents of at least 0, found Int32\(-1\)"),
        ({"grid": (1, 1 << 31), "block": 1}, r"grid has extents below 2\*\*31, found Int64\(2147483648\)"),
        ({"grid": 1.5, "block": 1}, r"grid has extents of at least 0, found Float32\(1.5\); divide with //"),
        ({"grid": (1, 1, 1, 1), "block": 1}, "grid has 1 to 3 extents, found 4"),
        ({"grid": None, "block": 1}, "expected a scalar, found NoneType"),
        ({"grid": 1, "block": 1, "smem": -4}, r"smem is a number of bytes from 0 to 2\*\*31 - 1"),
        ({"grid": 1, "block": 1, "smem": 1 << 33}, r"smem is a number of bytes from 0 to 2\*\*31 - 1"),
        ({"grid": 1, "block": 1, "stream": 3}, r"stream is a fx.Stream argument of the @jit function, found int"),
    ],
)
def test_a_launch_size_that_makes_no_sense_is_shown_and_nothing_runs(launch, message):
    x = floats(4)
    with pytest.raises(FrontendError, match=message) as error:
        host_of(**launch)(x)
    assert_points_at(error, __file__, "mark_kernel(x).launch(**launch)")
    assert x[0] == 0.0


def test_a_known_block_beyond_the_device_is_refused_before_the_first_kernel_runs():
    x = floats(4)
    with pytest.raises(
        RuntimeError, match=r"'mark_kernel_1': a block of \(64, 32, 1\) threads is above the limit of 1024"
    ):
        host_of(grid=1, block=(64, 32))(x)
    assert x[0] == 0.0


def test_an_empty_grid_of_run_time_is_no_work():
    @flyc.jit
    def host(x: fx.Tensor, blocks: fx.Int32):
        mark_kernel(x).launch(grid=blocks, block=1)

    x = floats(4)
    host(x, 0)
    assert x[0] == 0.0


@pytest.mark.parametrize("block", [0, -3, 5000])
def test_a_block_of_run_time_beyond_the_device_is_an_error(block):
    @flyc.jit
    def host(x: fx.Tensor, block: fx.Int32):
        mark_kernel(x).launch(grid=1, block=block)

    x = floats(4)
    with pytest.raises(RuntimeError, match="extent of 0|is negative|above the limit of 1024"):
        host(x, block)
    assert x[0] == 0.0


@flyc.kernel
def float_index(x: fx.Tensor):
    x[1.0] = 2.0


@flyc.kernel
def dynamic_float_index(x: fx.Tensor):
    x[fx.Float32(fx.thread_idx.x)] = 2.0


@pytest.mark.parametrize(
    "kernel, code, message",
    [
        (float_index, "x[1.0] = 2.0", "found 1.0"),
        (dynamic_float_index, "x[fx.Float32(", "takes integers, found Float32"),
    ],
)
def test_a_float_as_an_index_is_refused_with_its_line(kernel, code, message):
    with pytest.raises(FrontendError, match=message) as error:
        launch(kernel)
    assert_points_at(error, __file__, code)


def endless(value):
    return endless(value + 1)


@flyc.kernel
def recursive(x: fx.Tensor):
    x[0] = endless(0)


@flyc.kernel
def calls_a_kernel(x: fx.Tensor):
    mark_kernel(x).launch(grid=1, block=1)


def test_recursion_that_never_ends_is_refused_with_its_line():
    with pytest.raises(FrontendError, match="never end while tracing: endless -> endless") as error:
        launch(recursive)
    assert_points_at(error, __file__, "return endless(value + 1)")


class Thing:
    """Something whose finalizer takes some frames of its own."""


MADE: list[int] = []
FINALIZED: list[int] = []


def finalize(depth: int) -> None:
    if depth:
        finalize(depth - 1)
    else:
        FINALIZED.append(1)


def make_garbage() -> None:
    thing = Thing()
    thing.itself = thing
    weakref.finalize(thing, finalize, 20)
    MADE.append(1)
    del thing
    gc.collect(0)


def endless_with_garbage(value):
    make_garbage()
    return endless_with_garbage(value + 1)


@flyc.kernel
def recursive_with_garbage(x: fx.Tensor):
    x[0] = endless_with_garbage(0)


def test_finalizers_run_at_the_end_of_recursion_that_never_ends():
    with pytest.raises(FrontendError, match="never end while tracing: endless_with_garbage"):
        launch(recursive_with_garbage)
    assert len(MADE) == len(FINALIZED) > 100


def test_a_kernel_that_is_called_in_a_kernel_is_refused_with_its_line():
    with pytest.raises(FrontendError, match="kernel 'mark_kernel' is called inside a kernel") as error:
        launch(calls_a_kernel)
    assert_points_at(error, __file__, "mark_kernel(x).launch(grid=1, block=1)")


def test_a_launch_under_a_static_condition_may_stay_away():
    @flyc.jit
    def chooses(x: fx.Tensor, marks: fx.Constexpr[bool], others: fx.Constexpr[bool]):
        mark, other = mark_kernel(x), mark_kernel(x)
        if marks:
            mark.launch(grid=1, block=1)
        if fx.const_expr(others):
            other.launch(grid=1, block=2)

    for marks, others in ((False, False), (True, False), (False, True)):
        x = floats(4)
        chooses(x, marks, others)
        assert x[0] == float(marks or others)


@pytest.mark.parametrize(
    "mark, message",
    [
        (
            lambda t: t.mark_layout_dynamic(leading_dim=0),
            r"leading_dim 0 has stride 64, and the leading mode has stride 1",
        ),
        (lambda t: t.mark_layout_dynamic(leading_dim=2), "mode 2 does not exist in a tensor of rank 2"),
        (lambda t: t.mark_layout_dynamic(divisibility=5), "extent 64 of mode 1 is not a multiple of divisibility 5"),
        (lambda t: t.mark_layout_dynamic(divisibility=0), "divisibility is a positive integer, found 0"),
        (lambda t: t.mark_shape_dynamic(-3), "mode -3 does not exist"),
        (lambda t: t.mark_shape_dynamic([0, 2]), "mode 2 does not exist"),
        (lambda t: t.mark_shape_dynamic([0, 0]), r"dims \[0, 0\] name mode 0 twice"),
        (lambda t: t.mark_shape_dynamic(0.5), "dims are mode numbers, found 0.5"),
        (lambda t: t.mark_shape_dynamic(0, divisibility=3), "extent 8 of mode 0 is not a multiple of divisibility 3"),
        (lambda t: t.mark_stride_dynamic(0, divisibility=5), "stride 64 of mode 0 is not a multiple of divisibility 5"),
        (lambda t: t.mark_stride_dynamic(divisibility=4), "stride 1 of mode 1 is not a multiple of divisibility 4"),
        (lambda t: t.mark_stride_dynamic(0, True), "divisibility is a positive integer, found True"),
    ],
)
def test_a_mark_that_the_tensor_breaks_is_refused_where_it_is_made(mark, message):
    argument = flyc.from_dlpack(floats(8, 64))
    before = argument.layout
    with pytest.raises(ShapeError, match=message) as error:
        mark(argument)
    assert_points_at(error, __file__, "lambda t: t.mark_")
    assert argument.layout == before
