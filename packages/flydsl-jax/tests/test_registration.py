"""Registration happens once, from whichever thread and whenever it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable

import jax.ffi
import pytest

from flydsl.base.errors import LibraryMissingError
from flydsl.jax import native, registration
from flydsl.jax.platforms import CALL, CALL_NOGRAPH, Platform

Program = Callable[[str], list[str]]


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, tuple[str, ...]]]:
    """What JAX is given, in a process that has registered nothing yet."""
    found: list[tuple[str, str, tuple[str, ...]]] = []

    def register_target(name: str, bundle: dict[str, object], *, platform: str, api_version: int) -> None:
        assert api_version == 1
        assert all(type(capsule).__name__ == "PyCapsule" for capsule in bundle.values())
        found.append((platform, name, tuple(bundle)))

    def register_type(name: str, state: dict[str, object], *, platform: str) -> None:
        assert all(type(capsule).__name__ == "PyCapsule" for capsule in state.values())
        found.append((platform, name, tuple(state)))

    monkeypatch.setattr(jax.ffi, "register_ffi_target", register_target)
    monkeypatch.setattr(jax.ffi, "register_ffi_type", register_type)
    monkeypatch.setattr(registration, "_is_registered", False)
    monkeypatch.setattr(native, "set_providers", lambda *providers: None)
    return found


def test_each_platform_gets_its_state_type_before_both_targets(registered: list[object]) -> None:
    registration.register()
    state, cpu, gpu = ("type_id", "type_info"), ("instantiate", "execute"), ("instantiate", "prepare", "execute")
    assert registered == [
        (platform.registered, name, parts)
        for platform in Platform
        for name, parts in [
            (CALL, state),
            *((target, cpu if platform is Platform.CPU else gpu) for target in (CALL, CALL_NOGRAPH)),
        ]
    ]


def test_threads_register_once(registered: list[object]) -> None:
    start = threading.Barrier(8)

    def register() -> None:
        start.wait()
        registration.register()

    threads = [threading.Thread(target=register) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(registered) == 9


def test_a_registration_that_failed_is_tried_again(registered: list[object], monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise LibraryMissingError("not built")

    with monkeypatch.context() as patch:
        patch.setattr(native, "library", missing)
        with pytest.raises(LibraryMissingError, match="not built"):
            registration.register()
    assert registered == []
    registration.register()
    assert len(registered) == 9


CALLED = "\nnative.set_runtime(Platform.CPU, Runtime())\nprint(jax.jit(call)(x).shape, len(launched))\n"


@pytest.mark.parametrize(
    "program",
    [
        "registration.register()",
        "registration.register(); registration._is_registered = False; registration.register()",
        "jnp.ones(3).block_until_ready(); registration.register()",
        "jnp.ones(3).block_until_ready(); registration.register(); registration._is_registered = False\n"
        "registration.register()",
        "threads = [threading.Thread(target=registration.register) for _ in range(8)]\n"
        "[thread.start() for thread in threads]\n[thread.join() for thread in threads]",
    ],
    ids=["before", "twice before", "after", "twice after", "threads"],
)
def test_it_does_not_matter_when_and_how_often(program: str, run_program: Program) -> None:
    assert run_program(program + CALLED) == ["(5,) 1"]


def test_platforms_without_a_plugin_disturb_nothing(run_program: Program) -> None:
    program = """
registration.register()
print([device.platform for device in jax.devices()])
lowered = jax.jit(call).trace(x).lower(lowering_platforms=("cpu", "rocm", "cuda")).as_text()
print(lowered.count("@flydsl.call.v1"), "mhlo.backend_config = {key = " in lowered)
"""
    devices, calls = run_program(program)
    assert devices == str(["cpu"] * 4)
    assert calls == "1 True"


def test_a_launcher_comes_from_the_first_finder_that_has_it(run_program: Program) -> None:
    program = """
asked = []
registration.register()
native.set_runtime(Platform.CPU, Runtime())
registration.add_launcher_finder(lambda platform, key: asked.append(("first", platform.name, key)))
registration.add_launcher_finder(lambda platform, key: asked.append("second") or image)
registration.add_launcher_finder(lambda platform, key: asked.append("third"))
named = lambda x: jax.ffi.ffi_call(CALL, jax.ShapeDtypeStruct(x.shape, x.dtype))(x, key="1e" * 32, plan=plan)
print(jax.jit(named)(x).shape, asked)
"""
    assert run_program(program) == [f"(5,) {[('first', 'CPU', '1e' * 32), 'second']}"]


def test_a_finder_that_raises_is_heard(run_program: Program) -> None:
    program = """
def find(platform, key):
    raise OSError("the disk is gone")

registration.register()
registration.add_launcher_finder(find)
named = lambda x: jax.ffi.ffi_call(CALL, jax.ShapeDtypeStruct(x.shape, x.dtype))(x, key="1e" * 32, plan=plan)
try:
    jax.jit(named)(x)
except jax.errors.JaxRuntimeError as error:
    print(str(error).splitlines()[0])
"""
    (text,) = run_program(program)
    assert text.startswith(f"NOT_FOUND: flydsl: no code of key {'1e' * 32} is known in this process for platform cpu")
    assert text.endswith("the call does not hold it: OSError: the disk is gone")
