"""What kernels of clang print, by the host and by a buffer, against Python's `%`; memory that they ask the host for."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.errors import KernelFault
from flydsl_hipsim.program import Program

from ..device_libraries import compile_hip, compile_opencl

THREADS = 70
WORDS = np.random.default_rng(11).integers(-(2**63), 2**63, THREADS)
INTEGERS: dict[str, tuple[str, int, bool]] = {  # C's type, bits that are printed, signed
    "%d": ("int", 32, True), "%5d|%-7d|%+d": ("int", 32, True), "% d %03d": ("int", 32, True),
    "%.12i": ("int", 32, True),
    "%u": ("unsigned", 32, False), "%x %#X %08x": ("unsigned", 32, False), "%o": ("unsigned", 32, False),
    "%hhd": ("int", 8, True), "%hhu": ("unsigned", 8, False), "%hd %6hd": ("int", 16, True), "%hx": ("int", 16, False),
    "%ld": ("long", 64, True), "%lu %20lu": ("unsigned long", 64, False), "%lld": ("long long", 64, True),
    "%zx": ("unsigned long", 64, False), "%jd": ("long", 64, True),
}  # fmt: skip
FLOATS = ("%f", "%.3f %10.1f", "%e %.0E", "%g %G %#g", "%+.15g", "%-20f|%020f", "%.40f")
LETTER = re.compile(r"(%[-+ #0-9.*]*)(?:hh|h|ll|l|z|j)([a-zA-Z])")


def by_python(format: str, *values: Any) -> str:
    return format % values


def repeated(format: str, value: str) -> str:
    return ", ".join([value] * format.count("%"))


def kernel(name: str, format: str, type_: str, value: str) -> str:
    return f'GLOBAL {name}(const {type_} *a) {{ printf("%u: {format}\\n", THREAD, {repeated(format, value)}); }}'


SOURCE = "\n".join([
    *(kernel(f"i{k}", text, "long", f"({INTEGERS[text][0]})a[THREAD]") for k, text in enumerate(INTEGERS)),
    *(kernel(f"f{k}", text, "double", "a[THREAD]") for k, text in enumerate(FLOATS)),
    r"""
