"""Configurations: keyword arguments, options of the compiler, and their form in files."""

from __future__ import annotations

import pytest

from flydsl.autotune import Config


def test_keyword_arguments_have_the_number_of_warps_if_there_is_one() -> None:
    assert Config(BLOCK=128).all_kwargs() == {"BLOCK": 128}
    assert Config(BLOCK=128, num_warps=4).all_kwargs() == {"BLOCK": 128, "num_warps": 4}
    assert Config(BLOCK=128, num_warps=4).kwargs == {"BLOCK": 128}


def test_options_of_the_compiler_are_those_that_are_set() -> None:
    assert Config(BLOCK=128, num_warps=4).compiler_opts() == {}
    assert Config(waves_per_eu=0, maxnreg=64).compiler_opts() == {"waves_per_eu": 0, "maxnreg": 64}


def test_the_dictionary_is_flat_and_gives_the_configuration_again() -> None:
    config = Config(BLOCK=128, num_warps=4, waves_per_eu=2, pre_hook=print)
    assert config.to_dict() == {"BLOCK": 128, "num_warps": 4, "waves_per_eu": 2}
    again = Config.from_dict(config.to_dict())
    assert (again.to_dict(), again.pre_hook) == (config.to_dict(), None)


def test_the_text_shows_arguments_and_then_options() -> None:
    assert repr(Config(BLOCK=128, num_warps=4)) == "Config(BLOCK=128, num_warps=4)"
    assert repr(Config(num_warps=4, T="a", waves_per_eu=2)) == "Config(T='a', num_warps=4, waves_per_eu=2)"


@pytest.mark.parametrize("data", [None, [1], {1: 2}, {"pre_hook": 1}], ids=repr)
def test_what_is_no_configuration_is_refused(data: object) -> None:
    with pytest.raises(TypeError, match="a configuration is a dictionary of names"):
        Config.from_dict(data)  # type: ignore[arg-type]
