"""The Fly dialect for backends: what the Fly passes leave is there by name, and what is rare is loaded late."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from xdsl.dialects.builtin import f32, i8

from flydsl.backend import ir

PAGE = Path(__file__).resolve().parents[4] / "docs/how-to/write_a_backend.md"
OPERATIONS = {cls.name: cls for cls in vars(ir).values() if isinstance(cls, type) and hasattr(cls, "name")}


def test_every_operation_that_the_page_lists_has_its_class_here() -> None:
    rows = re.findall(r"^\| (`fly\.[^|]*) \|", PAGE.read_text(), re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(fly\.[\w.]+)`", row)}
    assert len(listed) > 20
    assert listed - set(OPERATIONS) == set()


def test_types_tell_their_sizes() -> None:
    assert [ir.element_bits(type_) for type_ in (f32, i8)] == [32, 8]
    assert ir.element_bytes(f32) == 4


def test_tensor_maps_are_loaded_when_they_are_asked_for() -> None:
    loaded = "print('flydsl.ir.tensor_map' in sys.modules)"
    program = f"import sys, flydsl.backend.ir as ir; {loaded}; ir.EncodeTensorMapOp; {loaded}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
