"""What plugins declare is imported and made."""

from __future__ import annotations

from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.manifests import TensorAdaptorManifest
from flydsl.plugins.tables import Slow, Tables
from flydsl.testing.fakes import FakeBackend, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.examine.plugins import examine_manifests, examine_plugins, has_device


class Bare(FakeBackend):
    """Without its linker."""

    def missing_tools(self) -> list[str]:
        return ["nothing can be linked: install a linker"]


def test_plugins_that_are_there_left_out_and_disabled(isolated_plugins: PluginSandbox) -> None:
    core = EntryPoint("core", "flydsl-core", "1", "flydsl.adaptors.plugin")
    bad, off = EntryPoint("bad", "flydsl-bad", "1.0", "flydsl_no_such"), EntryPoint("off", "flydsl-off", "1", "x")
    tables = isolated_plugins.install(core, bad, off, disabled=["off"])
    there, left_out, disabled = examine_plugins(tables)
    assert (there.text, there.is_problem) == ("core (flydsl-core 1)", False)
    assert left_out.is_problem
    assert left_out.text.endswith("FLYDSL_DISABLE_PLUGINS=bad")
    assert (disabled.text, disabled.is_problem) == ("off is disabled by FLYDSL_DISABLE_PLUGINS", False)


def test_what_takes_long_to_load_is_told() -> None:
    (finding,) = examine_plugins(Tables(slow=(Slow(EntryPoint("dear", "flydsl-dear", "1.0", "x"), 5.25),)))
    assert finding.text.startswith("plugin 'dear' of flydsl-dear 1.0 took 5.2 s to load")
    assert "HOOKS_READ" in finding.text
    assert not finding.is_problem


def test_a_backend_says_what_is_missing_and_what_to_install(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend("fake", factory=Bare))
    (finding,) = examine_manifests(isolated_plugins.tables)
    assert finding.text.splitlines()[1:] == ["nothing can be linked: install a linker"]
    assert not finding.is_problem


def test_each_reference_that_leads_nowhere_is_a_problem(isolated_plugins: PluginSandbox) -> None:
    good = {"word": "flydsl.expr:math"}
    isolated_plugins.register(fake_backend(expr_namespaces={**good, "other": "flydsl_no_such:x"}))
    isolated_plugins.register(fake_runtime(settings="flydsl_no_such:group"))
    problems = [finding.text for finding in examine_manifests(isolated_plugins.tables) if finding.is_problem]
    assert len(problems) == 2
    assert "'fake' of flydsl-fake 1.0 declares 'flydsl_no_such:x', which cannot be imported" in problems[0]
    assert "reinstall or upgrade flydsl-fake" in problems[1]


def test_adaptors_are_made(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(
        TensorAdaptorManifest(name="good", factory="flydsl.adaptors.numpy_adaptor:NumpyAdaptor", claims=callable),
        TensorAdaptorManifest(name="wrong", factory="flydsl_no_such:Adaptor", claims=callable, distribution="flydsl-w"),
    )
    good, wrong = examine_manifests(isolated_plugins.tables)
    assert not good.is_problem
    assert wrong.is_problem
    assert wrong.text.startswith("TensorAdaptor 'wrong' of flydsl-w: its factory 'flydsl_no_such:Adaptor' cannot be")


def test_a_runtime_that_cannot_be_made_has_no_device() -> None:
    assert has_device(fake_runtime())
    assert not has_device(fake_runtime(devices=0))
    assert not has_device(fake_runtime(factory=dict))