GLOBAL narrow(const float *a) { printf("%u: %g %a %p\n", THREAD, a[THREAD], (double)a[THREAD], (void *)(a + THREAD)); }
GLOBAL texts(const char *s, const int *n) {
  const char *own = THREAD & 1 ? "odd" : "an even one, which is longer than a packet of seven words has room for";
  const int k = n[THREAD];
  printf("%u: %s|%12.4s|%-*s|%*.*f|%c%%\n", THREAD, s, own, k, own, k, 3, 0.5 * k, 'a' + k);
}
GLOBAL some_lanes(const int *n) {
  for (int k = 0; k < (n[THREAD] & 3); ++k) printf("lane %u step %d of %d\n", THREAD, k, n[THREAD] & 3);
}
GLOBAL silent(int *n) { if (n[THREAD] == 12345) printf("never\n"); n[THREAD] = 1; }
""",
])  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("printf")


@pytest.fixture(scope="module", params=["gfx942-hostcall", "gfx1100-hostcall", "gfx942-buffered"])
def program(request: pytest.FixtureRequest, folder: Path) -> Program:
    chip, kind = request.param.split("-")
    return Program(compile_hip(SOURCE, chip, folder, printf=kind))


@pytest.fixture
def printed(program: Program, capfd: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    def run(name: str, *arguments: Any, **options: Any) -> list[str]:
        program.run(name, 1, THREADS, arguments, **options)
        return capfd.readouterr().out.splitlines()

    return run


def numbered(texts: list[str]) -> list[str]:
    return [f"{k}: {text}" for k, text in enumerate(texts)]


@pytest.mark.parametrize("number", range(len(INTEGERS)), ids=list(INTEGERS))
def test_integers_are_printed_as_c_does(printed: Callable[..., list[str]], number: int) -> None:
    format, (_, bits, is_signed) = list(INTEGERS.items())[number]
    plain = LETTER.sub(r"\1\2", format)
    values = [int(word) % 2**bits for word in WORDS]
    if is_signed:
        values = [value - 2**bits * (value >> (bits - 1)) for value in values]
    assert printed(f"i{number}", WORDS) == numbered([plain % ((value,) * plain.count("%")) for value in values])


@pytest.mark.parametrize("number", range(len(FLOATS)), ids=FLOATS)
def test_floats_are_printed_as_c_does(printed: Callable[..., list[str]], number: int, rng: np.random.Generator) -> None:
    values = rng.standard_normal(THREADS) * 10.0 ** rng.integers(-30, 30, THREADS)
    values[:5] = 0.0, -0.0, np.inf, -np.inf, 5e-324
    expected = [FLOATS[number] % ((float(v),) * FLOATS[number].count("%")) for v in values]
    if "0" in FLOATS[number]:  # zeros do not fill up infinities in C
        values[2:4], expected[2:4] = 1.0, [FLOATS[number] % ((1.0,) * FLOATS[number].count("%"))] * 2
    assert printed(f"f{number}", values) == numbered(expected)


def test_hexadecimal_floats_and_pointers_are_those_of_the_c_library(
    printed: Callable[..., list[str]], rng: np.random.Generator
) -> None:
    values = rng.standard_normal(THREADS).astype(np.float32)
    place, buffer, expected = values.ctypes.data, ctypes.create_string_buffer(100), []
    for k, value in enumerate(values):
        arguments = ctypes.c_double(value), ctypes.c_double(value), ctypes.c_void_p(place + 4 * k)
        ctypes.CDLL(None).snprintf(buffer, ctypes.c_size_t(100), b"%g %a %p", *arguments)
        expected.append(buffer.value.decode())
    assert printed("narrow", values) == numbered(expected)


def test_text_and_widths_that_are_arguments(printed: Callable[..., list[str]], rng: np.random.Generator) -> None:
    given, n = "some text, é", rng.integers(0, 26, THREADS).astype(np.int32)
    text = np.frombuffer(given.encode() + b"\0", np.uint8).copy()
    expected = []
    for k in range(THREADS):
        own = "odd" if k & 1 else "an even one, which is longer than a packet of seven words has room for"
        width = int(n[k])
        values = given, own, width, own, width, 3, width / 2, chr(97 + width)
        expected.append(by_python("%s|%12.4s|%-*s|%*.*f|%c%%", *values))
    assert printed("texts", text, n) == numbered(expected)


@pytest.mark.parametrize("order", ["forward", "random"])
def test_each_lane_prints_what_it_should_and_in_its_own_order(
    printed: Callable[..., list[str]], order: str, rng: np.random.Generator
) -> None:
    n = rng.integers(0, 100, THREADS).astype(np.int32)
    lines = printed("some_lanes", n, order=order, seed=3, check="all")
    for lane in range(THREADS):
        own = [line for line in lines if line.startswith(f"lane {lane} ")]
        assert own == [f"lane {lane} step {k} of {n[lane] & 3}" for k in range(n[lane] & 3)]
    assert len(lines) == sum(n & 3)


def test_lines_of_a_big_grid_are_whole(program: Program, capfd: pytest.CaptureFixture[str]) -> None:
    n = np.full(64 * 300, 2, np.int32)
    program.run("some_lanes", 300, 64, [n])
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == sorted(f"lane {k} step {j} of 2" for k in range(64 * 300) for j in range(2))


def test_a_kernel_that_could_print_and_does_not(printed: Callable[..., list[str]]) -> None:
    n = np.zeros(THREADS, np.int32)
    assert printed("silent", n) == []
    assert n.all()


OPENCL = r"""
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void show(__global const int *a, __global const double *d) {
  uint k = __builtin_amdgcn_workitem_id_x();
  printf("%u: %5d|%-8x|%ld|%hd \"%s\" %f %e %g\n", k, a[k], a[k], (long)a[k] << 20, (short)a[k], "words", d[k],
         (float)d[k], d[k]);
  if (k < 2) printf("no arguments, 100%% \\ done\n");
  printf("%v4d;%v3hd;%v2lf;%c\n", (int4)(1, -2, 3, a[k]), (short3)(4, 5, -6), (double2)(d[k], 0.5), 'a' + k % 26);
}
"""


def test_printf_of_opencl(folder: Path, capfd: pytest.CaptureFixture[str], rng: np.random.Generator) -> None:
    a, d = rng.integers(-(2**31), 2**31, 64, dtype=np.int32), rng.standard_normal(64)
    with Program(compile_opencl(OPENCL, "gfx942", folder)) as program:
        program.run("show", 1, 64, [a, d])
    first = []
    for k, (w, v) in enumerate(zip(a, d, strict=True)):
        values = k, w, int(w) % 2**32, int(w) << 20, w.astype(np.int16), "words", v, np.float32(v), v
        first.append(by_python('%d: %5d|%-8x|%d|%d "%s" %f %e %g', *values))
    last = [f"1,-2,3,{w};4,5,-6;{v:f},0.500000;{chr(97 + k % 26)}" for k, (w, v) in enumerate(zip(a, d, strict=True))]
    assert capfd.readouterr().out.splitlines() == [*first, *["no arguments, 100% \\ done"] * 2, *last]


HOST_CALLS = r"""
typedef unsigned long u64;
DEVICE u64 __ockl_dm_alloc(u64);
DEVICE void __ockl_dm_dealloc(u64);
DEVICE u64 __ockl_fprintf_stderr_begin();
DEVICE u64 __ockl_fprintf_append_string_n(u64, const char *, u64, int);
DEVICE void __ockl_call_host_function(u64, u64, u64, u64, u64, u64, u64, u64);
GLOBAL take(u64 *places, int bytes) {
  int *made = (int *)__ockl_dm_alloc(bytes);
  for (int k = 0; k < bytes / 4; ++k) made[k] = THREAD * 1000 + k;
  places[THREAD] = (u64)made;
}
GLOBAL give_back(u64 *places, int bytes, int *sums) {
  const int *made = (const int *)places[THREAD];
  for (int k = 0; k < bytes / 4; ++k) sums[THREAD] += made[k] == THREAD * 1000 + k;
  __ockl_dm_dealloc(places[THREAD]);
}
GLOBAL give_nothing_back(u64 *places) { __ockl_dm_dealloc(places[THREAD]); }
GLOBAL complain(int *n) {
  if (n[THREAD] < 5) return;
  __ockl_fprintf_append_string_n(__ockl_fprintf_stderr_begin(), "n is five\n", 11, 1);
  __builtin_trap();
}
GLOBAL ask(int *n) { __ockl_call_host_function((u64)n, 0, 0, 0, 0, 0, 0, 0); }
"""


@pytest.fixture(scope="module")
def host_calls(folder: Path) -> Program:
    return Program(compile_hip(HOST_CALLS, "gfx942", folder))


@pytest.mark.parametrize("size", [4, 100, 3072, 20000])
def test_memory_of_the_devices_malloc_lives_until_it_is_given_back(host_calls: Program, size: int) -> None:
    places, sums = np.zeros(256, np.uint64), np.zeros(256, np.int32)
    host_calls.run("take", 2, 128, [places, size])
    assert len(set(places)) == 256
    assert all(b - a >= np.uint64(size) for a, b in zip(sorted(places), sorted(places)[1:], strict=False))
    host_calls.run("give_back", 2, 128, [places, size, sums])
    assert (sums == size // 4).all()


def test_giving_back_what_malloc_did_not_give_is_a_fault(host_calls: Program) -> None:
    with pytest.raises(KernelFault, match="frees memory that its malloc did not give.*'give_nothing_back'"):
        host_calls.run("give_nothing_back", 1, 1, [np.full(1, 1 << 40, np.uint64)])


def test_an_assertion_prints_before_it_ends_the_launch(host_calls: Program, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(KernelFault, match="the kernel trapped.*as failed assertions do"):
        host_calls.run("complain", 1, 64, [np.arange(64, dtype=np.int32) % 6])
    assert capfd.readouterr().err == "n is five\n" * 10


def test_calls_of_functions_of_the_host_are_refused(host_calls: Program) -> None:
    with pytest.raises(KernelFault, match="calls a function of the host.*only printf and malloc are served"):
        host_calls.run("ask", 1, 1, [np.zeros(1, np.int32)])
