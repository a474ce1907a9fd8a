"""Which backend and which runtime, and why."""

from __future__ import annotations

import sys
import threading
from types import ModuleType

import pytest

from flydsl.base import settings
from flydsl.base.errors import (
    NoBackendError,
    PairMismatchError,
    RuntimeStackError,
    UnknownBackendError,
    UnknownRuntimeError,
    UnsupportedTargetError,
)
from flydsl.plugins import (
    ActivePair,
    active_pair,
    claim_runtime,
    compile_backend_name,
    device_runtime,
    expr_namespace,
    get_backend,
    python_passes,
    resolve_pair,
    use_pair,
)
from flydsl.plugins.active.selection import backend_name_for, warp_functions
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.manifests import TensorAdaptorManifest
from flydsl.plugins.registry import registry
from flydsl.testing.fakes import FakeBackend, FakeRuntime, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox

DEFAULT = settings.DEFAULT_BACKEND


@pytest.fixture
def plugins(isolated_plugins: PluginSandbox) -> PluginSandbox:
    """Two pairs, `one` and `two`."""
    isolated_plugins.register(fake_backend("one", runtime_kind="k1"), fake_runtime("r1", kind="k1"))
    isolated_plugins.register(fake_backend("two", runtime_kind="k2"), fake_runtime("r2", kind="k2"))
    return isolated_plugins


def names(pair: ActivePair) -> tuple[str, str]:
    return pair.backend.name, pair.runtime.name


