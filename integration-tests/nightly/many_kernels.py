"""Thousands of distinct kernels in one process, each run once and dropped: what is left of them.

The first 20,000 are made from the code of one, with another constant in it; half as many are compiled from source. Of
each it tells the growth of memory maps, resident KiB, open files and Python objects after the first tenth, when caches
are full.
"""

from __future__ import annotations

import gc
import linecache
import os
import struct
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
os.environ["FLYDSL_COMPILE_BACKEND"] = "cpu"

import numpy as np
from support.long_run import Outcome, long_run

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.plugins.active.stack import claim_runtime
from flydsl.runtime.kernel import load_launcher

MARK = 0x5A17C0DE
MOST_MAPS = 100
"""New memory maps that allocators may need; a kernel has four."""
SOURCE = """
@flyc.kernel
def store(p: fx.Pointer):
    p[0] = {number}

@flyc.jit
def run(p: fx.Pointer):
    store(p).launch(grid=1, block=1)
"""

Result = np.zeros(1, np.int32)


def function_of(number: int, file: str) -> Callable[..., None]:
    """A host function whose kernel stores `number`."""
    source = SOURCE.format(number=number)
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    names = {"flyc": flyc, "fx": fx, "__name__": "many_kernels_made"}
    exec(compile(source, file, "exec"), names)
    return names["run"]  # type: ignore[return-value]


def loads(count: int) -> Iterator[bool]:
    """Kernels that differ in their machine code and were compiled once."""
    address = Result.ctypes.data
    made = function_of(MARK, "<mark>").prepare(flyc.from_c_void_p(fx.Int32, address))  # type: ignore[attr-defined]
    image, mark = made.artifact.launcher, struct.pack("<I", MARK)
    assert image.count(mark) == 1, "the constant is in the machine code once"
    runtime = claim_runtime()
    packed = struct.pack("<Q", address)
    for number in range(count):
        launcher = load_launcher(image.replace(mark, struct.pack("<I", number)))
        module = launcher.load_owned(runtime, 0)
        code = launcher.fly_launch_packed(runtime.api_table(), module, 0, None, packed)
        yield code == 0 and int(Result[0]) == number


def compiles(count: int) -> Iterator[bool]:
    """Kernels compiled from source."""
    pointer = flyc.from_c_void_p(fx.Int32, Result.ctypes.data)
    for number in range(count):
        file = f"<kernel {number}>"
        function_of(number, file)(pointer)
        del linecache.cache[file]
        yield int(Result[0]) == number


def usage() -> dict[str, int]:
    """What the process holds."""
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return {
        "maps": len(Path("/proc/self/maps").read_text().splitlines()),
        "rss": resident >> 10,
        "files": len(os.listdir("/proc/self/fd")),
        "objects": len(gc.get_objects()),
    }


def measure(what: str, kernels: Iterator[bool], count: int) -> Outcome:
    """Run all; growth is from the end of the first tenth on, and too many new maps are a failure too."""
    failed, before = 0, usage()
    for index, is_right in enumerate(kernels, 1):
        failed += not is_right
        if index == count // 10:
            before = usage()
        if index % 1000 == 0:
            print(what, index, usage(), file=sys.stderr, flush=True)
    growth = {name: now - before[name] for name, now in usage().items()}
    failures = [f"{failed} kernels gave a wrong result"] * bool(failed)
    if growth["maps"] > MOST_MAPS:
        failed += 1
        failures.append(f"{growth['maps']} new memory maps are left")
    return Outcome(f"kernels dropped after one run, {what}", count, failed, growth, tuple(failures))


def run(count: int) -> Iterator[Outcome]:
    """The rows of both ways to make kernels."""
    flyc.use_pair("cpu")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        yield measure("loaded", loads(count), count)
        yield measure("compiled", compiles(max(1, count // 2)), max(1, count // 2))


if __name__ == "__main__":
    for outcome in run(long_run(__doc__, 20_000).count):
        outcome.print()
