"""What kernels and host code print appears on stdout, line by line."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def run(kernel, x=None, n=3, grid=1, block=1):
    @flyc.jit
    def host(x: fx.Tensor, n: fx.Int32):
        kernel(x, n).launch(grid=grid, block=block)

    host(np.arange(8, dtype=np.float32) if x is None else x, n)


def printed(capfd, body, **keywords) -> list[str]:
    """The lines of a kernel whose thread does `body(x, n)`."""

    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Int32):
        body(x, n)

    run(kernel, **keywords)
    return capfd.readouterr().out.splitlines()


def test_numbers_of_every_type(capfd):
    def body(x, n):
        fx.printf("{} {} {} {}", n, x[1], x[1].to(fx.Float16) * 0.5, n == 3)
        fx.printf("{} {} {}", fx.Int8(n) - fx.Int8(4), fx.Uint8(n) - fx.Uint8(4), fx.Int64(n) << 40)
        fx.printf("{} {} {}", fx.Uint32(n) - fx.Uint32(4), fx.Uint64(n) - fx.Uint64(4), fx.Index(n))
        fx.printf("{} {} {} {}", 7, 2.5, True, fx.Uint32(2**32 - 1))

    assert printed(capfd, body) == [
        "3 1.000000 0.500000 1",
        "-1 255 3298534883328",
        "4294967295 18446744073709551615 3",
        "7 2.500000 1 4294967295",
    ]


def test_widths_digits_and_conversions(capfd):
    def body(x, n):
        fx.printf("[{:5d}] [{:-5d}] [{:05d}]", n, n, n)
        fx.printf("{:x} {:X} {:o} {:08x}", n + 250, n + 250, n, fx.Uint64(n) << 32)
        fx.printf("{:.2f} {:e} {:8.3f} {:g}", x[3], x[3], x[3], x[3])
        fx.printf("{{}} 100% {{{}}}", n)

    assert printed(capfd, body) == [
        "[    3] [3    ] [00003]",
        "fd FD 3 300000000",
        "3.00 3.000000e+00    3.000 3",
        "{} 100% {3}",
    ]


def test_tuples_layouts_and_vectors(capfd):
    def body(x, n):
        fx.printf("{} {}", (1, (n, 2)), fx.make_int_tuple((n, n + 1)))
        fx.printf("{}", fx.make_layout((4, (2, n)), (1, (4, 8))))
        fx.printf("{} {}", x.layout, fx.make_layout(8, 2))
        fx.printf("{} {:.1f}", fx.Vector.from_elements([n, n + 1, -n]), fx.Vector.from_elements([x[1], x[2]]))
        fx.printf("{}", fx.Vector.from_elements([fx.Uint8(n) - fx.Uint8(4), fx.Uint8(n)]))

    assert printed(capfd, body) == [
        "(1,(3,2)) (3,4)",
        "(4,(2,3)):(1,(4,8))",
        "(8):(1) 8:2",
        "[3,4,-3] [1.0,2.0]",
        "[255,3]",
    ]


def test_text_and_values_without_a_format(capfd):
    def body(x, n):
        fx.printf(n, x[2], "and {} text")
        fx.printf("n is", n)
        fx.printf("only words, with é and 100%")
        fx.printf(n, format_str="n = {}")
        fx.printf("{}: {}", "a{b}", None)
        fx.printf("ends itself\n")

    assert printed(capfd, body) == [
        "3 2.000000 and {} text",
        "n is 3",
        "only words, with é and 100%",
        "n = 3",
        "a{b}: None",
        "ends itself",
    ]


def test_lines_of_many_blocks_are_whole_and_in_order_for_each_thread(capfd):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Int32):
        i = fx.block_idx.x * fx.block_dim.x + fx.thread_idx.x
        for step in range(n):
            fx.printf("thread {} of the grid is at step {} and has {:.3f}", i, step, x[i % 8])
        fx.barrier()
        if i % 2 == 0:
            fx.printf("thread {} of the grid is at step {} and has {:.3f}", i, n, 0.5)

    run(kernel, n=4, grid=6, block=8)
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 6 * 8 * 4 + 24
    seen: dict[int, list[int]] = {}
    for line in lines:
        match = re.fullmatch(r"thread (\d+) of the grid is at step (\d+) and has (\d\.\d{3})", line)
        assert match, line
        seen.setdefault(int(match[1]), []).append(int(match[2]))
        assert float(match[3]) == (int(match[1]) % 8 if match[2] != "4" else 0.5)
    assert seen == {i: list(range(4 + (i % 2 == 0))) for i in range(48)}


def test_host_code_prints_where_it_stands(capfd):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Int32):
        fx.printf("in the kernel {}", n)

    @flyc.jit
    def host(x: fx.Tensor, n: fx.Int32, k: fx.Constexpr[int]):
        fx.printf("é {} {} {} {:.2f}", n, x.layout, k, 1.5)
        for step in range(n):
            fx.printf("step {}", step)
        kernel(x, n).launch(grid=1, block=1)

    host(np.zeros((2, 3), np.float32), 2, 7)
    host(np.zeros((2, 5), np.float32), 0, 7)
    out = capfd.readouterr().out.splitlines()
    assert out == [
        *("é 2 (2,3):(3,1) 7 1.50", "step 0", "step 1", "in the kernel 2"),
        *("é 0 (2,5):(5,1) 7 1.50", "in the kernel 0"),
    ]


@pytest.mark.parametrize(("arguments", "message"), [
    (("{} {}", 1), "has 2 places for 1 values"),
    (("{", 1), "lone '{'"),
    (("{:.2f}", 1), "cannot print an Int32 as 'f'"),
    (("{:d}", 1.5), "cannot print a Float32 as 'd'"),
    (("{:>5}", 1), "knows no place"),
    (("{name}", 1), "knows no place"),
    (("{}", object), "cannot print"),
])  # fmt: skip
def test_wrong_formats_are_shown_at_their_line(arguments, message):
    @flyc.kernel
    def kernel(x: fx.Tensor, n: fx.Int32):
        fx.printf(*arguments)

    with pytest.raises(FrontendError, match=re.escape(message)) as caught:
        run(kernel)
    assert "fx.printf(*arguments)" in str(caught.value)


ASSERTS = """
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def kernel(x: fx.Tensor):
    assert x[fx.thread_idx.x] < 5.0, "values stay below five"

