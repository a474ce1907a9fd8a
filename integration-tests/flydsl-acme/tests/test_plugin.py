"""A third party's package goes through the same door and gets everything that a first party's gets."""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from flydsl.adaptors.resolve import adaptor_for
from flydsl.base.errors import ArgumentError
from flydsl.plugins import (
    CopyKind,
    active_pair,
    claim_runtime,
    device_runtime,
    get_backend,
    python_passes,
    split_pipeline,
)
from flydsl.plugins.active.fingerprint import fingerprint
from flydsl.runtime.abi import FlyLaunchConfig, FlyRuntimeApi
from flydsl.testing.sandbox import PluginSandbox

ROOT = Path(__file__).parents[1]
KERNEL = """
"gpu.module"() <{sym_name = "kernels"}> ({
  "gpu.func"() <{function_type = () -> ()}> ({ "gpu.return"() : () -> () }) {sym_name = "add"} : () -> ()
}) : () -> ()
"""
pytestmark = pytest.mark.usefixtures("acme")


def test_alone_it_is_the_active_pair() -> None:
    assert str(active_pair()) == "acme + acme (kind acme)"
    assert device_runtime().device_info(0).name == "Acme One"
    assert len(fingerprint()) == 64


def test_its_manifests_carry_its_distribution(acme: PluginSandbox) -> None:
    manifests = [acme.tables.backends["acme"], acme.tables.runtimes["acme"], *acme.tables.adaptors]
    assert {(m.distribution, m.version) for m in manifests} == {("flydsl-acme", "1.0")}


def test_its_pass_runs_in_python_with_those_of_the_core() -> None:
    from xdsl.dialects.builtin import ModuleOp

    from flydsl.ir.context import create_context
    from flydsl.passes.registry import run

    backend = get_backend(arch="acme2")
    passes = python_passes("acme")
    leading, rest = split_pipeline(backend.pipeline_fragments(arch="acme2"), passes)
    assert (leading[-1], rest) == ("acme-tag{arch=acme2}", [])
    module = ModuleOp([])
    run(module, leading, context=create_context(), extra=passes)
    assert 'acme.arch = "acme2"' in str(module)


def test_its_code_object_is_read_back() -> None:
    backend = get_backend()
    code = backend.emit_code_object("module {}", arch="acme1", toolchain=None)  # type: ignore[arg-type]
    assert backend.disassemble(code, arch="acme1", toolchain=None) == "module {}"  # type: ignore[arg-type]


def test_its_word_is_in_fx() -> None:
    import flydsl.expr as fx

    assert fx.acme.ANVILS == 3


def test_its_backend_class_is_in_flyc_under_its_own_name() -> None:
    import flydsl.compiler as flyc

    assert isinstance(get_backend("acme"), flyc.AcmeBackend)
    with pytest.raises(AttributeError, match="no installed plugin has a backend class 'OtherBackend'"):
        _ = flyc.OtherBackend
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = flyc.nothing


def test_its_runtime_moves_memory() -> None:
    runtime = claim_runtime()
    pointer, source = runtime.allocate(0, 4), ctypes.create_string_buffer(b"abc")
    runtime.copy(pointer, ctypes.addressof(source), 4, 0, CopyKind.HOST_TO_DEVICE)
    assert ctypes.string_at(pointer) == b"abc"
    runtime.free(pointer)


def test_its_table_loads_and_logs_launches_of_its_own_code_only() -> None:
    runtime = claim_runtime()
    api = FlyRuntimeApi.from_address(runtime.api_table())
    names, module = (ctypes.c_char_p * 1)(b"add"), ctypes.c_void_p()
    assert api.module_load(api.self, 0, b"ELF", 3, names, 1, ctypes.byref(module)) == 7
    assert runtime.error_message(7).startswith("not an acme code object")
    image = get_backend().emit_code_object(KERNEL, arch="acme1", toolchain=None)  # type: ignore[arg-type]
    assert api.module_load(api.self, 0, image, len(image), names, 1, ctypes.byref(module)) == 0
    kernel = ctypes.c_void_p.from_address(module.value or 0).value
    config = FlyLaunchConfig(ctypes.sizeof(FlyLaunchConfig), (2, 1, 1), (64, 1, 1), (1, 1, 1), 0, 0, None)
    assert api.launch(api.self, kernel, ctypes.byref(config), None, None) == 0
    assert runtime.launches == [("add", (2, 1, 1), (64, 1, 1))]  # type: ignore[attr-defined]


def test_its_arrays_are_kernel_arguments() -> None:
    module = importlib.import_module("flydsl_acme.adaptor")
    array = module.AcmeArray([1.0, 2.0, 3.0])
    desc = adaptor_for(type(array)).describe(array)
    assert (desc.shape, desc.strides, (desc.dtype.code, desc.dtype.bits)) == ((3,), (1,), (2, 32))
    assert ctypes.c_float.from_address(desc.pointer + 4).value == 2.0


def test_as_a_pip_package_it_needs_nothing_but_to_be_installed(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(ROOT, source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(source)], check=True)
    environment = {**os.environ, "PYTHONPATH": str(site), "FLYDSL_COMPILE_BACKEND": "ACME"}
    command = [sys.executable, "-m", "flydsl.tools.cli", "backends", "--json"]
    listing = json.loads(subprocess.run(command, capture_output=True, check=True, env=environment).stdout)
    rows = {row["name"]: row for row in listing["backends"] + listing["runtimes"]}
    assert rows["acme"]["distribution"] == "flydsl-acme 1.0"
    assert not listing["unavailable"]
    script = "from flydsl.plugins import active_pair; print(active_pair())"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == "acme + acme (kind acme)"


def test_as_a_pip_package_it_owns_only_its_own_import_package(tmp_path: Path) -> None:
    source, site = tmp_path / "source", tmp_path / "site"
    shutil.copytree(ROOT, source)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(site), str(source)], check=True)
    (record,) = site.glob("*.dist-info/RECORD")
    owned = {line.split("/")[0] for line in record.read_text().splitlines()}
    assert owned == {"flydsl_acme", record.parent.name}


def test_a_jit_function_compiles_and_launches_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    kernels = importlib.import_module("flydsl_acme.example")
    array = importlib.import_module("flydsl_acme.adaptor").AcmeArray
    a, b = array([1.0] * 32), array([0.0] * 32)
    kernels.double(a, b)
    kernels.double(a, b)
    runtime = device_runtime()
    assert [(grid, block) for _, grid, block in runtime.launches] == [((2, 1, 1), (16, 1, 1))] * 2  # type: ignore[attr-defined]
    assert b.values == array([2.0] * 32).values
    assert adaptor_for(array).writes == 2  # type: ignore[attr-defined]


def test_its_hint_is_known_and_reaches_it() -> None:
    import flydsl.compiler as flyc

    kernels = importlib.import_module("flydsl_acme.example")
    array = importlib.import_module("flydsl_acme.adaptor").AcmeArray
    a, b = array([1.0] * 32), array([0.0] * 32)
    noted = flyc.compile[{"acme_note": "for the anvil"}](kernels.double, a, b)
    assert noted.artifact.device.startswith(b"ACME\n// for the anvil\n")
    noted(a, b)
    assert b.values == array([2.0] * 32).values
    with pytest.raises(ArgumentError, match=r"no compile hint 'note'; known: acme_note, debug_info, .*, opt_level"):
        _ = flyc.compile[{"note": "for the anvil"}]
