"""Keys: what a search depends on, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import flydsl.autotune
from flydsl.autotune import Autotuner, Config
from flydsl.autotune.key import key_value, normalize_strides


def launch(x: object, n: int, name: str = "a", **rest: object) -> None:
    """What is tuned."""


def key_of(*args: object, key: tuple[str, ...] = ("x", "n"), **kwargs: object) -> tuple[str, ...]:
    return Autotuner(launch, [Config()], key)._make_key(args, kwargs)


def test_a_key_is_text_of_values_types_strides_and_fingerprints(
    make_array: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("env", "toolchain", "device"):
        monkeypatch.setattr(flydsl.autotune, f"_{name}_fingerprint", lambda name=name: name.upper())
    key = key_of(make_array((4, 8), "bf16", (8, 1)), 3)
    assert key == ("x=(4, 8)", "n=3", "x:bf16", "x:('s', 1)", "_env_:ENV", "_toolchain_:TOOLCHAIN", "_device_:DEVICE")


def test_fingerprints_are_asked_for_at_each_call(array: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key_of(array, 3)
    monkeypatch.setattr(flydsl.autotune, "_normalize_strides", lambda array: ("other",))
    assert "x:('other',)" in key_of(array, 3)
    assert key_of(array, 3) != before


def test_the_order_of_keywords_does_not_matter(array: Any) -> None:
    assert key_of(x=array, n=3, b=1, a=array) == key_of(a=array, b=1, n=3, x=array)


def test_defaults_count_and_other_values_do_not(array: Any) -> None:
    assert key_of(array, 3, key=("name",))[0] == "name=a"
    assert key_of(array, 3, key=("x",)) == key_of(array, 4, key=("x",))
    assert key_of(array, 3, key=("missing",))[0] == "missing=None"


@pytest.mark.parametrize(
    ("stride", "pattern"), [((8, 1), ("s", 1)), ((0, 1), (0, 1)), ((2,), ("s",)), ((), ())], ids=repr
)
def test_strides_are_0_or_1_or_something(make_array: Any, stride: tuple[int, ...], pattern: tuple[Any, ...]) -> None:
    assert normalize_strides(make_array(stride=stride)) == pattern


def test_strides_in_bytes_are_those_of_elements() -> None:
    array = np.zeros((4, 6), np.float32)
    assert normalize_strides(array) == ("s", 1)
    assert normalize_strides(array.T[:1]) == (1, "s")
    assert normalize_strides(np.broadcast_to(array[0], (4, 6))) == (0, 1)


def test_a_value_counts_by_its_shape_its_type_or_itself(array: Any) -> None:
    class Typed:
        dtype = "f16"

    assert [key_value(value) for value in (array, Typed(), 3, "a")] == [(8,), "f16", 3, "a"]


@dataclass
class Record:
    """Two arrays and a number."""

    a: Any
    b: Any
    n: int = 3


def test_a_record_counts_by_its_arrays_shapes_and_values(make_array: Any) -> None:
    record = Record(make_array((4, 8), "bf16", (8, 1)), (make_array((2,), "f32", (0,)),))
    assert key_value(record) == ((4, 8), ((2,),), 3)
    key = key_of(record, 1)
    assert key[:6] == ("x=((4, 8), ((2,),), 3)", "n=1", "x:bf16", "x:f32", "x:('s', 1)", "x:(0,)")


def test_hints_and_the_name_of_an_artifact_are_in_it(array: Any) -> None:
    class Hinted:
        __name__ = "hinted"

        def __call__(self, x: object, n: int) -> None: ...

        def _effective_compile_hints(self) -> dict[str, int]:
            return {"opt_level": 3}

    assert "_hint_:opt_level=3" in Autotuner(Hinted(), [Config()])._make_key((array, 1), {})
    named = Autotuner(launch, [Config()], ["n"], artifact_name="mine")._make_key((array, 1), {})
    assert "_artifact_:mine" in named
    assert any(part.startswith("_artifact_device_:") for part in named)
