"""The modules of each step of a call, imported when it begins."""

from __future__ import annotations

import subprocess
import sys

import pytest

from flydsl.compiler.stages import loading
from flydsl.compiler.stages.loading import load_lowering
from flydsl.passes.registry import PASSES

SCRIPT = """
import sys
import flydsl.compiler, flydsl.expr
from flydsl.compiler.stages import loading
loading.{call}
print(*sys.modules)
"""


def modules_after(call: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", SCRIPT.format(call=call)], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_what_every_call_needs_is_there_and_nothing_of_a_compilation() -> None:
    found = modules_after("__name__")
    assert {"flydsl.cache.dependencies", "flydsl.compiler.stages.build", "flydsl.plugins.scan.discovery"} <= found
    assert (
        not {"xdsl", "flydsl.frontend.rewriting.rewrite", "flydsl.frontend.trace", "flydsl.passes", "flydsl.ir.fly"}
        & found
    )


def test_a_trace_finds_its_modules_and_no_format_was_parsed() -> None:
    found = modules_after("load_frontend()")
    assert {"flydsl.frontend.rewriting.rewrite", "flydsl.frontend.trace", "xdsl.dialects.arith"} <= found
    assert not {"flydsl.passes.canonicalize", "xdsl.irdl.declarative_assembly_format_parser"} & found


def test_passes_of_a_pipeline_are_imported_and_no_others() -> None:
    call = 'load_lowering(["cse", "fly-canonicalize{x=1}", "its-own"], {"fly-canonicalize": "flydsl.passes.located:X"})'
    found = modules_after(call)
    assert {"flydsl.passes.located", "flydsl.toolchain.host_launcher"} <= found
    assert not {"flydsl.passes.canonicalize", "flydsl.passes.fly_layout_lowering"} & found


def test_a_pass_whose_module_is_missing_is_an_import_error_each_time() -> None:
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="flydsl.passes.gone"):
            load_lowering(["cse", "gone"], {**PASSES, "gone": "flydsl.passes.gone:Gone"})


def test_extension_modules_are_imported_before_llvm_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    imported: list[str] = []
    monkeypatch.setattr(loading, "import_module", lambda name: imported.append(name))
    monkeypatch.setattr("flydsl.compiler.stages.loading.begin_loading", lambda: imported.append("LLVM"))
    loading.load_toolchain()
    assert imported == [*loading._EXTENSIONS, "LLVM"]


def test_extension_modules_bring_nothing_that_is_to_be_deferred() -> None:
    code = (
        "import sys\nfrom importlib import import_module\nfrom flydsl.compiler.stages import loading\n"
        "for name in loading._EXTENSIONS: import_module(name)\nprint(*sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"xdsl.ir", "xdsl.irdl"} & set(done.stdout.split())
