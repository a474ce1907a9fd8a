"""Random changes of plugins between processes: what kernels store is what the plugin of now makes, cache or none."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run
from support.plugin_site import PARTS, PluginSite

WHAT = "changes of plugins"
CHANGES = 12
"""Changes of one folder, one after the other, with one cache."""


def run(count: int, seed: int) -> Outcome:
    """`count` changes, each of one part, and a process before and after it."""
    failures: list[str] = []
    tried = needless = 0
    while tried < count:
        with TemporaryDirectory() as folder:
            found, misses = failures_of(Path(folder), seed * 100_003 + tried, min(CHANGES, count - tried))
            failures += found
            needless += misses
        tried += CHANGES
    return Outcome(WHAT, count, len(failures), {"needless misses": needless}, tuple(failures[:5]))


def failures_of(folder: Path, seed: int, changes: int) -> tuple[list[str], int]:
    """What is wrong after each of some random changes, as text, and how often an irrelevant one cost a compilation."""
    numbers = random.Random(seed)
    site = PluginSite(folder, remembers=numbers.random() < 0.5)
    settled = numbers.random() < 0.8
    failures, needless = _wrong(site, f"seed {seed}, at first", settled), 0
    for at in range(changes):
        change, matters = _changed(site, numbers)
        where = f"seed {seed}, change {at}, {change}"
        failures += _wrong(site, where, settled)
        told = site.run(settled=settled) if at % 4 == 3 or not matters else None
        if told is not None and told.made:
            failures.append(f"{where}: the second process compiled {told.made} again")
            needless += 1
    return failures, needless


def _wrong(site: PluginSite, where: str, settled: bool) -> list[str]:
    found, wanted = site.run(settled=settled).answers, site.wanted
    if found == wanted:
        return []
    alone = site.run(cached=False).answers
    return [f"{where}: {found} instead of {wanted}; without the cache {alone}"]


def _changed(site: PluginSite, numbers: random.Random) -> tuple[str, bool]:
    """Change one thing; what it was, and whether code depends on it."""
    kind = numbers.choice([*PARTS, *PARTS, "factory", "passes", "another distribution", "another variable"])
    if kind in PARTS:
        site.numbers[kind] += numbers.randrange(1, 9)
        if kind == "required":  # imported by a computed name: the version tells
            site.versions["yeta_required"] = f"{site.numbers[kind]}.0"
        return kind, True
    if kind in ("factory", "passes"):
        variable, values = ("ZETA_FACTORY", ("One", "Two")) if kind == "factory" else ("ZETA_PASSES", ("Shift", "More"))
        site.variables[variable] = values[site.variables.get(variable, values[0]) == values[0]]
        return kind, True
    if kind == "another distribution":
        site.versions["other"] = f"{numbers.randrange(2, 99)}.0"
    else:
        site.variables["ZETA_NOBODY_READS"] = str(numbers.random())
    return kind, False


if __name__ == "__main__":
    options = long_run(__doc__, 120)
    run(options.count, options.seed).print()
