"""Locations: carets under spans, the user's running line, and errors that get it."""

from __future__ import annotations

import linecache

import pytest

from flydsl.base.errors import FlyDSLError
from flydsl.base.location import Location, is_result_dropped, locating, traceback_locations, user_location


def line_of(location):
    return linecache.getline(location.file, location.line).strip()


def test_the_users_line_is_the_running_one():
    location = user_location()  # here
    assert line_of(location) == "location = user_location()  # here"
    assert line_of(location)[: len("location = ")] == "location = "
    assert location.caret().endswith("^" * len("user_location()"))


def test_a_location_without_source_has_no_caret():
    assert Location("gone.py", 3).caret() == ""
    assert Location("gone.py", 3, 2).describe("wrong") == "wrong\n  --> gone.py:3:3"


def test_an_error_without_a_location_gets_the_running_line():
    with pytest.raises(FlyDSLError) as error, locating():
        raise FlyDSLError("wrong")
    assert error.value.location.file == __file__


def test_an_error_with_a_location_keeps_it():
    where = Location("a.py", 1)
    with pytest.raises(FlyDSLError) as error, locating():
        raise FlyDSLError("wrong", location=where)
    assert error.value.location is where


def test_a_location_may_be_told_from_the_error():
    with pytest.raises(FlyDSLError) as error, locating(lambda error: Location(str(error), 1)):
        raise FlyDSLError("a.py")
    assert error.value.location == Location("a.py", 1)


def test_other_errors_are_left_alone():
    with pytest.raises(ValueError, match="wrong") as error, locating():
        raise ValueError("wrong")
    assert not hasattr(error.value, "location")


def test_a_statement_of_a_call_alone_drops_its_result():
    results = []

    def asked():
        results.append(is_result_dropped())
        return results

    asked()
    kept = asked()
    asked().copy()
    assert kept == [True, False, False]


def test_a_traceback_is_shown_by_the_lines_of_the_user():
    def fails():
        raise ValueError("wrong")

    with pytest.raises(ValueError, match="wrong") as error:
        fails()
    assert [line_of(found) for found in traceback_locations(error.value.__traceback__)] == [
        "fails()",
        'raise ValueError("wrong")',
    ]
