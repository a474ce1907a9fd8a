"""Makes the helper modules of this folder and of the tests of `passes` and `ir` importable by their names."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "passes"), str(HERE.parent / "ir")]
