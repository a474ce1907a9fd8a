"""The native handlers without XLA: each scenario is a function of the C files beside this one."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from flydsl.jax import native

MAIN = Path(__file__).with_name("main.c")
SCENARIOS = re.findall(r'{"(\w+)", \w+}', MAIN.read_text())


@pytest.mark.parametrize("name", SCENARIOS)
def test_handlers_do_what_the_scenario_expects(name: str, run_scenario: Callable[[str], None]) -> None:
    run_scenario(name)


def test_every_scenario_was_found() -> None:
    assert {
        "metadata",
        "stages",
        "errors",
        "lookup",
        "runtime",
        "buffers",
        "threads",
        "plans",
        "recording",
        "values",
    } <= set(SCENARIOS)


def test_the_library_exports_its_own_functions_and_needs_the_c_library_alone() -> None:
    path = native.LIBRARY.path()
    found = subprocess.run(["nm", "-D", "--defined-only", str(path)], check=True, capture_output=True, text=True).stdout
    exported = {line.split()[-1] for line in found.splitlines()}
    assert {name for name in exported if not name.startswith("__")} == set(native._PROTOTYPES)
    found = subprocess.run(["readelf", "-d", str(path)], check=True, capture_output=True, text=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", found))
    assert {name.partition(".so")[0] for name in needed} - {"libasan", "libubsan", "libtsan"} <= {
        *("libc", "libdl", "libpthread", "ld-linux-x86-64", "ld-linux-aarch64"),
    }
