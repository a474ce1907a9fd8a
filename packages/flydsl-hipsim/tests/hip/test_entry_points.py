"""Every function that the simulator exports for HIP: failures on request, and arguments that make no sense."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from flydsl_hipsim.bench import HipsimBench
from flydsl_hipsim.toolkit import library_path

CODE = 217
"""An error code that nothing gives by itself."""
ANSWERS = {"hipGetErrorName", "hipGetErrorString", "hipGetLastError", "hipPeekAtLastError", "hipExtGetLastError"}
"""They tell what failed before and cannot fail themselves."""
NO_ARGUMENTS = (None,) * 12


@cache
def exported() -> tuple[str, ...]:
    command = ["llvm-nm-22", "-D", "--defined-only", "--no-demangle", str(library_path())]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    names = {line.split()[-1].partition("@")[0] for line in lines if " T " in line}
    return tuple(sorted(name for name in names if name.startswith("hip")))


def test_the_list_of_functions_is_that_of_the_library() -> None:
    assert len(exported()) > 140
    assert {"hipMalloc", "hipMemcpyDtoHAsync", "hipGraphLaunch", *ANSWERS} <= set(exported())


@pytest.mark.parametrize("name", [name for name in exported() if name not in ANSWERS])
def test_every_function_fails_on_request_and_works_again(hip: Any, hipsim: HipsimBench, name: str) -> None:
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *(ctypes.c_void_p for _ in NO_ARGUMENTS))((name, hip.native))
    before = function(*NO_ARGUMENTS)
    assert before != CODE
    hipsim.fail_next(name, CODE)
    assert function(*NO_ARGUMENTS) == CODE
    assert function(*NO_ARGUMENTS) == before


CALLS = """
import ctypes, sys
from flydsl_hipsim.options import Options
from flydsl_hipsim.simulator import hip_functions, start

start(Options(archs=("gfx942", "gfx1100")))
memory = (ctypes.c_char * 65536)()
# At no multiple of 2^32, which ThreadSanitizer's heap begins at: its lower half would be a direction of copies.
value = {"zero": 0, "memory": ctypes.addressof(memory) + 4096}[sys.argv[1]]
for name in sys.argv[2:]:
    print(name, flush=True)
    function = getattr(hip_functions(), name)
    function.argtypes, function.restype = None, ctypes.c_int64
    function(*[ctypes.c_void_p(value)] * 12)
print("all", flush=True)
"""


@pytest.mark.parametrize("value", ["zero", "memory"])
def test_no_function_is_upset_by_what_is_no_handle(value: str) -> None:
    """Null pointers and zero handles; then places that can be written, where a handle is expected as well."""
    command = [sys.executable, "-c", CALLS, value, *exported()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout.split()[-1], done.returncode) == ("all", 0), done.stderr
