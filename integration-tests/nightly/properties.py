"""Properties of the algebra, the dialect and the lowering with 10,000 examples each, and random GPU instructions."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run

ROOT = Path(__file__).parents[2]
SUITES = {
    "properties of the layout algebra": "packages/flydsl-core/tests/layout",
    "properties of the dialect": "packages/flydsl-core/tests/ir",
    "properties of passes": "packages/flydsl-core/tests/passes",
    "properties of the language": "packages/flydsl-core/tests/expr",
    "fly-opt on malformed input": "packages/flydsl-mlir/tests/tools",
    "random GPU instructions": "packages/flydsl-hipsim/tests/programs/test_random_instructions.py",
    "large layouts on each target": "integration-tests/kernels/test_large_layouts.py",
    "ranges at the limits of each type": "integration-tests/kernels/test_range_steps.py",
    "sums that loops carry, by threads as lanes": "integration-tests/cpu/test_random_sums.py",
}
COMPILED = 64
"""How many times longer an example takes that is compiled and run on each target."""


def run(what: str, tests: str, examples: int) -> Outcome:
    """The tests of a suite, each with `examples` examples, on all cores."""
    environment = os.environ | {"HYPOTHESIS_PROFILE": "nightly", "HYPOTHESIS_EXAMPLES": str(examples)}
    with TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        options = ("-q", "-n", "auto", "--timeout=7200", f"--junitxml={report}")
        pytest = subprocess.run(
            (sys.executable, "-m", "pytest", *options, tests), cwd=ROOT, env=environment, capture_output=True, text=True
        )
        if not report.exists():
            return Outcome(what, 1, 1, failures=(pytest.stdout[-2000:] + pytest.stderr[-2000:],))
        return _outcome(what, examples, ElementTree.parse(report).getroot())


def _outcome(what: str, examples: int, report: ElementTree.Element) -> Outcome:
    cases = list(report.iter("testcase"))
    bad = [case for case in cases if case.find("failure") is not None or case.find("error") is not None]
    names = tuple(f"{case.get('classname')}::{case.get('name')}" for case in bad)
    return Outcome(what, len(cases), len(bad), {"examples each": examples}, names[:5])


if __name__ == "__main__":
    chosen = long_run(__doc__, 10_000)
    for name, folder in SUITES.items():
        share = COMPILED if folder.startswith("integration-tests") else 1
        run(name, folder, max(1, chosen.count // share)).print()