def test_the_only_installed_backend_is_chosen(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    assert names(active_pair()) == ("one", "r1")
    assert active_pair().reason == "backend: the only one installed; runtime: the only one of kind 'fake'"


def test_a_pair_is_shown_in_a_line(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("r1"))
    assert repr(active_pair()) == "<ActivePair one + r1 (kind fake)>"


def test_the_default_backend_is_chosen_among_several(plugins: PluginSandbox) -> None:
    plugins.register(fake_backend(DEFAULT, runtime_kind="k1"))
    assert compile_backend_name() == DEFAULT


def test_several_backends_and_no_choice_is_an_error_that_lists_them(plugins: PluginSandbox) -> None:
    with pytest.raises(NoBackendError, match="'one', 'two'; name one in FLYDSL_COMPILE_BACKEND"):
        active_pair()


@pytest.fixture
def toys(isolated_plugins: PluginSandbox) -> PluginSandbox:
    """The default backend without a device, and a host's, which always has one."""
    isolated_plugins.register(fake_backend(DEFAULT, runtime_kind="far"), fake_runtime("far", kind="far", devices=0))
    isolated_plugins.register(fake_backend("host", runtime_kind="host", accelerator=False))
    isolated_plugins.register(fake_runtime("host", kind="host"))
    return isolated_plugins


def test_a_backend_whose_runtime_has_a_device_comes_before_the_default(toys: PluginSandbox) -> None:
    assert names(active_pair()) == ("host", "host")
    assert active_pair().reason.startswith("backend: the only one with a device; ")
    assert compile_backend_name() == "host"


def test_an_accelerator_with_a_device_comes_before_the_host(toys: PluginSandbox) -> None:
    toys.register(fake_backend("near", runtime_kind="near"), fake_runtime("near", kind="near"))
    assert names(active_pair()) == ("near", "near")
    assert active_pair().reason.startswith("backend: the only accelerator with a device; ")


def test_the_default_comes_first_among_those_with_a_device(toys: PluginSandbox) -> None:
    toys.register(fake_backend("near", runtime_kind="near"), fake_runtime("near", kind="near"))
    toys.register(fake_runtime("farther", kind="far", requested_by="FLYDSL_FARTHER"))
    assert names(active_pair()) == (DEFAULT, "farther")
    assert active_pair().reason.startswith("backend: the default, and it has a device; ")


def test_a_runtime_that_a_setting_asks_for_is_chosen_though_it_has_no_device(toys: PluginSandbox) -> None:
    toys.register(fake_runtime("asked", kind="far", requested_by="FLYDSL_ASKED", devices=0))
    assert names(active_pair()) == (DEFAULT, "asked")


def test_two_accelerators_with_devices_need_a_choice(toys: PluginSandbox) -> None:
    for name in ("near", "nearer"):
        toys.register(fake_backend(name, runtime_kind=name), fake_runtime(name, kind=name))
    with pytest.raises(NoBackendError, match="installed, with a device: 'near', 'nearer'; name one in FLYDSL_COMPILE"):
        active_pair()


@pytest.mark.parametrize(
    ("variable", "value", "expected"),
    [
        ("COMPILE_ONLY", "1", (DEFAULT, "far")),
        ("FLYDSL_RUNTIME_KIND", "host", ("host", "host")),
        ("FLYDSL_COMPILE_ARCH", "far1", (DEFAULT, "far")),
        ("FLYDSL_COMPILE_ARCH", "of_nobody", ("host", "host")),
        ("FLYDSL_COMPILE_BACKEND", DEFAULT, (DEFAULT, "far")),
    ],
)
def test_settings_narrow_the_default(
    variable: str, value: str, expected: tuple[str, str], toys: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = fake_backend(DEFAULT, runtime_kind="far", factory=lambda: FakeBackend(DEFAULT, ["far1"]))
    registry.change(lambda tables: tables.with_manifest(far, force=True))
    monkeypatch.setenv(variable, value)
    assert names(resolve_pair()) == expected
    assert backend_name_for("far1") == (expected[0] if variable == "FLYDSL_COMPILE_BACKEND" else DEFAULT)


def test_a_broken_plugin_does_not_spoil_the_default(toys: PluginSandbox) -> None:
    toys.register(fake_backend("broken", runtime_kind="broken"))
    toys.register(fake_runtime("broken", kind="broken", factory="flydsl_no_such:R"))
    assert names(active_pair()) == ("host", "host")


def test_one_backend_is_chosen_without_a_question_for_devices(isolated_plugins: PluginSandbox) -> None:
    def never() -> None:
        raise AssertionError("made")

    isolated_plugins.register(fake_backend("one"), fake_runtime("r1", factory=never))
    assert names(active_pair()) == ("one", "r1")


def test_a_runtime_that_was_asked_is_the_one_that_is_used(toys: PluginSandbox) -> None:
    made = []

    def make() -> FakeRuntime:
        made.append(FakeRuntime("host", "host"))
        return made[-1]

    host = fake_runtime("host", kind="host", factory=make)
    registry.change(lambda tables: tables.with_manifest(host, force=True))
    assert names(active_pair()) == ("host", "host")
    assert device_runtime() is made[0]
    compile_backend_name()
    assert len(made) == 1


@pytest.mark.usefixtures("isolated_plugins")
def test_no_backend_at_all_is_an_error_that_says_what_to_install() -> None:
    with pytest.raises(NoBackendError, match="no compile backend is installed: install a plugin"):
        active_pair()


def test_messages_say_why_installed_plugins_do_not_count(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, off = EntryPoint("bad", "flydsl-bad", "1.0", "flydsl_no_such"), EntryPoint("off", "flydsl-off", "1", "x")
    isolated_plugins.install(broken, off, disabled=["off"])
    for call in (active_pair, lambda: get_backend("bad")):
        with pytest.raises((NoBackendError, UnknownBackendError)) as caught:
            call()
        assert "unavailable: plugin 'bad' of flydsl-bad 1.0: ModuleNotFoundError" in str(caught.value)
        assert "disabled by FLYDSL_DISABLE_PLUGINS: 'off'" in str(caught.value)


@pytest.mark.parametrize("value", ["two", "TWO", " Two "])
def test_the_environment_names_the_backend_in_any_case(
    value: str, plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugins.register(fake_backend(DEFAULT, runtime_kind="k1"))
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", value)
    assert compile_backend_name() == "two"
    assert names(active_pair()) == ("two", "r2")
    assert get_backend().name == "two"


def test_an_unknown_backend_is_a_value_error_that_lists_the_known_and_is_raised_lazily(
    plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "three")
    for call in (compile_backend_name, active_pair, get_backend):
        message = r"unknown compile backend 'three' \(FLYDSL_COMPILE_BACKEND\), registered: 'one', 'two'$"
        with pytest.raises(ValueError, match=message):
            call()
    assert names(resolve_pair("one")) == ("one", "r1")


def test_an_explicit_argument_beats_the_environment(plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "one")
    assert names(resolve_pair("TWO")) == ("two", "r2")
    assert get_backend("two").name == "two"
    assert names(use_pair("two")) == names(active_pair()) == ("two", "r2")
    assert compile_backend_name() == "two"


def test_the_pair_is_chosen_once(plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "one")
    chosen = active_pair()
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "two")
    assert active_pair() is chosen


def test_threads_choose_one_pair(plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "one")
    barrier, found = threading.Barrier(8), []

    def choose() -> None:
        barrier.wait()
        found.append(active_pair())

    threads = [threading.Thread(target=choose) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(map(id, found))) == 1


def test_a_mismatched_pair_fails_before_anything_is_made(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never() -> None:
        raise AssertionError("made")

    isolated_plugins.register(fake_backend("one", runtime_kind="k1", factory=never))
    isolated_plugins.register(fake_runtime("r2", kind="k2", factory=never))
    monkeypatch.setenv("FLYDSL_RUNTIME_KIND", "k2")
    for call in (active_pair, lambda: resolve_pair("one", "r2")):
        with pytest.raises(PairMismatchError, match="'one' needs a runtime of kind 'k1', runtime 'r2' is of kind 'k2'"):
            call()


def test_the_environment_names_a_runtime_or_a_kind(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolated_plugins.register(fake_backend("one", default_runtime="real"), fake_runtime("real"))
    isolated_plugins.register(fake_runtime("simulated", simulator=True))
    for value, expected in {"fake": "real", "REAL": "real", "Simulated": "simulated"}.items():
        monkeypatch.setenv("FLYDSL_RUNTIME_KIND", value)
        assert resolve_pair().runtime.name == expected


def test_an_unknown_runtime_is_an_error_that_lists_names_and_kinds(
    plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_KIND", "k3")
    message = r"'k3' \(FLYDSL_RUNTIME_KIND\), registered: 'r1', 'r2' of kinds: k1, k2"
    with pytest.raises(UnknownRuntimeError, match=message):
        resolve_pair("one")


def test_a_simulator_is_never_chosen_by_default(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one", default_runtime="sim"), fake_runtime("sim", simulator=True))
    pair = active_pair()
    assert pair.runtime.name == "none"
    status = device_runtime().status()
    assert not status.available
    assert "'sim' simulates one: choose it with FLYDSL_RUNTIME_KIND" in status.reason
    assert resolve_pair(runtime="sim").runtime.name == "sim"


def test_a_simulator_that_its_own_setting_asks_for_is_the_default_of_its_kind(isolated_plugins: PluginSandbox) -> None:
    asked = fake_runtime("sim", simulator=True, requested_by="FLYDSL_SIM")
    isolated_plugins.register(fake_backend("one", default_runtime="real"), fake_runtime("real"), asked)
    pair = active_pair()
    assert (pair.runtime.name, pair.reason) == ("sim", "backend: the only one installed; runtime: FLYDSL_SIM")
    assert resolve_pair(runtime="real").runtime.name == "real"


def test_two_runtimes_of_a_kind_need_a_choice_or_a_default(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one"), fake_backend("two", default_runtime="r2"))
    isolated_plugins.register(fake_runtime("r1"), fake_runtime("r2"))
    assert resolve_pair("two").runtime.name == "r2"
    with pytest.raises(NoBackendError, match="'r1', 'r2' are all of kind 'fake': name one in FLYDSL_RUNTIME_KIND"):
        resolve_pair("one")


def test_a_backend_without_runtime_can_compile(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one"))
    assert str(active_pair()) == "one + none (kind fake)"
    assert get_backend().default_arch() == "fake1"


def test_a_backend_is_made_afresh_and_bound_to_an_architecture(plugins: PluginSandbox) -> None:
    assert get_backend("one") is not get_backend("one")
    assert str(get_backend("one").target) == "one:fake1:w32"
    assert get_backend("one", arch="fake2").target.arch == "fake2"
    with pytest.raises(UnsupportedTargetError, match="backend 'one' does not support architecture 'gfx0'"):
        get_backend("one", arch="gfx0")


def test_another_runtime_is_refused_once_device_work_began(plugins: PluginSandbox) -> None:
    use_pair("one")
    claim_runtime()
    with pytest.raises(RuntimeStackError, match=r"runs on runtime 'r1' .*, so 'r2' .* cannot be used"):
        use_pair("two")
    assert names(active_pair()) == ("one", "r1")
    plugins.register(fake_backend("again", runtime_kind="k1"))
    assert names(use_pair("again")) == ("again", "r1")


def test_an_artifact_of_another_pair_is_refused(plugins: PluginSandbox) -> None:
    pair = use_pair("one")
    pair.require(backend="one", runtime_kind="k1", what="artifact 'a'")
    with pytest.raises(PairMismatchError, match="artifact 'a' was made by backend 'two' for runtime kind 'k2'"):
        pair.require(backend="two", runtime_kind="k2", what="artifact 'a'")


def test_target_words_come_from_plugins_the_active_one_first(
    plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("words_a", "words_b"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    plugins.register(fake_backend("alpha", runtime_kind="k1", expr_namespaces={"word": "words_a:__name__"}))
    plugins.register(fake_backend("beta", runtime_kind="k1", expr_namespaces={"word": "words_b:__name__"}))
    assert expr_namespace("word") == "words_a"
    use_pair("beta")
    assert expr_namespace("word") == "words_b"
    with pytest.raises(AttributeError, match="no installed plugin offers 'nothing'; target words: word"):
        expr_namespace("nothing")


def test_plugins_add_words_to_modules_of_the_core(plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    import flydsl.compiler as flyc
    from flydsl.runtime import device

    monkeypatch.setitem(sys.modules, "acme_words", ModuleType("acme_words"))
    plugins.register(
        fake_runtime("worded", words={"flydsl.runtime.device.acme_arch": "acme_words:__name__"}),
        TensorAdaptorManifest(
            name="worded",
            factory="m:a",
            claims=lambda cls: False,
            words={"flydsl.compiler.from_acme": "acme_words:__name__"},
        ),
    )
    assert (device.acme_arch, flyc.from_acme) == ("acme_words", "acme_words")
    for module, word in ((device, "from_acme"), (flyc, "acme_arch")):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute '{word}', and no inst"):
            getattr(module, word)


def test_questions_of_the_interpreter_load_no_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flydsl.plugins.active.selection.registry", None)
    with pytest.raises(AttributeError):
        expr_namespace("__path__")


def test_passes_of_a_backend_join_those_of_the_core(plugins: PluginSandbox) -> None:
    plugins.register(fake_backend("own", passes={"own-pass": "own:Pass"}))
    passes = python_passes("own")
    assert passes["own-pass"] == "own:Pass"
    assert "fly-canonicalize" in passes
    assert "own-pass" not in python_passes("one")


def test_a_backend_may_have_functions_for_warps(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(
        fake_backend(warp_functions="flydsl.extension.coop:universal"), fake_backend("other", runtime_kind="other")
    )
    assert warp_functions("fake").__name__ == "flydsl.extension.coop.universal"
    assert warp_functions("other") is warp_functions("unknown") is None
