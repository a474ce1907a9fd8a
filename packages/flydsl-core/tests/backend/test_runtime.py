"""A runtime's table in Python, a library that is missing, and what is loaded late."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from flydsl.backend.runtime import (
    ABI_VERSION,
    FlyRuntimeApi,
    LaunchFn,
    ModuleLoadFn,
    ModuleUnloadFn,
    NativeLibrary,
    failure_of,
    include_dir,
    machine_name,
    new_lock,
)
from flydsl.base.errors import LibraryMissingError, RuntimeFailure


def test_a_table_is_made_of_callbacks() -> None:
    launched: list[int] = []
    callbacks = (
        ModuleLoadFn(lambda *_: 1),
        ModuleUnloadFn(lambda *_: 0),
        LaunchFn(lambda _self, kernel, *_: launched.append(kernel) or 0),
    )
    table = FlyRuntimeApi(ctypes.sizeof(FlyRuntimeApi), ABI_VERSION, None, *callbacks)
    assert table.launch(None, 7, None, None, None) == 0
    assert launched == [7]


def test_headers_for_native_runtimes_are_there() -> None:
    assert {path.name for path in include_dir().iterdir()} >= {"fly_abi.h", "fly_library.h"}


def test_failures_say_what_failed() -> None:
    with pytest.raises(LibraryMissingError, match="flydsl-tiny"):
        NativeLibrary("flydsl-tiny", "flydsl_tiny/libtiny.so").open({})
    failure = failure_of(3, "kernel 'f' ran away")
    assert isinstance(failure, RuntimeFailure)
    assert "ran away" in str(failure)


def test_locks_and_machines() -> None:
    with new_lock() as taken:
        assert taken
    assert machine_name()


def test_a_table_needs_no_library_and_no_processor() -> None:
    late = "{'flydsl.runtime.native_library', 'flydsl.runtime.machine'}"
    program = f"import sys, flydsl.backend.runtime; print({late} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
