"""`flydsl doctor` on an installation that works, and on one whose native module has lost a library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import flydsl_mlir
from flydsl_mlir import _build
from flydsl_mlir.identity import native_file

MLIR, NONE = b"libMLIR.so.22.1", b"libMLIR.so.99.9"
SITE = """
import sys
from importlib.machinery import PathFinder


class WithoutNative:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *args, **kwargs):
        return None if name.partition(".")[0] == "flydsl_mlir" else self.finder.find_spec(name, *args, **kwargs)

    def __getattr__(self, name):
        return getattr(self.finder, name)


sys.meta_path[:] = [finder if finder is PathFinder else WithoutNative(finder) for finder in sys.meta_path]
"""
"""For a process that finds the native module on its path, not where an editable install would take it from."""


def doctor(path: Path | None = None) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    environment = {**os.environ, "FLYDSL_DISABLE_PLUGINS": "jax,torch"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    command = [sys.executable, "-m", "flydsl.tools.cli", "doctor", "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    topics: dict[str, list[dict[str, Any]]] = {}
    for finding in json.loads(done.stdout)["findings"]:
        topics.setdefault(finding["topic"], []).append(finding)
    return done.returncode, topics


def test_each_backend_compiles_and_each_device_computes() -> None:
    code, topics = doctor()
    assert code == 0, topics
    assert topics["toolchain"][0]["text"].endswith(", loaded")
    assert any(one["text"].startswith("cpu: a kernel for ") for one in topics["compiled"])
    assert any(one["text"].startswith("cpu + cpu: a kernel on ") for one in topics["launched"])


def test_a_native_module_that_cannot_be_loaded_is_found(tmp_path: Path) -> None:
    package = tmp_path / "flydsl_mlir"
    package.mkdir()
    native = native_file()
    folders = {Path(flydsl_mlir.__file__).parent, Path(_build.__file__).parent, native.parent}
    for file in (file for folder in folders for file in folder.iterdir()):
        if file.name != native.name and not (package / file.name).exists():
            (package / file.name).symlink_to(file.resolve())
    (tmp_path / "sitecustomize.py").write_text(SITE)
    data = native.read_bytes()
    assert MLIR in data
    (package / native.name).write_bytes(data.replace(MLIR, NONE))
    code, topics = doctor(tmp_path)
    assert code == 1
    for topic in ("toolchain", "compiled"):
        assert topics[topic][0]["problem"], topics
        assert NONE.decode() in topics[topic][0]["text"]
        assert "apt install libmlir-22 libllvm22" in topics[topic][0]["text"]
