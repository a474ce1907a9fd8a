"""Plugins that change between processes: no code of another program is used, and nothing is compiled needlessly."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from support.plugin_site import PARTS, PluginSite

sys.path.insert(0, str(Path(__file__).parents[1] / "nightly"))
from random_plugins import failures_of


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> PluginSite:
    """A plugin whose kernels are in the cache."""
    site = PluginSite(tmp_path_factory.mktemp("plugins"), remembers=True)
    assert site.run().answers == site.wanted
    return site


@pytest.mark.parametrize("part", PARTS)
def test_a_change_of_any_part_is_a_change_of_the_code(site: PluginSite, part: str) -> None:
    site.numbers[part] += 1
    if part == "required":  # imported by a computed name: the version tells
        site.versions["yeta_required"] = "2.0"
    assert site.run().answers == site.wanted


@pytest.mark.parametrize(("variable", "value"), [("ZETA_FACTORY", "Two"), ("ZETA_PASSES", "More")])
def test_what_hooks_choose_is_in_the_key(site: PluginSite, variable: str, value: str) -> None:
    site.variables[variable] = value
    assert site.run().answers == site.wanted
    del site.variables[variable]
    told = site.run()
    assert (told.answers, told.made) == (site.wanted, ())


def test_what_has_nothing_to_do_with_it_costs_nothing(site: PluginSite) -> None:
    assert site.run().answers == site.wanted
    site.versions["other"] = "2.0"
    assert site.run(ZETA_NOBODY_READS="1").made == ()


def test_random_changes(tmp_path: Path) -> None:
    assert failures_of(tmp_path, seed=7, changes=6) == ([], 0)
