"""What the distribution declares, and that declaring costs nothing."""

from __future__ import annotations

import subprocess
import sys

from xdsl.ir import Dialect

from flydsl.base.references import resolve_reference
from flydsl.base.setting import Group
from flydsl_cpu import plugin


def test_backend_and_runtime_pair_by_kind() -> None:
    (backend,) = plugin.flydsl_compile_backends()
    (runtime,) = plugin.flydsl_device_runtimes()
    assert backend.runtime_kind == runtime.kind == "cpu"
    assert backend.default_runtime == runtime.name
    assert not backend.accelerator


def test_every_reference_leads_somewhere() -> None:
    manifests = [*plugin.flydsl_compile_backends(), *plugin.flydsl_device_runtimes()]
    for manifest in manifests:
        for reference in manifest.references():
            value = resolve_reference(reference)
            assert callable(value) or isinstance(value, Dialect | Group), reference


def test_factories_make_what_the_manifests_name() -> None:
    for manifest in [*plugin.flydsl_compile_backends(), *plugin.flydsl_device_runtimes()]:
        assert manifest.create().name == manifest.name


def test_declaring_imports_neither_compiler_nor_runtime() -> None:
    script = """
import sys
from flydsl_cpu import plugin
plugin.flydsl_compile_backends(), plugin.flydsl_device_runtimes()
heavy = ("xdsl", "numpy", "ctypes", "flydsl_cpu.backend", "flydsl_cpu.runtime")
print(sorted(name for name in heavy if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
