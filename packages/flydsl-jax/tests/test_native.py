"""The native library from Python: what it refuses, and what becomes of errors in callbacks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.base.errors import LibraryMissingError, RuntimeFailure
from flydsl.jax import native
from flydsl.jax.platforms import Platform
from flydsl.runtime.native_library import NativeLibrary

KEY = "0f" * 32


def test_a_library_that_is_not_there_is_named_with_what_to_do() -> None:
    missing = NativeLibrary(native.LIBRARY.distribution, "flydsl_jax/libabsent.so")
    with pytest.raises(LibraryMissingError, match=r"'libabsent.so' was not found: .*reinstall flydsl-jax"):
        missing.open({})


def test_a_launcher_that_is_none_is_refused() -> None:
    with pytest.raises(RuntimeFailure, match="`module` is no shared object: 4 bytes"):
        native.add_launcher(Platform.CUDA, KEY, b"\x7fELF")
    with pytest.raises(RuntimeFailure, match="64 hexadecimal digits in lower case, found 3 bytes"):
        native.add_launcher(Platform.CUDA, "abc", b"")


def test_a_shared_object_that_is_no_launcher_is_refused() -> None:
    library = native.LIBRARY.path()
    assert library is not None
    with pytest.raises(RuntimeFailure, match="is no launcher: it has no fly_load or no fly_launch_packed"):
        native.add_launcher(Platform.CUDA, KEY, library.read_bytes())


def test_a_launcher_is_opened_once(fake_launcher: Path) -> None:
    before = native.counts()
    for _ in range(2):
        native.add_launcher(Platform.CUDA, "0d" * 32, fake_launcher.read_bytes())
    assert native.counts().opened == before.opened + 1
    assert native.counts().loaded == before.loaded


def test_a_call_launches_through_the_runtime(run_program: Callable[[str], list[str]]) -> None:
    program = """
registration.register()
native.set_runtime(Platform.CPU, Runtime())
jax.jit(call)(x).block_until_ready()
(kernel, stream, packed), = launched
print(kernel, stream, int.from_bytes(packed[8:12], "little"), native.counts().loaded)
"""
    assert run_program(program) == ["4096 None 5 1"]


def test_a_failed_launch_says_what_the_runtime_says_or_raises(run_program: Callable[[str], list[str]]) -> None:
    program = """
registration.register()
native.set_runtime(Platform.CPU, Runtime())
for code in (5, 9, -2):
    fail[:] = [code]
    try:
        jax.jit(call)(x).block_until_ready()
    except jax.errors.JaxRuntimeError as error:
        print(str(error).splitlines()[0])
fail.clear()
print(jax.jit(call)(x).shape)
"""
    begin = "INTERNAL: flydsl: fake: the launch failed with code"
    assert run_program(program) == [
        f"{begin} 5: kernel 'fake' failed, 5",
        f"{begin} 9: KeyboardInterrupt: stopped",
        f"{begin} -2: a grid, block or cluster dimension is negative or does not fit in 32 bits",
        "(5,)",
    ]


def test_a_platform_without_a_runtime_says_why(run_program: Callable[[str], list[str]]) -> None:
    program = """
def none(platform):
    raise LookupError(f"no device for {platform.backend}")

registration.register()
native.set_providers(none, lambda platform, key: None)
try:
    jax.jit(call)(x)
except jax.errors.JaxRuntimeError as error:
    print(str(error).splitlines()[0])
native.set_providers(lambda platform: native.set_runtime(platform, Runtime()), lambda platform, key: None)
print(jax.jit(call)(x).shape)
"""
    assert run_program(program) == [
        "FAILED_PRECONDITION: flydsl: platform cpu has no device runtime: LookupError: no device for cpu",
        "(5,)",
    ]


def test_a_runtime_cannot_change(run_program: Callable[[str], list[str]]) -> None:
    program = """
native.set_runtime(Platform.ROCM, Runtime())
native.set_runtime(Platform.ROCM, Runtime())
other = FlyRuntimeApi.from_buffer_copy(table)
for version in (1, 7):
    other.abi_version = version
    try:
        native.set_runtime(Platform.ROCM, Runtime(other))
    except Exception as error:
        print(type(error).__name__, error)
"""
    first, second = run_program(program)
    assert first == "RuntimeFailure flydsl: platform rocm has a device runtime already, and cannot change to another"
    assert second.startswith("RuntimeFailure flydsl: the device runtime of platform rocm has launcher ABI 7 (")
