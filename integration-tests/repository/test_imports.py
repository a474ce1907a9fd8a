"""What a process that only starts, or only runs cached code, has to import: checked in fresh interpreters."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/01_vector_add.py"
COMPILERS = {"xdsl", "mlir", "flydsl_mlir._native"}
FRAMEWORKS = {"numpy", "torch", "jax"}
PLUGINS = {
    "pluggy",
    "flydsl_cpu",
    "flydsl_rocm",
    "flydsl_cuda",
    "flydsl_mlir",
    "flydsl.torch",
    "flydsl.jax",
    "flydsl_reader",
    "flydsl._mlir",
}
# modules of Python's library that cost milliseconds and that neither an import nor a warm start needs
SLOW = {"importlib.metadata", "tempfile", "shutil", "subprocess", "logging", "asyncio", "multiprocessing"}
REPORT = "\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
RUN = """
import importlib.util, json, sys
import argparse, subprocess  # what the example imports for its command line
import numpy as np
before = set(sys.modules)
import flydsl.compiler, flydsl.expr
spec = importlib.util.spec_from_file_location("vector_add", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
a = np.ones((100, 1000), np.float32)
b = np.zeros_like(a)
module.vector_add(a, a, b)
assert (b == 2).all()
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def modules_after(code: str, *arguments: str) -> set[str]:
    """The modules that a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_flydsl_imports_no_framework_no_compiler_and_no_plugin() -> None:
    bare = modules_after(REPORT)  # hooks of editable installs import things at every start
    found = modules_after(f"import flydsl.compiler, flydsl.expr{REPORT}") - bare
    assert "flydsl.compiler.jit" in found
    assert not found & (COMPILERS | FRAMEWORKS | PLUGINS | SLOW)


NOT_WHEN_WARM = {
    *("torch", "jax", "pluggy", "flydsl.passes", "flydsl.ir.fly", "flydsl.ir.emit", "flydsl.toolchain.protocol"),
    *("flydsl.toolchain.llvm_passes", "flydsl.toolchain.host_launcher", "flydsl.frontend.rewriting.rewrite"),
    *(
        "flydsl.frontend.trace",
        "flydsl.expr.values.emitter",
        "flydsl.plugins.hookspecs",
        "flydsl.plugins.scan.requirements",
    ),
}
"""What traces, lowers and emits code, and what only broken plugins need."""


def test_a_warm_process_loads_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    cold = modules_after(RUN, str(EXAMPLE))
    assert "xdsl" in cold
    warm = modules_after(RUN, str(EXAMPLE))
    assert "flydsl.compiler.jit" in warm
    assert not warm & (COMPILERS | SLOW | NOT_WHEN_WARM)
    compilers = ("flydsl_cpu.lowering", "flydsl_cpu.passes", "flydsl_cpu.pipeline", "xdsl")
    assert not any(name.startswith(compilers) for name in warm)


@pytest.mark.parametrize(("backend", "arch"), [("rocm", "gfx942"), ("cuda", "sm_90")])
def test_code_for_a_gpu_is_found_without_what_makes_it(
    backend: str, arch: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", backend)
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", arch)
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("COMPILE_ONLY", "1")
    run = RUN.replace("assert (b == 2).all()\n", "")
    assert "xdsl" in modules_after(run, str(EXAMPLE))
    warm = modules_after(run, str(EXAMPLE))
    package = f"flydsl_{backend}"
    assert f"{package}.backend" in warm
    assert not warm & (COMPILERS | SLOW | NOT_WHEN_WARM)
    parts = ("lowering", "passes", "pipeline", "code_object", "runtime")
    assert not any(name.startswith(("xdsl", *(f"{package}.{part}" for part in parts))) for name in warm)


SETTLED = "import flydsl.base.files.file_digest as digest\ndigest.SETTLED_NS = -(10**18)\n"
"""Files that changed just now count as any other."""
WARM_CALL = 6
"""Modules that the first call of a kernel that is on disk may import: the adaptor, the backend, and what finds the
device libraries."""


def test_a_warm_first_call_imports_the_adaptor_and_the_backend_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "gfx942")
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("COMPILE_ONLY", "1")
    run = SETTLED + RUN.replace("module.vector_add", "before = set(sys.modules)\nmodule.vector_add")
    run = run.replace("assert (b == 2).all()\n", "")
    cold = modules_after(run, str(EXAMPLE))
    assert {"flydsl_cpu.plugin", "flydsl_cuda.plugin", "flydsl_rocm.plugin", "flydsl.torch.plugin"} < cold
    warm = modules_after(run, str(EXAMPLE))
    assert "flydsl_rocm.backend" in warm
    others = {name for name in warm if name.partition(".")[0] != "flydsl_rocm"}
    assert others == {"flydsl.adaptors.numpy_adaptor"}
    assert not any(name.endswith(".plugin") for name in warm)
    assert len(warm) <= WARM_CALL


# what only text, verbose errors and tools need; formats of operations are parsed when text is read or printed
NOT_COMPILED_WITH = {
    *("xdsl.irdl.declarative_assembly_format_parser", "xdsl.dialects.test", "xdsl.dialects.affine", "pdb", "doctest"),
    *("flydsl.tools", "flydsl.testing", "flydsl.toolchain.upstream", "flydsl.ir.ktrace", "logging", "asyncio"),
}
FIRST_COMPILATION = 561
"""Modules beyond those of a bare process with NumPy that a first compilation may import, Python's own included, and
without the doors of plugins and without folders, whose files are a sentence."""


def is_folder(module: str) -> bool:
    """Whether a module is a package of ours that only says what is in it."""
    if not module.startswith("flydsl") or (spec := importlib.util.find_spec(module)) is None:
        return False
    if spec.submodule_search_locations is None or spec.origin is None:
        return False
    body = ast.parse(Path(spec.origin).read_text()).body
    return all(isinstance(statement, ast.Expr) for statement in body)


def test_a_first_compilation_imports_what_it_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    found = modules_after(RUN, str(EXAMPLE))
    assert "flydsl.passes.canonicalize" in found
    assert not found & NOT_COMPILED_WITH
    doors = {name for name in found if re.fullmatch(r"flydsl\.backend(\.\w+)?", name)}
    assert "flydsl.backend.lowering" in doors
    assert len([name for name in found - doors if not is_folder(name)]) <= FIRST_COMPILATION
