"""The interpreter runs what is compiled too, and reports what a kernel must not do: where, by which thread, and why."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from support.interpreting import N, launch, line_of

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import (
    ArgumentError,
    DataRaceError,
    FrontendError,
    IRError,
    KernelError,
    OutOfBoundsError,
    SynchronizationError,
    UninitializedReadError,
)


@flyc.kernel
def double(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x * N + fx.thread_idx.x
    y[i] = x[i] * 2.0  # out of bounds


@flyc.jit
def doubled(x: fx.Tensor, y: fx.Tensor):
    double(x, y).launch(grid=fx.ceil_div(x.shape[0], N), block=N)


def test_a_with_statement_interprets_functions_that_were_compiled_before():
    x, y = np.arange(N, dtype=np.float32), np.zeros(N, np.float32)
    doubled(x, y)
    doubled(x, y[:N])
    with flyc.interpret(), pytest.raises(OutOfBoundsError):
        doubled(x, y[:7])
    y[:] = 0
    doubled(x, y)
    np.testing.assert_array_equal(y, 2 * x)


def test_the_variable_interprets_every_call(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FLYDSL_INTERPRET", "1")

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        double(x, y).launch(grid=1, block=N)

    with pytest.raises(OutOfBoundsError):
        host(np.ones(N, np.float32), np.zeros(3, np.float32))


@dataclass(frozen=True)
class Scale:
    factor: float

    @flyc.kernel
    def kernel(self, x: fx.Tensor):
        x[fx.thread_idx.x] = x[fx.thread_idx.x] * self.factor

    @flyc.jit
    def scaled(self: fx.Constexpr, x: fx.Tensor):
        self.kernel(x).launch(grid=1, block=x.shape[0])


def test_a_method_is_interpreted():
    x = np.arange(5, dtype=np.float32)
    flyc.interpret(Scale(3.0).scaled)(x)
    flyc.interpret(Scale(2.0).scaled)(x)
    np.testing.assert_array_equal(x, 6 * np.arange(5))


def test_only_functions_of_the_host_are_interpreted():
    with pytest.raises(ArgumentError, match=r"interpret takes a function decorated with @flyc\.jit, found"):
        flyc.interpret(double)


@pytest.mark.parametrize("size", [N - 1, 3 * N - 5])
def test_an_access_outside_of_a_tensor_names_tensor_thread_and_line(size: int):
    x, y = np.ones(3 * N, np.float32), np.zeros(size, np.float32)
    with pytest.raises(IndexError, match=r"writes 4 bytes at byte \d+ of tensor 'y', which has \d+ bytes") as caught:
        launch(double, x, y, grid=3)
    error = caught.value
    assert isinstance(error, OutOfBoundsError)
    assert error.block[0] * N + error.thread[0] == size
    assert f"kernel 'double_0', block {error.block}, thread {error.thread}: " in str(error)
    assert error.location is not None
    assert error.location.line == line_of(__file__, "out of bounds")


def test_the_gaps_between_the_rows_of_a_slice_are_outside_of_it():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[0, fx.thread_idx.x] = fx.Float32(1.0)

    whole = np.zeros((4, N), np.float32)
    with pytest.raises(OutOfBoundsError, match="between two of its elements"):
        launch(kernel, whole[:, : N - 1])
    launch(kernel, whole[::2])
    np.testing.assert_array_equal(whole[0], 1)


def test_an_access_outside_of_shared_memory():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        words = fx.get_dyn_shared(fx.Float32)
        words[fx.thread_idx.x] = x[fx.thread_idx.x]

    launch(kernel, np.zeros(N, np.float32), smem=4 * N)
    with pytest.raises(
        OutOfBoundsError, match="writes 4 bytes at byte 40 of dynamic shared memory, which has 40 bytes"
    ):
        launch(kernel, np.zeros(N, np.float32), smem=40)


def test_an_access_outside_of_a_register_tensor():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        registers = fx.make_rmem_tensor(4, fx.Float32)
        registers[fx.thread_idx.x] = x[fx.thread_idx.x]

    with pytest.raises(OutOfBoundsError, match=r"writes 4 bytes at byte 16 of a register tensor 4:1, which has 16"):
        launch(kernel, np.zeros(N, np.float32))


def test_registers_that_nobody_wrote_must_not_reach_a_tensor():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        registers = fx.make_rmem_tensor(2, fx.Float32)
        registers[0] = x[0]
        total = registers[0] + registers[1]
        x[fx.thread_idx.x] = total  # undefined sum

    with pytest.raises(UninitializedReadError, match="tensor 'x' is written at byte 0 by a value") as caught:
        launch(kernel, np.zeros(N, np.float32))
    assert "read from byte 4 of a register tensor 2:1, which nothing has written" in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.line == line_of(__file__, "undefined sum")


def test_registers_that_nobody_wrote_must_not_decide():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        registers = fx.make_rmem_tensor(2, fx.Float32)
        if registers[0] > 0.0:
            x[0] = fx.Float32(1.0)

    with pytest.raises(UninitializedReadError, match="decides about a branch by a value that is not defined"):
        launch(kernel, np.zeros(N, np.float32))


def test_undefined_lanes_that_nobody_uses_are_no_error():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        registers = fx.make_rmem_tensor(2, fx.Float32)
        registers[0] = x[fx.thread_idx.x]
        both = registers.load() * 2.0
        x[fx.thread_idx.x] = both[0]

    x = np.arange(N, dtype=np.float32)
    launch(kernel, x)
    np.testing.assert_array_equal(x, 2 * np.arange(N))


def test_shared_memory_that_nobody_wrote():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        words = fx.SharedAllocator().allocate(fx.Array[fx.Float32, N])
        if fx.thread_idx.x < N - 1:
            words[fx.thread_idx.x] = fx.Float32(1.0)
        fx.barrier()
        x[fx.thread_idx.x] = words[N - 1 - fx.thread_idx.x]

    with pytest.raises(UninitializedReadError, match="of shared memory, which nothing has written") as caught:
        launch(kernel, np.zeros(N, np.float32))
    assert caught.value.thread == (0, 0, 0)


def test_prints_are_those_of_the_compiled_kernel(capsys: pytest.CaptureFixture[str]):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        fx.printf("{} of {:.2f}", fx.thread_idx.x, x[fx.thread_idx.x])

    launch(kernel, np.array([1.5, 2.25], np.float32), block=2)
    assert capsys.readouterr().out == "0 of 1.50\n1 of 2.25\n"


def test_read_only_tensors_are_not_written():
    y = np.zeros(N, np.float32)
    y.flags.writeable = False
    with pytest.raises(ArgumentError, match=r"argument 'y': .* read-only"):
        launch(double, np.ones(N, np.float32), y)


def test_what_belongs_to_a_target_is_refused_by_name(monkeypatch: pytest.MonkeyPatch):
    from flydsl.ir.interpret import interpreter, machine

    less = {name: handler for name, handler in interpreter.HANDLERS.items() if name != "arith.mulf"}
    monkeypatch.setattr(machine, "HANDLERS", less)
    with pytest.raises(IRError, match=r"arith\.mulf is not known to the interpreter") as caught:
        launch(double, np.ones(N, np.float32), np.zeros(N, np.float32))
    assert caught.value.location is not None
    assert caught.value.location.line == line_of(__file__, "out of bounds")


PROGRAM = """
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def kernel(x: fx.Tensor, factor: fx.Float32):
    i = fx.thread_idx.x
    layout = fx.make_layout((4, 2), (2, 1))
    pair = [i + 1, fx.Uint32(4294967295)]
    if i > 0:
        product = x[i] * factor
        breakpoint()
        x[i] = product