@flyc.jit
def host(x: fx.Tensor):
    kernel(x).launch(grid=1, block=8)

host(np.zeros(8, np.float32))
print("held", flush=True)
host(np.arange(8, dtype=np.float32))
print("not reached")
"""


def test_a_dynamic_assertion_ends_the_launch_with_its_line(tmp_path, target):
    file = tmp_path / "asserts.py"
    file.write_text(ASSERTS)
    chosen = {"FLYDSL_COMPILE_BACKEND": "cpu", "FLYDSL_HIPSIM": ""}
    if target.arch:
        chip = target.arch.partition(":")[0]
        chosen = {"FLYDSL_COMPILE_BACKEND": "rocm", "FLYDSL_HIPSIM": f"{chip},order={target.order}"}
        chosen["FLYDSL_COMPILE_ARCH"] = target.arch
    done = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, check=False, env={**os.environ, **chosen}
    )
    assert done.returncode != 0
    assert done.stdout.splitlines()[0] == "held"
    text = "asserts.py:8: assertion failed: x[fx.thread_idx.x] < 5.0: values stay below five"
    prints_it = target.arch or os.environ.get("FLYDSL_INTERPRET")  # on the CPU the error has the text
    assert text in (done.stdout if prints_it else done.stderr)
    assert "not reached" not in done.stdout
    assert ("the kernel trapped" in done.stderr) == bool(target.arch)
