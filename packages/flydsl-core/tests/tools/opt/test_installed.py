"""Dialects and passes of installed plugins for `fly-opt`."""

from __future__ import annotations

from flydsl.testing.fakes import fake_backend
from flydsl.testing.sandbox import PluginSandbox
from flydsl.tools.opt.installed import installed


def test_the_core_alone_has_its_passes(isolated_plugins: PluginSandbox) -> None:
    found = installed()
    assert "fly-layout-lowering" in found.passes
    assert found.namespaces == ("fly", "fly_ktrace")
    assert found.context().get_optional_op("fly.size") is not None
    assert not found.context().allow_unregistered
    assert found.context(allow_unregistered=True).allow_unregistered


def test_a_plugin_adds_its_dialects_and_passes(isolated_plugins: PluginSandbox) -> None:
    passes = {"a-pass": "flydsl.passes.canonicalize:Canonicalize", "z-pass": "nowhere:Pass"}
    dialects = ("flydsl.ir.ktrace:KTRACE", "nowhere:DIALECT")
    isolated_plugins.register(fake_backend(passes=passes, dialects=dialects))
    found = installed()
    assert [dialect.name for dialect in found.dialects] == ["fly_ktrace"]
    (problem,) = found.problems
    assert problem.startswith("dialect 'nowhere:DIALECT' of backend 'fake' is left out: ")
    summaries = dict(found.summaries())
    assert summaries["z-pass"].startswith("cannot be imported: ")
    assert summaries["a-pass"] == summaries["canonicalize"] != ""
