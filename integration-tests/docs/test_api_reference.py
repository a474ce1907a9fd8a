"""The page of public names is what the code says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts/generate_api_reference.py"


def test_the_page_is_up_to_date() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_on_the_page() -> None:
    page = (ROOT / "docs/reference/fx_api.md").read_text()
    tables = ROOT.glob("packages/*/tests/data/stable_api.tsv")
    rows = [line.split("\t")[:2] for table in tables for line in table.read_text().splitlines()]
    assert len(rows) == 542
    names = {name.rpartition(".")[2] for name, kind in rows if kind != "module"}
    assert not [name for name in names if f"`{name}`" not in page and f"`{name}(" not in page]
