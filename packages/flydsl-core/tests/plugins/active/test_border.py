"""What a plugin gives is checked where it comes over the boundary, and the error says whose plugin it was."""

from __future__ import annotations

import ctypes
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flydsl.base.dlpack import DeviceKind
from flydsl.base.errors import PluginFactoryError, PluginValueError
from flydsl.compiler.options.target_options import target_of, tools
from flydsl.plugins import DeviceRef, DType, TensorAdaptor, TensorAdaptorManifest, TensorDesc
from flydsl.plugins.active import border
from flydsl.plugins.active.border import (
    check_signature,
    checked_code,
    checked_libraries,
    checked_module,
    checked_patterns,
    checked_table,
    checked_target,
    described,
    status_of,
)
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import claim_runtime
from flydsl.plugins.compile_backend import GPUTarget
from flydsl.runtime.abi import FlyRuntimeApi
from flydsl.testing.fakes import FakeBackend, FakeRuntime, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox

GOOD = TensorDesc(4096, (2, 3), (3, 1), DType(2, 32), DeviceRef(DeviceKind.CPU))


class Told(TensorAdaptor):
    """Tells what it is given."""

    name = "told"

    def __init__(self, desc: Any, signature: Any = 1, pointer: Any = 4096) -> None:
        self.desc, self.said, self.address = desc, signature, pointer

    def describe(self, obj: Any) -> Any:
        return self.desc

    def signature(self, obj: Any) -> Any:
        return self.said

    def pointer(self, obj: Any) -> Any:
        return self.address


@pytest.fixture(autouse=True)
def named(isolated_plugins: PluginSandbox) -> PluginSandbox:
    """The manifests that errors name."""
    owner = {"distribution": "acme-told", "version": "7.1"}
    adaptor = TensorAdaptorManifest(name="told", factory=partial(Told, GOOD), claims=lambda cls: False, **owner)
    isolated_plugins.register(adaptor, fake_backend(**owner), fake_runtime(**owner))
    return isolated_plugins


