"""Plugins that end the process, hang or print: `flydsl doctor` always finishes, names them, and its JSON is JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flydsl.plugins.entry_points import EntryPoint
from flydsl.tools.examine.isolation import deadly

HOOK = """
from flydsl.plugins import TensorAdaptorManifest, hookimpl
@hookimpl
def flydsl_tensor_adaptors():
    return [TensorAdaptorManifest(name="zeta", factory=Zeta, claims=lambda cls: False)]
"""
DEADLY = {
    "exit": ("import os\nos._exit(0)", "ended with code 0"),
    "abort": ("import os\nos.abort()", "was ended by SIGABRT"),
    "constructor": ("import os\ndef Zeta(): os._exit(5)\n" + HOOK, "ended with code 5"),
}


def site(folder: Path, source: str) -> dict[str, str]:
    """The environment of processes in which a plugin of this source is installed."""
    info = folder / "flydsl_zeta-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "flydsl_zeta.py").write_text(source)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flydsl-zeta\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[flydsl]\nzeta = flydsl_zeta\n")
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "FLYDSL_RUNTIME_CACHE_DIR": str(folder / "cache")}


def flydsl(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flydsl.tools.cli", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.parametrize("kind", DEADLY)
def test_the_doctor_names_who_ends_the_process(kind: str, tmp_path: Path) -> None:
    source, how = DEADLY[kind]
    done = flydsl(site(tmp_path, source), "doctor", "--quick", "--json")
    report = json.loads(done.stdout)
    assert (done.returncode, report["broken"]) == (1, True)
    told = [finding["text"] for finding in report["findings"] if finding["problem"]]
    assert any("plugin 'zeta' of flydsl-zeta 1.0" in text and how in text for text in told), told


def test_a_plugin_that_never_answers_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = site(tmp_path, "import time\ntime.sleep(600)")
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])
    ((entry, answer),) = deadly([EntryPoint("zeta", "flydsl-zeta", "1.0", "flydsl_zeta")], seconds=3)
    assert (entry.name, "it hangs" in answer) == ("zeta", True)


@pytest.mark.parametrize("command", [("doctor", "--quick", "--json"), ("backends", "--json")])
def test_what_plugins_print_is_no_part_of_the_json(command: tuple[str, ...], tmp_path: Path) -> None:
    source = "import os\nprint('hello')\nos.write(1, b'from C')\ndef Zeta(): print('again')\n" + HOOK
    done = flydsl(site(tmp_path, source), *command)
    assert isinstance(json.loads(done.stdout), dict)
    assert "hello" in done.stderr


@pytest.mark.parametrize("source", ["import sys\nsys.exit()", "raise GeneratorExit"])
def test_a_listing_says_why_a_plugin_is_left_out(source: str, tmp_path: Path) -> None:
    done = flydsl(site(tmp_path, source), "backends", "--json")
    assert [row["name"] for row in json.loads(done.stdout)["unavailable"]] == ["zeta"]
