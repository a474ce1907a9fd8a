"""What `conformance` makes of a plugin's hooks."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from flydsl.base.errors import NoDeviceError
from flydsl.plugins import hookimpl
from flydsl.testing.capabilities import Capability
from flydsl.testing.fakes import fake_backend, fake_runtime
from flydsl.testing.suite import conformance

LAUNCHED = ("LaunchSuite", "NumberSuite", "ThreadSuite")
"""What a backend with a runtime is tested by."""


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A plugin with two backends and one runtime."""

    def flydsl_compile_backends() -> list[Any]:
        return [fake_backend("one"), fake_backend("two")]

    def flydsl_device_runtimes() -> list[Any]:
        return [fake_runtime()]

    module = ModuleType("example_plugin")
    module.flydsl_compile_backends = hookimpl(flydsl_compile_backends)  # type: ignore[attr-defined]
    module.flydsl_device_runtimes = hookimpl(flydsl_device_runtimes)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "example_plugin", module)
    return module


def names(suite: type) -> set[str]:
    return {base.__name__ for base in suite.__bases__}


def test_each_noun_that_is_declared_is_tested(plugin: ModuleType) -> None:
    suite = conformance(plugin.__name__, backend="two")
    assert names(suite) == {"ManifestSuite", "CompileSuite", "RuntimeSuite", *LAUNCHED}
    assert suite.bench.pair.backend.name == "two"
    assert suite.bench.pair.runtime.name == "fake"


def test_one_of_several_has_to_be_named(plugin: ModuleType) -> None:
    with pytest.raises(ValueError, match="declares several: one, two; name one with backend="):
        conformance(plugin.__name__)
    with pytest.raises(ValueError, match="declares no backend 'three', found: one, two"):
        conformance(plugin.__name__, backend="three")


def test_a_plugin_that_cannot_be_loaded_says_why() -> None:
    with pytest.raises(ModuleNotFoundError, match="flydsl_absent"):
        conformance("flydsl_absent.plugin")


def test_a_runtime_alone_is_paired_with_the_backend_beside_it(
    plugin: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flydsl_device_runtimes() -> list[Any]:
        return [fake_runtime("simulator", simulator=True)]

    module = ModuleType("example_simulator")
    module.flydsl_device_runtimes = hookimpl(flydsl_device_runtimes)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "example_simulator", module)
    alone = conformance("example_simulator")
    assert names(alone) == {"ManifestSuite", "RuntimeSuite"}
    paired = conformance("example_simulator", beside=["example_plugin"], backend="one")
    assert names(paired) == {"ManifestSuite", "RuntimeSuite", *LAUNCHED}
    assert str(paired.bench.pair) == "one + simulator (kind fake)"


def test_one_target_is_not_several(plugin: ModuleType) -> None:
    few = conformance(plugin.__name__, backend="one", targets=("fake1",)).bench.capabilities
    many = conformance(plugin.__name__, backend="one", targets=("fake1", "fake2")).bench.capabilities
    assert not few.has(Capability.SEVERAL_TARGETS)
    assert many.has(Capability.SEVERAL_TARGETS)


def test_work_is_done_on_the_devices_that_are_named(plugin: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    both = {"backend": "one", "targets": ("fake1", "fake2")}
    assert conformance(plugin.__name__, **both).bench.subject.devices == ("",)
    assert conformance(plugin.__name__, **both, devices=["fake1"]).bench.subject.devices == ("fake1",)
    monkeypatch.delattr(plugin, "flydsl_compile_backends")
    assert conformance(plugin.__name__, targets=both["targets"]).bench.subject.devices == both["targets"]


def test_a_device_of_the_architecture_under_test_is_used(plugin: ModuleType) -> None:
    bench = conformance(plugin.__name__, backend="one").bench
    bench.runtime.devices = 3  # type: ignore[attr-defined]
    for arch, ordinal in (("", 2), ("fake1", 0), ("fake1:wide+", 0)):
        with bench.active(arch):
            assert bench.device.ordinal == ordinal


def test_a_named_device_that_is_not_there_is_an_error_that_lists_the_others(plugin: ModuleType) -> None:
    bench = conformance(plugin.__name__, backend="one", devices=["fake2"]).bench
    with bench.active("fake2"), pytest.raises(NoDeviceError, match=r"no device of runtime 'fake' is a 'fake2', .*ke1"):
        _ = bench.device


def test_the_world_of_a_test_holds_this_plugin_only_and_leaves_no_trace(plugin: ModuleType) -> None:
    from flydsl.plugins import active_pair, device_runtime
    from flydsl.plugins.active.selection import choice
    from flydsl.plugins.registry import registry

    bench = conformance(plugin.__name__, backend="one").bench
    before = registry.tables, choice.pair
    with bench.active():
        assert set(registry.tables.backends) == {"one", "two"}
        assert active_pair() is bench.pair
        assert device_runtime() is bench.runtime
    assert (registry.tables, choice.pair) == before
