"""What a program registers itself."""

from __future__ import annotations

from types import ModuleType

import pytest

from flydsl.base.errors import ArgumentError, DuplicateNameError, RuntimeStackError
from flydsl.plugins import (
    TensorAdaptorManifest,
    active_pair,
    claim_runtime,
    compile_backend_name,
    get_backend,
    register_backend,
    register_device_runtime,
    register_plugin,
    register_tensor_adaptor,
    unregister_plugin,
    use_pair,
)
from flydsl.testing.fakes import FakeBackend, FakeRuntime, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox

pytestmark = pytest.mark.usefixtures("isolated_plugins")


def test_a_registered_backend_is_made_by_its_factory_each_time() -> None:
    made: list[FakeBackend] = []

    def factory() -> FakeBackend:
        made.append(FakeBackend("mine"))
        return made[-1]

    register_backend("Mine", factory)
    assert compile_backend_name() == "mine"
    assert [get_backend(), get_backend("MINE")] == made


def test_a_taken_name_needs_force() -> None:
    register_backend("mine", lambda: FakeBackend("mine", ["old"]))
    with pytest.raises(DuplicateNameError, match="compile backend 'mine' exists already, registered by this program"):
        register_backend("MINE", lambda: FakeBackend("mine", ["new"]))
    register_backend("mine", lambda: FakeBackend("mine", ["new"]), force=True)
    assert get_backend("mine").default_arch() == "new"


def test_a_class_is_a_factory_and_brings_its_runtime_kind() -> None:
    class Mine(FakeBackend):
        runtime_kind = "metal"

    assert register_backend("mine", Mine).runtime_kind == "metal"
    assert register_backend("other", FakeBackend).runtime_kind == "other"
    assert register_backend("third", FakeBackend, runtime_kind="x").runtime_kind == "x"


def test_replacing_the_active_backend_makes_a_new_pair() -> None:
    register_backend("mine", FakeBackend)
    before = active_pair()
    register_backend("mine", FakeBackend, force=True)
    assert active_pair() is not before


def test_a_registered_runtime_replaces_the_default_of_its_kind(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one", default_runtime="usual"), fake_runtime("usual"))
    assert active_pair().runtime.name == "usual"
    register_device_runtime(lambda: FakeRuntime("special"), name="special", kind="fake")
    assert active_pair().runtime.name == "special"
    register_device_runtime(fake_runtime("third"))
    assert active_pair().runtime.name == "third"


def test_a_registered_runtime_beats_the_environment(
    isolated_plugins: PluginSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("usual"))
    monkeypatch.setenv("FLYDSL_RUNTIME_KIND", "usual")
    register_device_runtime(fake_runtime("special"))
    assert active_pair().runtime.name == "special"


def test_a_runtime_is_replaced_only_before_device_work(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("one"), fake_runtime("usual"))
    claim_runtime()
    for manifest in (fake_runtime("usual"), fake_runtime("other", kind="other")):
        with pytest.raises(RuntimeStackError, match="cannot be registered: device work began already"):
            register_device_runtime(manifest)


def test_a_runtime_keeps_its_kind(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_runtime("usual", kind="k1"))
    with pytest.raises(DuplicateNameError, match="'usual' exists already with kind 'k1', not 'k2'"):
        register_device_runtime(fake_runtime("usual", kind="k2"))


def test_a_runtime_factory_needs_a_name_and_a_kind() -> None:
    class Named(FakeRuntime):
        name, kind = "named", "fake"

    assert register_device_runtime(Named).name == "named"
    with pytest.raises(TypeError, match=r"has no 'name' and 'kind': pass name= and kind="):
        register_device_runtime(lambda: FakeRuntime())


def test_an_adaptor_is_registered_and_used_at_once() -> None:
    from flydsl.adaptors.dlpack_adaptor import DLPackAdaptor
    from flydsl.adaptors.resolve import adaptor_for

    class Mine:
        """A tensor."""

    with pytest.raises(ArgumentError):
        adaptor_for(Mine)
    register_tensor_adaptor(TensorAdaptorManifest(name="mine", factory=DLPackAdaptor, claims=lambda c: c is Mine))
    assert isinstance(adaptor_for(Mine), DLPackAdaptor)


def test_a_package_may_register_both_halves() -> None:
    register_backend("mine", FakeBackend)
    register_device_runtime(lambda: FakeRuntime("mine", "mine"), name="mine", kind="mine")
    assert str(use_pair("mine")) == "mine + mine (kind mine)"


PLUGIN = """
from flydsl.plugins import hookimpl
from flydsl.testing.fakes import fake_backend, fake_runtime
@hookimpl
def flydsl_compile_backends():
    return [fake_backend("frozen", runtime_kind="frozen", distribution="", version="")]
@hookimpl
def flydsl_device_runtimes():
    return [fake_runtime("frozen", kind="frozen")]
"""


def test_a_module_of_a_plugin_is_registered_and_taken_back(isolated_plugins):
    module = ModuleType("my_program.frozen")
    exec(PLUGIN, vars(module))
    manifests = register_plugin(module, distribution="my-program", version="2.0")
    assert [manifest.owner for manifest in manifests] == ["my-program 2.0", "flydsl-frozen 1.0"]
    assert str(active_pair()) == "frozen + frozen (kind frozen)"
    with pytest.raises(DuplicateNameError, match="'frozen' is there already"):
        register_plugin(module)
    with pytest.raises(DuplicateNameError):
        register_plugin(module, name="other")
    assert set(isolated_plugins.tables.registered) == {"frozen"}
    unregister_plugin("frozen")
    assert not isolated_plugins.tables.manifests
    with pytest.raises(ArgumentError, match="no plugin 'frozen' was registered by this program, registered: none"):
        unregister_plugin("frozen")
    register_plugin(module)
    claim_runtime(active_pair())
    with pytest.raises(RuntimeStackError, match="device work of this process runs on its runtime"):
        unregister_plugin("frozen")
