"""What adaptors of frameworks ask for is loaded then, and not before."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from flydsl.backend import frameworks

PROGRAM = """
import json, sys
import flydsl.backend.frameworks as frameworks
before = [name for name in sys.modules if name.startswith("flydsl.")]
frameworks.interception.is_tracing()
print(json.dumps([before, [name for name in sys.modules if name.startswith("flydsl.") and name not in before]]))
"""


def test_importing_it_loads_nothing_of_the_compiler() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    before, after = json.loads(done.stdout)
    assert set(before) == {"flydsl.backend", "flydsl.backend.frameworks", "flydsl.base", "flydsl.base.namespace"}
    assert after == ["flydsl.base.interception"]


@pytest.mark.parametrize("name", frameworks.__all__)
def test_every_name_is_found_where_it_is_said_to_be(name: str) -> None:
    value = getattr(frameworks, name)
    assert getattr(frameworks, name) is value
    assert value.__doc__


def test_a_wrong_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'BoundCalls'"):
        frameworks.BoundCalls  # type: ignore[attr-defined]
