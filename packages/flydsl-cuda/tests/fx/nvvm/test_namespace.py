"""`fx.nvvm` as a namespace: every word is described, and loading them loads no compiler."""

from __future__ import annotations

import subprocess
import sys

import flydsl.expr as fx


def test_every_word_is_described() -> None:
    words = [word for word in vars(fx.nvvm) if not word.startswith("_") and word.islower()]
    assert len(words) > 20
    assert [word for word in words if not getattr(fx.nvvm, word).__doc__] == []


def test_dir_shows_the_words_and_not_the_files_they_are_in() -> None:
    shown = dir(fx.nvvm)
    assert {"mbarrier_wait", "make_tma_load", "MMA", "sm90"} <= set(shown)
    assert [name for name in shown if name in ("barriers", "emit", "chips", "tma") or name.startswith("_")] == []


def test_loading_the_words_loads_no_compiler() -> None:
    script = "import sys, flydsl.expr as fx; fx.nvvm.mbarrier_wait; print('xdsl' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
