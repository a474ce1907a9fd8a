"""Whole kernels of clang through `Program.run`: memory, control flow, lanes, faults, arguments."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.errors import CodeObjectError, KernelFault, LaunchError
from flydsl_hipsim.program import Program

CHIPS = ("gfx942", "gfx1100", "gfx1201", "gfx1250", "gfx1100-wave64")
LEVELS = pytest.mark.parametrize("level", [0, 1, 2, 3])
ORDERS = pytest.mark.parametrize("order", ["forward", "backward", "random"])


def words(rng: np.random.Generator, n: int = 256) -> np.ndarray:
    return rng.integers(0, 2**32, n, dtype=np.uint32)


@LEVELS
def test_atomics(kernels: Any, level: int) -> None:
    a, old, n = np.zeros(310, np.uint32), np.zeros(192, np.uint32), 192
    a[4 : 4 + n] = np.where(np.arange(n) % 3, np.arange(n), 5000)
    kernels("memory", level).run("atomics", 1, n, [a, old])
    assert (a[0], a[1], a[2], a[3]) == (n * (n - 1) // 2, n - 1, 0xFFFFFFFF, n)
    assert sorted(old) == list(range(n))
    np.testing.assert_array_equal(a[4 : 4 + n], np.where((np.arange(n) % 3 != 0), 777, 5000))
    assert a[300:301].view(np.float32)[0] == n
    assert a[302:304].view(np.uint64)[0] == (n * (n - 1) // 2) << 20
    assert a[304:306].view(np.float64)[0] == n / 2


@LEVELS
@ORDERS
def test_lds_and_barriers(kernels: Any, level: int, order: str, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros(256, np.uint32)
    kernels("memory", level).run("through_lds", 1, 256, [a, found], order=order)
    i = np.arange(256)
    np.testing.assert_array_equal(found, a[255 - i] + a[i * 7 & 255])


def test_the_order_of_waves_shows_a_missing_barrier(kernels: Any) -> None:
    results = []
    for order in ("forward", "backward"):
        found = np.zeros(256, np.uint32)
        kernels("memory", 2).run("without_barrier", 1, 256, [found], order=order)
        results.append(found)
    assert (results[0] != results[1]).any()


@LEVELS
def test_lds_atomics(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros(4, np.uint32)
    kernels("memory", level).run("lds_atomics", 1, 256, [a, found])
    np.testing.assert_array_equal(found, a.reshape(64, 4).sum(0, dtype=np.uint32))


@LEVELS
def test_scratch_arrays(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros(256, np.uint32)
    kernels("memory", level).run("scratch", 1, 256, [a, found])
    expected = np.zeros(256, np.uint32)
    i = np.arange(256)
    for k in range(32):
        expected = expected * np.uint32(3) + a[(i + ((a + np.uint32(k * 5)) & 31)) & 255]
    np.testing.assert_array_equal(found, expected)


@LEVELS
def test_constant_tables_and_relocated_pointers(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros(256, np.uint32)
    kernels("memory", level).run("globals", 1, 256, [a, found])
    np.testing.assert_array_equal(found, (a & 15) ** 2 + 5)


@LEVELS
def test_grids_and_implicit_arguments(kernels: Any, level: int) -> None:
    found, sizes = np.zeros(24 * 60, np.uint32), np.zeros(2, np.uint32)
    kernels("memory", level).run("grid", (2, 3, 4), (5, 4, 3), [found, sizes])
    np.testing.assert_array_equal(found, (np.arange(24)[:, None] * 1000 + np.arange(60)).ravel())
    assert sizes.tolist() == [10, 543]


@LEVELS
def test_arguments_of_all_kinds(kernels: Any, level: int) -> None:
    class Fields(ctypes.Structure):
        _fields_ = [("a", ctypes.c_uint8), ("b", ctypes.c_uint64), ("c", ctypes.c_float * 3)]

    found = np.zeros(4)
    kernels("memory", level).run("structs", 1, 1, [Fields(7, 1 << 40, (1, 2, 3.5)), np.uint16(40000), found])
    assert found.tolist() == [7, 1 << 40, 3.5, 40000]


@LEVELS
def test_switches_and_loops(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found = words(rng), np.zeros(256, np.uint32)
    kernels("control", level).run("switches", 1, 256, [a, found])
    assert found.tolist() == [switches(int(x)) for x in a]


def switches(x: int) -> int:
    r = 0
    for k in range(x & 15):
        case = ((x + k) & 0xFFFFFFFF) % 7
        if case == 0:
            r += 3
        elif case == 1:
            r ^= x
        elif case > 4:
            r -= x >> 3
        else:
            r = r * 5 if case == 2 else r
            r = (r + k) & 0xFFFFFFFF if case < 4 else r
            if case == 4:
                r = r if r & 1 else r + 11
        r &= 0xFFFFFFFF
    return r


@LEVELS
def test_calls_recursion_and_function_pointers(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found, i = words(rng), np.zeros(256, np.uint32), np.arange(256, dtype=np.uint32)
    program = kernels("control", level)
    program.run("calls", 1, 256, [a, found])
    np.testing.assert_array_equal(found, a * i + i * 3 + 34)
    program.run("recursion", 1, 256, [a, found])
    np.testing.assert_array_equal(found, np.array([0, 1, 1, 2, 3, 5, 8, 13])[a & 7])
    program.run("pointers", 1, 256, [a, found])
    np.testing.assert_array_equal(found, np.where(a & 1, a // 2, a * np.uint32(2)))


@LEVELS
def test_values_between_lanes(kernels: Any, level: int, rng: np.random.Generator) -> None:
    a, found, i = words(rng, 64), np.zeros((64, 6), np.uint32), np.arange(64)
    waves = a.reshape(-1, kernels.wave)
    uniform = waves[:, 0] + (waves & 1).sum(1, dtype=np.uint32)
    kernels("lanes", level).run("shuffles", 1, 64, [a, found])
    shifted = np.where(i % 16 == 0, 7, a[i - 1])
    columns = [a[i ^ 5], a[i ^ 1], a[i ^ 1], np.repeat(uniform, kernels.wave), shifted, i % kernels.wave]
    np.testing.assert_array_equal(found, np.stack(columns, 1).astype(np.uint32))


def test_a_read_past_the_end_is_a_fault_that_says_where(kernels: Any, rng: np.random.Generator) -> None:
    where = rf"'out_of_bounds'.*lane {56 % kernels.wave}.*load_(dword|b32)"
    memory = words(rng, 192)  # with a place between the two arguments that is in none
    with pytest.raises(KernelFault, match=rf"an invalid read.*past the end of an allocation of 256 bytes.*{where}"):
        kernels("memory", 2).run("out_of_bounds", 1, 64, [memory[:64], memory[128:]])


def test_a_trap_is_a_fault(kernels: Any) -> None:
    with pytest.raises(KernelFault, match="trapped"):
        kernels("control", 2).run("trap", 1, 64, [np.arange(64, dtype=np.uint32)])


def test_launches_that_do_not_fit_are_refused(kernels: Any, rng: np.random.Generator) -> None:
    program = kernels("memory", 2)
    with pytest.raises(LaunchError, match="has 2 arguments, found 1"):
        program.run("scratch", 1, 64, [words(rng)])
    with pytest.raises(LaunchError, match="a block of 2048 threads"):
        program.run("scratch", 1, 2048, [words(rng), words(rng)])
    lds = 320 << 10 if kernels.arch == "gfx1250" else 64 << 10
    with pytest.raises(LaunchError, match=f"{kernels.arch} has {lds}"):
        program.run("scratch", 1, 64, [words(rng), words(rng)], shared_bytes=1 << 20)
    with pytest.raises(LaunchError, match="no kernel 'absent'"):
        program.run("absent", 1, 64, [])
    for extent in (-1, 1.5, 1 << 32, (1, 1, 1, 1), ()):
        with pytest.raises(LaunchError, match="an extent has one to three integers"):
            program.run("scratch", extent, 64, [words(rng), words(rng)])
    for value in (None, "text", [1] * 8):
        with pytest.raises(
            LaunchError, match=re.escape(f"at offset 8 is {value!r}, expected an array, a number, or 8")
        ):
            program.run("scratch", 1, 64, [words(rng), value])
    for dtype in ("O", "U5", "M8[ns]"):
        with pytest.raises(LaunchError, match="an array argument has numbers or bytes; this one has elements"):
            program.run("scratch", 1, 64, [words(rng), np.zeros(8, dtype)])
    for name, value in (("threads", -1), ("seed", "1"), ("shared_bytes", 1 << 33), ("order", 3), ("check", "race")):
        with pytest.raises(LaunchError, match=f"{name} is {value!r}, expected"):
            program.run("scratch", 1, 64, [words(rng), words(rng)], **{name: value})


@pytest.mark.parametrize(
    ("number", "words_of_it"),
    [
        (1 << 16, "has 2 bytes, 65536 needs more"),
        (-(1 << 15) - 1, "has 2 bytes, -32769 needs more"),
        (1e9, "is 1000000000.0, too large for a float of 2 bytes"),
        (np.zeros(4, np.uint16), "is an array, expected a number or 2 bytes"),
        (np.uint32(3), "has 2 bytes, np.uint32\\(3\\) has 4"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(kernels: Any, number: Any, words_of_it: str) -> None:
    with pytest.raises(LaunchError, match=f"at offset 32 {words_of_it}"):
        kernels("memory", 2).run("structs", 1, 1, [bytes(32), number, np.zeros(4)])


def test_a_closed_program_runs_no_kernel(kernels: Any, rng: np.random.Generator) -> None:
    program = Program(kernels.image("memory", 2))
    program.close()
    with pytest.raises(LaunchError, match="kernel 'scratch' cannot run: the program is closed"):
        program.run("scratch", 1, 64, [words(rng), words(rng)])


def test_read_only_arrays_are_not_written(kernels: Any, rng: np.random.Generator) -> None:
    source, target = words(rng), words(rng)
    source.flags.writeable = target.flags.writeable = False
    program = kernels("memory", 2)
    with pytest.raises(KernelFault, match="a write to read-only memory"):
        program.run("scratch", 1, 64, [source, target])
    target.flags.writeable = True
    program.run("scratch", 1, 64, [source, target])


def test_what_is_not_a_code_object_is_refused() -> None:
    with pytest.raises(CodeObjectError, match="not a code object"):
        Program(b"nothing of the kind" * 10)
