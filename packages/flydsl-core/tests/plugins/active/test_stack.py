"""One runtime a process, made once."""

from __future__ import annotations

import threading

import pytest

from flydsl.base.errors import NoDeviceError, RuntimeStackError
from flydsl.plugins import active_pair, claim_runtime, device_runtime, resolve_pair
from flydsl.plugins.active.stack import enable_peer_access, has_device_work, has_peer_access
from flydsl.testing.fakes import FakeRuntime, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox


@pytest.fixture(autouse=True)
def plugins(isolated_plugins: PluginSandbox) -> PluginSandbox:
    isolated_plugins.register(fake_backend("one"), fake_backend("two", runtime_kind="other"))
    isolated_plugins.register(fake_runtime("r1"), fake_runtime("r2", kind="other"))
    return isolated_plugins


def test_asking_is_no_device_work() -> None:
    assert device_runtime(resolve_pair("one")).status().available
    assert device_runtime(resolve_pair("two")).status().available
    assert not has_device_work()


def test_a_runtime_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "one")
    assert device_runtime() is device_runtime(active_pair()) is claim_runtime()


def test_threads_make_one_runtime(plugins: PluginSandbox) -> None:
    made: list[int] = []

    def factory() -> FakeRuntime:
        made.append(1)
        return FakeRuntime("slow")

    plugins.register(fake_runtime("slow", kind="slow", factory=factory), fake_backend("slow", runtime_kind="slow"))
    pair, barrier = resolve_pair("slow"), threading.Barrier(8)

    def claim() -> None:
        barrier.wait()
        claim_runtime(pair)

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_a_second_stack_is_refused() -> None:
    first = claim_runtime(resolve_pair("one"))
    message = r"runtime 'r1' \(kind 'fake'\), so 'r2' \(kind 'other'\) cannot be used"
    with pytest.raises(RuntimeStackError, match=message):
        claim_runtime(resolve_pair("two"))
    assert claim_runtime(resolve_pair("one")) is first


def test_no_device_is_an_error_only_for_device_work_and_claims_nothing(plugins: PluginSandbox) -> None:
    plugins.register(fake_runtime("empty", kind="empty", devices=0), fake_backend("three", runtime_kind="empty"))
    pair = resolve_pair("three")
    assert device_runtime(pair).status().reason == "the fake was made without devices"
    with pytest.raises(NoDeviceError, match="runtime 'empty' has no device: the fake was made without devices"):
        claim_runtime(pair)
    assert not has_device_work()
    claim_runtime(resolve_pair("one"))


def test_no_device_names_the_simulator_and_the_backends_that_would_do(plugins: PluginSandbox) -> None:
    plugins.register(fake_runtime("real", kind="chip", devices=0), fake_runtime("sim", kind="chip", simulator=True))
    plugins.register(fake_backend("three", runtime_kind="chip"), fake_runtime("unlike", kind="fake", simulator=True))
    with pytest.raises(NoDeviceError) as caught:
        claim_runtime(resolve_pair("three"))
    words = (
        "; simulated by: 'sim' (set FLYDSL_RUNTIME_KIND); with a device here: 'one', 'two' (set FLYDSL_COMPILE_BACKEND)"
    )
    assert str(caught.value).endswith(words)


def test_a_missing_runtime_says_why_at_every_device_call(plugins: PluginSandbox) -> None:
    plugins.register(fake_backend("alone", runtime_kind="nowhere"))
    runtime = device_runtime(resolve_pair("alone"))
    assert runtime.device_count() == 0
    reason = "no device runtime of kind 'nowhere' is installed"
    for call in (lambda: runtime.allocate(0, 4), lambda: runtime.synchronize(0), runtime.api_table):
        with pytest.raises(NoDeviceError, match=reason):
            call()


def test_one_direction_of_one_runtime_is_let_in() -> None:
    enable_peer_access("test-peers", 1, 3)
    assert has_peer_access("test-peers", 1, 3)
    assert not any(has_peer_access(*other) for other in (("test-peers", 3, 1), ("test-peers", 1, 2), ("other", 1, 3)))
