"""Standard output for a report alone."""

from __future__ import annotations

import os

import pytest

from flydsl.tools.own_output import own_output


def test_what_is_printed_meanwhile_goes_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    with own_output():
        print("from Python")
        os.write(1, b"from C")
    print("report")
    out, err = capfd.readouterr()
    assert out == "report\n"
    assert "from Python" in err
    assert "from C" in err
