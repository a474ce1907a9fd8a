"""What the tests of all distributions share."""

from __future__ import annotations

import gc
import os
import zlib
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import numpy as np


class NamesOfFailures:
    """Names each failure when it happens: a run that is stopped before its summary has said what failed."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and reporter is not None:
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = (crash.message if crash else str(report.longrepr)).partition("\n")[0]
            reporter.ensure_newline()
            reporter.write_line(f"FAILED {report.nodeid} ({report.when}): {reason}", red=True)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that prints, not a worker
        config.pluginmanager.register(NamesOfFailures(config))
    else:  # two processes of torch's compiler would write the same precompiled header at once
        caches = Path(gettempdir(), f"torchinductor_{os.getuid()}_{os.environ['PYTEST_XDIST_WORKER']}")
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(caches))


def pytest_collection_finish() -> None:
    """The garbage collector looks at tests and modules no more: there are 30,000, and some tests collect in a loop."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A random generator seeded by the test's node id: a test has the same data alone and among others."""
    import numpy as np  # here: tests of the core run without it

    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
