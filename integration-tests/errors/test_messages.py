"""Each mistake shows the message that the reference prints, with the user's line and what to do."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import catalogue
import pytest
import wrong_calls  # noqa: F401 - fills the catalogue
import wrong_control_flow  # noqa: F401 - fills the catalogue
import wrong_python  # noqa: F401 - fills the catalogue
import wrong_values  # noqa: F401 - fills the catalogue
import wrong_words  # noqa: F401 - fills the catalogue

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/reference/errors.md").read_text()


def script():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "scripts/generate_errors_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", catalogue.CASES)
def test_a_mistake_shows_the_message_of_the_reference(name):
    case = catalogue.CASES[name]
    assert script().section(case.title, case.source, case.message()) in PAGE, (
        "run scripts/generate_errors_reference.py when the new message is better"
    )


@pytest.mark.parametrize("name", catalogue.CASES)
def test_a_message_points_at_a_line_and_names_no_internals(name):
    message = catalogue.CASES[name].message()
    assert "  --> kernel.py:" in message
    assert message.count("  --> ") == 1
    assert set(message.split("  --> ")[1].splitlines()[2].strip()) == {"^"}
    assert "__flydsl" not in message
    assert "/" not in message.split("  --> ")[0].replace("//", "")


def test_the_reference_has_no_message_more():
    assert PAGE.count("\n### ") == len(catalogue.CASES) >= 40