@flyc.jit
def host(x: fx.Tensor, factor: fx.Float32):
    kernel(x, factor).launch(grid=1, block=3)

x = np.array([1, 2, 3], np.float32)
host(x, 2.5)
print(x)
"""


def test_a_breakpoint_shows_the_kernels_variables(tmp_path: Path):
    (tmp_path / "program.py").write_text(PROGRAM)
    commands = "\n".join(
        ["p thread_idx, block_idx, i, factor, product", "p pair", "p x[2]", "p layout", "continue", "p i", "c", ""]
    )
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, input=commands, capture_output=True, text=True, check=False,
        env={"FLYDSL_INTERPRET": "1", "FLYDSL_COMPILE_BACKEND": "cpu", "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "program.py(13)kernel_0()" in done.stdout
    assert "-> breakpoint()" in done.stdout
    assert "((1, 0, 0), (0, 0, 0), 1, 2.5, 5.0)" in done.stdout
    assert "[2, 4294967295]" in done.stdout
    assert "(Pdb) 3.0" in done.stdout
    assert "(4,2):(2,1)" in done.stdout
    assert done.stdout.rstrip().endswith("[1.  5.  7.5]")


def test_leaving_the_debugger_ends_the_program_as_python_does(tmp_path: Path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, input="quit\n", capture_output=True, text=True, check=False,
        env={"FLYDSL_INTERPRET": "1", "FLYDSL_COMPILE_BACKEND": "cpu", "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.endswith("bdb.BdbQuit\n")


def test_blocks_of_no_threads_are_refused():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x] = 1.0

    @flyc.jit
    def host(x: fx.Tensor, blocks: fx.Int32, threads: fx.Int32):
        kernel(x).launch(grid=blocks, block=threads)

    x = np.zeros(2, np.float32)
    with flyc.interpret():
        host(x, 0, 2)
        with pytest.raises(KernelError, match=r"blocks of no threads: \(0, 1, 1\)"):
            host(x, 1, 0)
    assert not x.any()


def test_an_assertion_that_does_not_hold_is_an_error_of_its_thread(capfd: pytest.CaptureFixture[str]):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        assert x[fx.thread_idx.x] < 5.0, "below five"  # the assertion

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=8)

    with flyc.interpret():
        host(np.zeros(8, np.float32))
        with pytest.raises(KernelError, match="an assertion does not hold") as caught:
            host(np.arange(8, dtype=np.float32))
    assert caught.value.thread == (5, 0, 0)
    assert caught.value.location is not None
    assert caught.value.location.line == line_of(__file__, "the assertion")
    assert "assertion failed: x[fx.thread_idx.x] < 5.0: below five" in capfd.readouterr().out


def test_packed_elements_are_refused():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        pairs = fx.make_view(fx.recast_iter(fx.Int4, fx.get_iter(x)), fx.make_layout(4, 1))
        pairs[fx.thread_idx.x] = 1

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=4)

    with flyc.interpret(), pytest.raises(IRError, match="i8 read as i4 cannot be interpreted: .* run it compiled"):
        host(np.zeros(2, np.int8))


def test_a_breakpoint_in_compiled_code_is_an_error():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        breakpoint()  # stops

    @flyc.jit
    def host(x: fx.Tensor):
        kernel(x).launch(grid=1, block=1)

    with pytest.raises(FrontendError, match="run with FLYDSL_INTERPRET=1") as caught:
        host(np.zeros(1, np.float32))
    assert caught.value.location is not None
    assert caught.value.location.line == line_of(__file__, "stops")


def test_every_report_is_a_kernel_error():
    for error in (OutOfBoundsError, UninitializedReadError, DataRaceError, SynchronizationError):
        assert issubclass(error, KernelError)
        assert issubclass(error, RuntimeError)
