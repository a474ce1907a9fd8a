"""Configurations delivered with a program: written by forced searches, and checked at each call."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import flydsl.autotune
from flydsl.autotune import Autotuner, Config
from flydsl.base.errors import NoDeviceError

DEVICE = {"name": "Fake", "arch": "fake1", "compute_units": 8}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CONFIG_DIR", str(tmp_path / "configs"))
    monkeypatch.setattr(flydsl.autotune, "_device_descriptor", lambda: dict(DEVICE))
    return tmp_path / "configs"


def launch(x: object, n: int, BLOCK: int, num_warps: int = 1) -> int:
    """Gives what it is called with."""
    return BLOCK


def tuner(*configs: Config, fn: Callable[..., object] = launch, **options: Any) -> Autotuner:
    options = {"key": ["x", "n"], "artifact_name": "add", "do_bench_fn": lambda call, **_: (call(), 1.0)[1], **options}
    return Autotuner(fn, configs or (Config(BLOCK=64),), **options)


def forced(monkeypatch: pytest.MonkeyPatch, tuned: Autotuner, *args: object) -> object:
    with monkeypatch.context() as patch:
        patch.setenv("FLYDSL_AUTOTUNE", "1")
        return tuned(*args)


def test_a_forced_search_writes_the_file_of_its_identity(
    folder: Path, array: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced(monkeypatch, tuner(Config(BLOCK=64, num_warps=2)), array, 3)
    identity = {"name": "add", "key": {"x": [8], "n": 3}, "device": DEVICE}
    digest = sha256(json.dumps(identity, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    (file,) = folder.iterdir()
    assert file.name == f"add-{digest}.json"
    config = {"BLOCK": 64, "num_warps": 2}
    assert json.loads(file.read_text()) == {"version": 1, "identity": identity, "config": config}


def test_other_searches_write_none(folder: Path, array: Any) -> None:
    assert tuner()(array, 3) == 64
    assert not folder.exists()


def test_a_delivered_configuration_is_used_without_a_search(
    folder: Path, array: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forced(monkeypatch, tuner(Config(BLOCK=64)), array, 3)
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CACHE_DIR", str(tmp_path / "empty"))
    fresh = tuner(Config(BLOCK=1))
    assert fresh(array, 3) == 64
    assert fresh.cache == {}
    assert fresh(array, 4) == 1, "another key"
    monkeypatch.setattr(flydsl.autotune, "_device_descriptor", lambda: {**DEVICE, "arch": "fake2"})
    assert tuner(Config(BLOCK=2))(array, 3) == 2, "another device"


def rewrite(folder: Path, **changes: Any) -> None:
    (file,) = folder.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 2}, "version 1"),
        ({"identity": {}}, "another kernel"),
        ({"config": [1]}, "a configuration is"),
        ({"config": {"BLOCK": "64"}}, "BLOCK is of type int"),
        ({"config": {"BLOCK": True}}, "BLOCK is of type int"),
        ({"config": {"BLOCK": 64, "n": 3}}, "'n' is an argument"),
        ({"config": {"BLOCK": 64, "waves_per_eu": "2"}}, "waves_per_eu is an integer"),
        ({"config": {"BLOCK": 64, "OTHER": 1}}, "unexpected keyword"),
        ({"config": {}}, "missing a required"),
        ({"config": {"BLOCK": [1]}}, "preserve their types"),
    ],
    ids=repr,
)
def test_a_defect_is_a_warning_and_then_a_search(
    folder: Path,
    array: Any,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    changes: dict[str, Any],
    message: str,
) -> None:
    forced(monkeypatch, tuner(), array, 3)
    rewrite(folder, **changes)
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CACHE_DIR", str(tmp_path / "empty"))
    with pytest.warns(RuntimeWarning, match=message):
        assert tuner(Config(BLOCK=2))(array, 3) == 2


def test_a_file_that_is_no_json_is_a_warning_and_then_the_default(
    folder: Path, array: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    forced(monkeypatch, tuner(), array, 3)
    next(folder.iterdir()).write_text("{")
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CACHE_DIR", str(tmp_path / "empty"))
    with pytest.warns(RuntimeWarning, match="is not used"):
        assert tuner(default=lambda *_: Config(BLOCK=5))(array, 3) == 5


def test_annotations_may_check_values_themselves(
    folder: Path, array: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Even:
        @staticmethod
        def __coerce__(value: int) -> int:
            if value % 2:
                raise ValueError(f"{value} is odd")
            return value

    def fn(x: object, n: int, BLOCK: Even) -> object:
        return BLOCK

    fn.__annotations__["BLOCK"] = Even
    forced(monkeypatch, tuner(fn=fn), array, 3)
    rewrite(folder, config={"BLOCK": 3})
    monkeypatch.setenv("FLYDSL_AUTOTUNE_CACHE_DIR", str(tmp_path / "empty"))
    with pytest.warns(RuntimeWarning, match="3 is odd"):
        tuner(fn=fn)(array, 3)


@pytest.mark.parametrize(
    ("config", "n", "message"),
    [
        (Config(BLOCK=1, pre_hook=lambda keywords: None), 3, "pre_hook"),
        (Config(BLOCK=(1, 2)), 3, "preserve their types"),
        (Config(BLOCK=float("inf")), 3, "preserve their types"),
        (Config(BLOCK=1), object(), "cannot generate offline config identity"),
        (Config(BLOCK=1), float("nan"), "cannot generate offline config identity"),
    ],
    ids=["hook", "tuple", "infinity", "object", "nan"],
)
def test_what_no_file_can_hold_is_an_error_of_forced_searches(
    folder: Path, array: Any, monkeypatch: pytest.MonkeyPatch, config: Config, n: object, message: str
) -> None:
    tuned = tuner(config)
    with pytest.raises(ValueError, match=message):
        forced(monkeypatch, tuned, array, n)
    assert tuned.cache == {}
    assert not folder.exists()
    assert tuned(array, n) == config.kwargs["BLOCK"], "not forced it is a search as any"


def test_without_a_device_there_is_no_identity(folder: Path, array: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> dict[str, object]:
        raise NoDeviceError("there is none")

    monkeypatch.setattr(flydsl.autotune, "_device_descriptor", none)
    with pytest.raises(ValueError, match="cannot generate offline config identity"):
        forced(monkeypatch, tuner(), array, 3)


@pytest.mark.parametrize("name", ["", "a b", "a/b", "x" * 65, "é"])
def test_names_are_those_of_files(name: str) -> None:
    with pytest.raises(ValueError, match="artifact_name is 1 to 64"):
        tuner(artifact_name=name)


def test_names_are_text_and_keys_are_parameters() -> None:
    with pytest.raises(TypeError, match="artifact_name is text"):
        tuner(artifact_name=3)
    for key in (["x", "x"], ["no_such"]):
        with pytest.raises(ValueError, match="artifact keys"):
            tuner(key=key)
