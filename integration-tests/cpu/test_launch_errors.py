"""What fails at a call, a launch or the load of code shows the user's line: the launch, or else the call."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import (
    ArgumentError,
    FlyDSLError,
    FrontendError,
    RuntimeFailure,
    UnsupportedTargetError,
    UnsupportedTensorError,
)


@flyc.kernel
def touch(y: fx.Tensor):
    y[0] = 1


@flyc.kernel
def wants_much(y: fx.Tensor):
    storage = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 40000])
    view = fx.make_view(storage.ptr, fx.make_layout(40000, 1))
    view[fx.thread_idx.x] = 1.0
    fx.barrier()
    y[0] = view[fx.thread_idx.x]


@flyc.kernel(name="other")
def named(y: fx.Tensor):
    y[0] = 2


@flyc.jit
def one(y: fx.Tensor, threads: fx.Int32):
    touch(y).launch(grid=1, block=threads)  # the only launch


@flyc.jit
def several(y: fx.Tensor, threads: fx.Int32, more: fx.Int32):
    touch(y).launch(grid=1, block=threads)  # fine
    named(y).launch(grid=1, block=more)  # too large


@flyc.jit
def static(y: fx.Tensor):
    touch(y).launch(grid=1, block=1)
    named(y).launch(grid=1, block=(64, 64))  # known while tracing


@flyc.jit
def shared(y: fx.Tensor):
    wants_much(y).launch(grid=1, block=32)  # needs memory


def line_of(location) -> str:
    return linecache.getline(location.file, location.line).strip()


@pytest.mark.parametrize(("function", "arguments", "shown"), [
    (one, (2048,), "touch(y).launch(grid=1, block=threads)  # the only launch"),
    (one, (-1,), "touch(y).launch(grid=1, block=threads)  # the only launch"),
    (several, (1, 4096), "named(y).launch(grid=1, block=more)  # too large"),
    (shared, (), "wants_much(y).launch(grid=1, block=32)  # needs memory"),
])  # fmt: skip
def test_a_launch_beyond_a_limit_shows_the_launch_and_the_call(function, arguments, shown):
    for _ in range(2):  # the code comes from the cache at the second time
        with pytest.raises(RuntimeFailure) as caught:
            function(np.zeros(1, np.float32), *arguments)
        assert line_of(caught.value.location) == shown
        assert [line_of(caller) for caller in caught.value.callers] == ["function(np.zeros(1, np.float32), *arguments)"]


def test_a_launch_that_is_known_to_be_beyond_a_limit_fails_while_tracing():
    with pytest.raises(UnsupportedTargetError, match=r"kernel 'other_1': a block of \(64, 64, 1\) threads") as caught:
        static(np.zeros(1, np.float32))
    assert line_of(caught.value.location) == "named(y).launch(grid=1, block=(64, 64))  # known while tracing"


def test_a_compiled_function_shows_them_too():
    y = np.zeros(1, np.float32)
    compiled = flyc.compile(one, y, 1)
    with pytest.raises(RuntimeFailure) as caught:
        compiled(y, 5000)
    assert line_of(caught.value.location) == "touch(y).launch(grid=1, block=threads)  # the only launch"
    with pytest.raises(ArgumentError) as wrong:
        compiled(y)
    assert line_of(wrong.value.location) == "compiled(y)"


CALLS = [
    (lambda: one(np.zeros(1, np.float32)), ArgumentError, "missing a required argument: 'threads'"),
    (lambda: one(np.zeros(1, np.float32), 1.5), ArgumentError, "takes an integer, found 1.5"),
    (lambda: one(np.zeros(1, np.float32), threads=1, grid=2), ArgumentError, "unexpected keyword argument 'grid'"),
    (lambda: one("text", 1), ArgumentError, "argument 'y'"),
    (lambda: one(np.zeros(1, np.complex64), 1), UnsupportedTensorError, "argument 'y'"),
    (lambda: touch(np.zeros(1, np.float32)), FrontendError, "is called by Python"),
    (lambda: flyc.interpret(one)(np.zeros(1, np.float32), 1.5), ArgumentError, "takes an integer, found 1.5"),
    (lambda: one.trace("text", 1), ArgumentError, "argument 'y'"),
]


@pytest.mark.parametrize(("call", "kind", "message"), CALLS)
def test_a_wrong_argument_shows_the_call(call, kind, message):
    one(np.zeros(1, np.float32), 1)  # a stub of other arguments is there
    with pytest.raises(kind, match=message) as caught:
        call()
    assert (caught.value.location.file, caught.value.location.line) == (__file__, call.__code__.co_firstlineno)


def test_a_number_that_a_stub_cannot_pack_shows_the_call():
    y = np.zeros(1, np.float32)
    one(y, 1)
    with pytest.raises(FlyDSLError) as caught:
        one(y, 2**40)
    assert line_of(caught.value.location) == "one(y, 2**40)"