@pytest.mark.parametrize(("change", "problem"), [
    ({"shape": (np.int64(2), 3)}, "expected a tuple of int, found int, int64"),
    ({"shape": (2.0, 3)}, "expected a tuple of int, found float, int"),
    ({"shape": (True, 3)}, "expected a tuple of int, found bool, int"),
    ({"shape": None}, "shape is None, expected a tuple of int"),
    ({"shape": [2, 3]}, r"shape is \[2, 3\], expected a tuple of int"),
    ({"shape": (-2, 3)}, "has a negative extent"),
    ({"strides": (np.int64(3), 1)}, "expected a tuple of int, found int, int64"),
    ({"strides": None}, "strides is None, expected a tuple of int"),
    ({"strides": (1,)}, "have different ranks"),
    ({"pointer": None}, "pointer is None"),
    ({"pointer": -1}, "pointer is -1"),
    ({"pointer": 1 << 64}, "expected an int from 0"),
    ({"pointer": np.int64(64)}, "pointer is "),
    ({"dtype": "float32"}, "dtype is 'float32', expected a DType of int"),
    ({"dtype": (2, 32, 1)}, "expected a DType of int"),
    ({"device": 1}, "device is 1, expected a DeviceRef of int"),
])  # fmt: skip
def test_a_description_of_wrong_kinds_names_adaptor_and_distribution(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(PluginValueError, match=rf"tensor adaptor 'told' of acme-told 7.1: describe\(\) .*{problem}"):
        described(Told(GOOD._replace(**change)), object())


@pytest.mark.parametrize("desc", [None, (), "x", tuple(GOOD)])
def test_what_is_no_description_is_told_so(desc: object) -> None:
    with pytest.raises(PluginValueError, match="expected a TensorDesc"):
        described(Told(desc), object())


def test_a_good_description_passes() -> None:
    assert described(Told(GOOD), object()) is GOOD
    check_signature(Told(GOOD), object())


@pytest.mark.parametrize(("adaptor", "problem"), [
    (Told(GOOD, signature=[1]), r"signature\(\) gave \[1\], which is not hashable"),
    (Told(GOOD, signature=({},)),  r"signature\(\) gave .* not hashable"),
    (Told(GOOD, pointer=None), r"pointer\(\) gave None"),
    (Told(GOOD, pointer=-8), r"pointer\(\) gave -8"),
])  # fmt: skip
def test_cheap_answers_are_tried_once(adaptor: Told, problem: str) -> None:
    with pytest.raises(PluginValueError, match=f"of acme-told 7.1: {problem}"):
        check_signature(adaptor, object())


@pytest.mark.parametrize("code", [None, "text", b"", 3])
def test_code_is_bytes(code: object) -> None:
    with pytest.raises(PluginValueError, match=r"compile backend 'fake' of acme-told 7.1: emit_code_object\(\) gave"):
        checked_code("fake", code)
    assert checked_code("fake", b"x") == b"x"


@pytest.mark.parametrize("warp_size", [0, -1, "32", None, 32.0, True])
def test_a_wave_has_some_threads(named: PluginSandbox, warp_size: Any) -> None:
    with pytest.raises(PluginValueError, match=r"compile backend 'fake' of acme-told 7.1: warp_size\('fake1'\) gave"):
        checked_target("fake", GPUTarget("fake", "fake1", warp_size))
    named.install()
    wrong = type("Wrong", (FakeBackend,), {"warp_size": lambda self, arch: warp_size})
    named.register(fake_backend(factory=wrong), fake_runtime())
    with pytest.raises(PluginValueError, match="warp_size"):
        target_of("fake")


@pytest.mark.parametrize("address", [0, None, -1, "x"])
def test_a_table_has_an_address(address: Any) -> None:
    runtime = FakeRuntime("fake", "fake")
    runtime.api_table = lambda: address  # type: ignore[method-assign]
    with pytest.raises(PluginValueError, match=r"device runtime 'fake' of acme-told 7.1: api_table\(\) gave"):
        checked_table(runtime)


@pytest.mark.parametrize("name", ["module_load", "module_unload", "launch"])
def test_a_table_has_every_function(name: str) -> None:
    runtime = FakeRuntime("fake", "fake")
    table = FlyRuntimeApi.from_buffer_copy(FlyRuntimeApi.from_address(runtime.api_table()))
    setattr(table, name, type(getattr(table, name))())
    runtime.api_table = lambda: ctypes.addressof(table)  # type: ignore[method-assign]
    with pytest.raises(PluginValueError, match=f"'fake' of acme-told 7.1: in the table .* {name} is a null pointer"):
        checked_table(runtime)


@pytest.mark.parametrize("patterns", [None, "libx.so", [None], [""], [b"x"]])
def test_native_files_are_named_by_texts(patterns: Any) -> None:
    with pytest.raises(PluginValueError, match=r"'fake' of acme-told 7.1: cache_key_native_lib_patterns\(\) gave"):
        checked_patterns("fake", patterns)
    assert checked_patterns("fake", ("lib*.so",)) == ["lib*.so"]


@pytest.mark.parametrize(("libraries", "problem"), [
    (None, "gave None"), ([None], r"gave \[None\]"), ("x", "gave 'x'"), ([Path("/no/such.bc")], "names '/no/such.bc'"),
])  # fmt: skip
def test_device_libraries_are_files_that_are_there(libraries: Any, problem: str) -> None:
    with pytest.raises(PluginValueError, match=rf"'fake' of acme-told 7.1: device_libraries\(\) {problem}"):
        checked_libraries("fake", libraries)
    assert checked_libraries("fake", [__file__]) == [Path(__file__)]


def test_a_backend_with_a_missing_library_is_named_when_something_is_compiled(
    named: PluginSandbox, fake_toolchain: object
) -> None:
    named.install()
    gone = type("Gone", (FakeBackend,), {"device_libraries": lambda self: [Path("/no/such.bc")]})
    named.register(fake_backend(factory=gone), fake_runtime())
    with pytest.raises(PluginValueError, match="compile backend 'fake' of flydsl-fake 1.0: device_libraries"):
        tools("fake")


@pytest.mark.parametrize("module", [0, None])
def test_a_load_that_succeeds_gives_a_module(module: int | None) -> None:
    with pytest.raises(PluginValueError, match="'fake' of acme-told 7.1: module_load .* stored no module"):
        checked_module(FakeRuntime("fake", "fake"), module)


class Unspeakable(BaseException):
    """Its text raises."""

    def __str__(self) -> str:
        raise SystemExit(3)


ENDS = [SystemExit(), GeneratorExit(), Unspeakable(), OSError("no licence")]


def raises(error: BaseException) -> Any:
    """A function that raises it, with whatever arguments."""

    def function(*args: Any) -> Any:
        raise error

    return function


@pytest.mark.parametrize("answer", [*ENDS, None, True, (True, "")])
def test_a_status_that_fails_is_no_device_and_names_the_plugin(named: PluginSandbox, answer: Any) -> None:
    wrong = raises(answer) if isinstance(answer, BaseException) else lambda self: answer
    factory = type(
        "Fails", (FakeRuntime,), {"status": wrong, "__init__": lambda self: FakeRuntime.__init__(self, "f", "f")}
    )
    manifest = fake_runtime("fake", factory=factory, distribution="acme-told", version="7.1")
    status = status_of(manifest, manifest.create())
    assert not status.available
    assert "status() of runtime 'fake' of acme-told 7.1 failed" in status.reason


def test_an_interrupt_passes(named: PluginSandbox) -> None:
    with pytest.raises(KeyboardInterrupt):
        fake_backend(factory=raises(KeyboardInterrupt())).create()


@pytest.mark.parametrize("error", ENDS)
def test_a_constructor_that_ends_the_program_is_an_error_of_its_plugin(error: BaseException) -> None:
    with pytest.raises(PluginFactoryError, match=f"'fake' of flydsl-fake 1.0: .*{type(error).__name__}"):
        fake_backend(factory=raises(error)).create()


def test_a_device_that_was_there_is_not_asked_for_again(named: PluginSandbox) -> None:
    asked = []

    class Counts(FakeRuntime):
        def status(self) -> Any:
            asked.append(1)
            return super().status()

    named.install()
    named.register(
        fake_backend("a", runtime_kind="fake"),
        fake_backend("b", runtime_kind="other"),
        fake_runtime(factory=lambda: Counts("fake", "fake")),
    )
    claim_runtime(active_pair())
    assert len(asked) == 1


def test_a_slow_status_is_told_with_the_plugin(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    times = iter([10.0, 10.2, 20.0, 26.1])
    monkeypatch.setattr(border, "perf_counter", lambda: next(times))
    manifest = fake_runtime(distribution="acme-told", version="7.1")
    status_of(manifest, FakeRuntime())
    assert not caplog.text
    status_of(manifest, FakeRuntime())
    assert "status() of runtime 'fake' of acme-told 7.1 took 6.1 s" in caplog.text
