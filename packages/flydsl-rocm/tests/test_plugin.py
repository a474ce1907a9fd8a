"""What the distribution declares, and that declaring costs nothing."""

from __future__ import annotations

import subprocess
import sys

from flydsl.base.references import resolve_reference
from flydsl_rocm import plugin


def test_backend_and_runtime_pair_by_kind() -> None:
    (backend,) = plugin.flydsl_compile_backends()
    (runtime,) = plugin.flydsl_device_runtimes()
    assert backend.runtime_kind == runtime.kind == "rocm"
    assert backend.default_runtime == runtime.name
    assert backend.accelerator


def test_every_reference_leads_somewhere() -> None:
    manifests = [*plugin.flydsl_compile_backends(), *plugin.flydsl_device_runtimes()]
    for manifest in manifests:
        for reference in manifest.references():
            assert resolve_reference(reference) is not None, reference


def test_operations_of_tensor_moves_have_their_older_name() -> None:
    import flydsl.expr as fx
    from flydsl.expr.tdm_ops import tensor_wait

    assert fx.tdm_ops.tensor_wait is tensor_wait is fx.rocdl.tdm_ops.tensor_wait


def test_factories_make_what_the_manifests_name() -> None:
    for manifest in [*plugin.flydsl_compile_backends(), *plugin.flydsl_device_runtimes()]:
        assert manifest.create().name == manifest.name


def test_declaring_imports_neither_compiler_nor_runtime() -> None:
    script = """
import sys
from flydsl_rocm import plugin
plugin.flydsl_compile_backends(), plugin.flydsl_device_runtimes()
heavy = ("xdsl", "numpy", "ctypes", "rocm", "hip", "flydsl_rocm.backend", "flydsl_rocm.runtime")
print(sorted(name for name in heavy if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
