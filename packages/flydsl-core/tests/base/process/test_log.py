"""Loggers at the level of the settings."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
from flydsl.base.process.log import get_logger
log = get_logger('flydsl.x')
log.info('heard')
log.warning('loud')
"""


@pytest.mark.parametrize("level, heard", [("INFO", ["heard", "loud"]), ("ERROR", [])])
def test_the_setting_decides_what_is_heard(level: str, heard: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_DEBUG_LOG_LEVEL", level)
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert [line.rpartition(" ")[2] for line in done.stderr.splitlines()] == heard
