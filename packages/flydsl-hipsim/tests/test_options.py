"""Options of the simulator, from words and from arguments."""

from __future__ import annotations

from typing import Any

import pytest

from flydsl_hipsim.options import Options


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Options()),
        ("gfx1100", Options(archs=("gfx1100",))),
        ("gfx942,devices=2", Options(archs=("gfx942", "gfx942"))),
        ("devices=3", Options(archs=("gfx942",) * 3)),
        ("gfx942, gfx950 , order=backward", Options(archs=("gfx942", "gfx950"), order="backward")),
        ("order=random:7,threads=2,report", Options(order="random:7", threads=2, report=True)),
        ("gfx942,check=5,memory=1024", Options(check=5, memory_bytes=1024)),
    ],
)
def test_words_become_options(text: str, expected: Options) -> None:
    assert Options.parse(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gfx9", "no chip 'gfx9' can be simulated, known: gfx90a, gfx942"),
        ("order=sideways", "order is 'sideways', expected forward, backward, random or random:SEED"),
        ("order=forward:3", "order is 'forward:3'"),
        ("devices=two", "devices is 'two', expected a number from 1 on"),
        ("gfx942,devices=0", "devices is '0', expected a number from 1 on"),
        ("threads=many", "threads is 'many', expected a number"),
        ("speed=9", "unknown option 'speed', expected devices, order, check, threads, memory"),
        ("gfx942,fast", "unknown option 'fast', expected a chip, report or name=value"),
    ],
)
def test_words_that_are_none_are_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Options.parse(text)


def test_a_chip_for_all_devices_or_one_for_each() -> None:
    assert Options.of("gfx950", 2).archs == ("gfx950", "gfx950")
    assert Options.of(["gfx942", "gfx1100"], 1).archs == ("gfx942", "gfx1100")
    with pytest.raises(ValueError, match="name one chip, or one for each device"):
        Options.of(["gfx942", "gfx1100"], 3)
    with pytest.raises(ValueError, match="0 devices"):
        Options.of("gfx942", 0)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"arch": None}, "1 devices of None: expected a number, and a chip or a list of chips"),
        ({"devices": "2"}, "'2' devices of 'gfx942': expected a number"),
        ({"order": None}, "order is None, expected forward"),
        ({"check": None}, "check is None, expected uninitialised, races"),
        ({"check": 1.5}, "check is 1.5, expected"),
        ({"check": ["races", 4]}, r"check is \['races', 4\], expected"),
        ({"threads": "3"}, "threads is '3', expected an integer from 0 to"),
        ({"threads": -1}, "threads is -1, expected"),
        ({"memory_bytes": 1e9}, "memory is 1000000000.0, expected an integer"),
    ],
)
def test_arguments_of_another_type_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Options.of(**{"arch": "gfx942", "devices": 1, **given})


def test_a_random_order_has_a_seed() -> None:
    assert [(o.order_number, o.seed) for o in map(Options.parse, ("", "order=backward", "order=random:12"))] == [
        (0, 0),
        (1, 0),
        (2, 12),
    ]
