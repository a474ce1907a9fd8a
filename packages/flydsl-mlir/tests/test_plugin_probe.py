"""Plugins that must not be loaded into this process: each is an error, and none a crash."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

import flydsl_mlir
from flydsl_mlir import PassError, pass_process, plugin_probe
from flydsl_mlir.plugin_probe import check_plugins

API = """
struct Info { unsigned api; const char *name, *version; void *passes, *code; };
extern "C" Info llvmGetPassPluginInfo() { return {%s}; }
"""


def built(folder: Path, source: str) -> Path:
    (folder / "plugin.cpp").write_text(source)
    plugin = folder / "plugin.so"
    line = ["c++", "-shared", "-fPIC", str(folder / "plugin.cpp"), "-o", str(plugin)]
    subprocess.run(line, check=True, timeout=60)
    return plugin


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (API % '1, "old", "0.1", 0, 0', "is for version 1 of LLVM's plugin API; LLVM 22.* has version 2"),
        (API % '2, "other", "21.1.8", 0, 0', r"is for LLVM 21\.1\.8, this one is 22\."),
        (API % '2, "n", "1.0", 0, 0' + "int f = *(volatile int *)8;", "cannot be loaded, it crashed: signal 11"),
        (API % '2, "n", "1.0", 0, 0' + "#include <cstdlib>\nint f = (_Exit(3), 0);", "ended with exit code 3"),
        (API % '2, "n", "1.0", 0, 0' + "int missing(); int f = missing();", "undefined symbol: _Z7missingv"),
        ("namespace llvm { void f(); } void g() { llvm::f(); }", "undefined symbol: _ZN4llvm1fEv"),
        ("int f;", "uses nothing of LLVM"),
    ],
    ids=["old API", "other LLVM", "crash", "exit", "missing symbol", "missing LLVM symbol", "no plugin"],
)
def test_a_bad_plugin_is_an_error_before_it_is_loaded(tmp_path: Path, source: str, message: str) -> None:
    plugin = built(tmp_path, source)
    with pytest.raises(PassError, match=message) as caught:
        check_plugins([plugin], None)
    assert "plugin.so" in str(caught.value)
    with pytest.raises(PassError, match=message):
        flydsl_mlir.run_ir_passes(b"", "gvn", plugins=[plugin], triple="x86_64-pc-linux-gnu")


def test_a_plugin_without_ir_passes_cannot_be_named_for_pipelines(tmp_path: Path) -> None:
    source = "namespace llvm { struct PassRegistry { static void *getPassRegistry(); }; }"
    plugin = built(tmp_path, source + "void *p = llvm::PassRegistry::getPassRegistry();")
    assert flydsl_mlir.plugin_passes(plugin) == []
    with pytest.raises(PassError, match="has no passes for LLVM IR: it defines no llvmGetPassPluginInfo"):
        flydsl_mlir.run_ir_passes(b"", "gvn", plugins=[plugin], triple="x86_64-pc-linux-gnu")


def test_what_is_no_file_or_no_library_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PassError, match=r"cannot read plugin '.*none\.so': No such file"):
        check_plugins([tmp_path / "none.so"], None)
    with pytest.raises(PassError, match="is no LLVM plugin: it is not an ELF file"):
        check_plugins([__file__], None)


def test_another_llvm_is_not_judged_by_this_one(tmp_path: Path) -> None:
    with pytest.raises(PassError, match="No such file"):
        check_plugins([tmp_path / "none.so"], "/prefix")
    assert check_plugins([__file__], "/prefix") == [__file__]


def test_a_content_is_tried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Any] = []
    monkeypatch.setattr(pass_process, "probe", tried.append)
    monkeypatch.setattr(plugin_probe, "check_plugin", lambda path: None)
    monkeypatch.setattr(plugin_probe, "_TRIED", set())
    first, second = tmp_path / "a.so", tmp_path / "b.so"
    for file in (first, second):
        file.write_bytes(b"content")
        check_plugins([file], None)
    assert tried == [first]
    second.write_bytes(b"another")
    check_plugins([first, second], None)
    assert tried == [first, second]
