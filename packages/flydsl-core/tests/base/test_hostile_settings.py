"""Every declared setting with values that nobody means: a value, or an error that names the variable and the value."""

from __future__ import annotations

from typing import Any

import pytest

from flydsl.base.errors import SettingError
from flydsl.base.setting import Setting
from flydsl.base.settings import declared

VALUES = (
    *("", " ", "\t\n", "garbage", "-1", "0", "9" * 5000, "99999999999999999999", "1e3", "0x10", "nan", "٣", "1_0"),
    *(
        "/dev/zero",
        "/",
        ".",
        "..",
        "relative/path",
        "~",
        "~no_such_user/x",
        "~nobody/x",
        "a" * 100_000,
        "/proc/self/mem",
    ),
    *("\udcff\udcfe", "\x1b[31m", "a,b,,c,", ",", "null\0byte"),
)


@pytest.mark.parametrize("name", declared())
def test_a_value_or_an_error_that_names_it(name: str) -> None:
    setting: Setting[Any] = declared()[name]
    for value in VALUES:
        for variable in setting.variables:
            try:
                setting.read({variable: value})
            except SettingError as error:
                text = str(error)
                assert text.startswith(f"{variable} is {value.strip()!r}, expected ")
