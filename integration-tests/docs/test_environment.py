"""The reference of environment variables has what the plugins of this repository declare."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flydsl.base.references import resolve_reference
from flydsl.base.setting import Group
from flydsl.plugins.registry import registry

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/environment.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([A-Z_]+)`[^|]*\| `(flydsl_\w+\.[\w.]+)` \| (.*?) \| .*? \| (.*) \|$", PAGE, re.MULTILINE)


def group(reference: str) -> Group:
    found = resolve_reference(reference)
    assert isinstance(found, Group)
    return found


@pytest.mark.parametrize(
    "reference", ["flydsl_cpu.settings:cpu", "flydsl_rocm.settings:rocm", "flydsl_cuda.settings:cuda"]
)
def test_each_setting_of_a_plugin_has_its_row(reference: str) -> None:
    prefix = reference.replace(":", ".")
    expected = {
        (setting.variables[0], f"{prefix}.{name}", setting.shown, setting.meaning)
        for name, setting in group(reference).settings().items()
    }
    assert {row for row in ROWS if row[1].startswith(f"{prefix}.")} == expected


def test_the_variables_of_the_simulator_are_named() -> None:
    names = {setting.variables[0] for setting in group("flydsl_hipsim.settings:hipsim").settings().values()}
    assert names == {name for name in names if f"* `{name}`" in PAGE}


def test_manifests_declare_the_settings_that_the_page_has() -> None:
    tables = registry.tables
    declared = {m.settings for m in (*tables.backends.values(), *tables.runtimes.values()) if m.settings}
    assert {row[1].rpartition(".")[0] for row in ROWS} <= {reference.replace(":", ".") for reference in declared}


def test_the_variables_of_the_contract_keep_their_names() -> None:
    contract = "FLYDSL_CPU_THREADS FLYDSL_CPU_SHARED_BYTES FLYDSL_GPU_ARCH HSA_OVERRIDE_GFX_VERSION ROCM_PATH "
    contract += "FLYDSL_CUDA_PTXAS CUDA_HOME"
    assert {row[0] for row in ROWS} == set(contract.split())
