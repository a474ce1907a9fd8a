"""Plugins that were made for another flydsl-core."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import IncompatiblePluginError
from flydsl.plugins.entry_points import EntryPoint, installed_distributions
from flydsl.plugins.scan.discovery import discover_entry_points
from flydsl.plugins.scan.requirements import is_within, unmet_requirement
from flydsl.tools.examine.plugins import examine_plugins


def install(site: Path, name: str, version: str, *lines: str) -> None:
    info = site / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    head = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", *lines]
    (info / "METADATA").write_text("\n".join([*head, "", "Requires-Dist: flydsl-core<0.0"]))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A core 0.2.0 with plugins for 0.1, for 0.2 and 0.3, and one that does not say."""
    install(tmp_path, "flydsl-core", "0.2.0")
    install(tmp_path, "flydsl-old", "0.1.4", "Requires-Dist: flydsl-core<0.2,>=0.1")
    install(tmp_path, "flydsl-now", "0.2.1", "Requires-Dist: numpy", "Requires-Dist: flydsl-core (>=0.2,<0.3)")
    install(tmp_path, "flydsl-new", "0.3.0", "Requires-Dist: flydsl-core<0.4,>=0.3")
    install(tmp_path, "flydsl-extra", "1.0", 'Requires-Dist: flydsl-core<0.1 ; extra == "old"')
    installed = installed_distributions([str(tmp_path)])
    monkeypatch.setattr("flydsl.plugins.scan.requirements.installed_distributions", lambda: installed)
    return tmp_path


@pytest.mark.usefixtures("site")
def test_the_message_says_which_side_to_upgrade() -> None:
    assert unmet_requirement("flydsl-old") == (
        "flydsl-old requires flydsl-core<0.2,>=0.1, 0.2.0 is installed: upgrade flydsl-old"
    )
    assert unmet_requirement("flydsl-new").endswith("0.2.0 is installed: upgrade flydsl-core")
    assert [unmet_requirement(name) for name in ("flydsl-now", "flydsl-extra", "flydsl-none")] == [""] * 3


@pytest.mark.usefixtures("site")
def test_a_failure_of_a_plugin_for_another_core_says_that_first() -> None:
    old, now = [EntryPoint(name, f"flydsl-{name}", "1", "flydsl_no_such") for name in ("old", "now")]
    tables = discover_entry_points([old, now])
    first, second = tables.quarantined
    assert isinstance(first.error, IncompatiblePluginError)
    assert "0.2.0 is installed: upgrade flydsl-old (ModuleNotFoundError: No module named" in str(first)
    assert isinstance(second.error, ModuleNotFoundError)


@pytest.mark.usefixtures("site")
def test_the_doctor_tells_of_one_that_loads_all_the_same() -> None:
    tables = discover_entry_points([EntryPoint("old", "flydsl-old", "0.1.4", "flydsl.adaptors.plugin")])
    (finding,) = examine_plugins(tables)
    assert finding.is_problem
    assert finding.text.startswith("old (flydsl-old 0.1.4); flydsl-old requires flydsl-core<0.2,>=0.1, 0.2.0 is")


@pytest.mark.parametrize(
    ("version", "bounds", "expected"),
    [
        ("0.1.0", ">=0.1,<0.2", True),
        ("0.1", ">=0.1.0", True),
        ("0.2.0rc1", "<0.2", False),
        ("0.10.0", ">=0.9", True),
        ("1.0", "==1.0.0", True),
        ("1.0", "!=1.0", False),
        ("1.0", "<=1.0, >0.9", True),
        ("1.0", "", True),
    ],
)
def test_versions_are_compared_by_number(version: str, bounds: str, expected: bool) -> None:
    assert is_within(version, bounds) == expected
