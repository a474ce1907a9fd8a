"""Calls of tuned functions: where the configuration comes from, and what happens in which order."""

from __future__ import annotations

import inspect
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from flydsl.autotune import Autotuner, Config, autotune
from flydsl.base.errors import ArgumentError

CONFIGS = [Config(BLOCK=1), Config(BLOCK=2), Config(BLOCK=3)]


def launch(x: object, n: int = 0, **rest: object) -> object:
    """What is tuned."""
    return rest.get("BLOCK")


def test_the_fastest_is_run_and_its_value_returned(array: Any, make_bench: Any) -> None:
    bench = make_bench(3.0, 1.0, 2.0)
    tuned = autotune(CONFIGS, key=["n"], do_bench=bench)(launch)
    assert isinstance(tuned, Autotuner)
    assert (tuned(array, 1), bench.calls) == (2, 3)
    assert (tuned(array, 1), bench.calls) == (2, 3), "known"
    assert (tuned(array, n=2), bench.calls) == (2, 6), "another key"
    assert len(tuned.cache) == 2


def test_the_configuration_is_found_without_a_run(array: Any, make_bench: Any) -> None:
    runs: list[object] = []
    tuned = Autotuner(lambda x, BLOCK: runs.append(BLOCK), CONFIGS, do_bench_fn=make_bench(3.0, 1.0, 2.0))
    assert tuned.resolve_config(array) is CONFIGS[1]
    assert runs == [1, 2, 3]


def test_configurations_stay_on_disk(
    array: Any, make_bench: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tuned = Autotuner(launch, CONFIGS, ["n"], do_bench_fn=make_bench(3.0, 1.0, 2.0))
    tuned(array)
    assert tuned._cache_file.parent == tmp_path / "autotune"
    assert tuned._cache_file.name.startswith("launch-")
    (entry,) = json.loads(tuned._cache_file.read_text()).items()
    assert (json.loads(entry[0]), entry[1]["config"]) == (list(tuned._make_key((array,), {})), {"BLOCK": 2})
    again = Autotuner(launch, CONFIGS[::-1], ["n"], do_bench_fn=make_bench())
    assert again.resolve_config(array) is CONFIGS[1], "the candidate itself, with its hooks"
    tuned._cache_file.write_text("damaged")
    capsys.readouterr()
    assert Autotuner(launch, [Config(BLOCK=9)], ["n"], do_bench_fn=make_bench())(array) == 9
    assert f"launch: {tuned._cache_file} is not used: " in capsys.readouterr().out


@pytest.mark.parametrize(
    "configs", [CONFIGS[1:2], CONFIGS[:2], [*CONFIGS, Config(BLOCK=4)], [Config(BLOCK=9)], lambda x, n=0: CONFIGS[:2]]
)
def test_other_candidates_are_measured_anew(array: Any, make_bench: Any, configs: Any) -> None:
    Autotuner(launch, CONFIGS, ["n"], do_bench_fn=make_bench(3.0, 1.0, 2.0))(array)
    bench = make_bench()
    found = Autotuner(launch, configs, ["n"], do_bench_fn=bench).resolve_config(array)
    candidates = configs(array) if callable(configs) else configs
    assert (found, bench.calls) == (candidates[0], len(candidates))


def test_a_winner_that_is_no_candidate_is_not_used(array: Any, make_bench: Any) -> None:
    tuned = Autotuner(launch, CONFIGS, ["n"], do_bench_fn=make_bench(3.0, 1.0, 2.0))
    tuned(array)
    tuned._cache_file.write_text(tuned._cache_file.read_text().replace('"BLOCK": 2', '"BLOCK": 1024'))
    assert Autotuner(launch, CONFIGS, ["n"], do_bench_fn=make_bench())(array) == 1


def function_of(text: str, name: str = "launch", module: str = "mine", **names: object) -> Any:
    scope: dict[str, Any] = {"__name__": module, **names}
    exec(text, scope)
    return scope[name]


TEXT = "def launch(x, n=0, BLOCK=0):\n    return BLOCK\n"


@pytest.mark.parametrize(
    "other",
    [
        function_of(TEXT, module="theirs"),
        function_of(TEXT.replace("return BLOCK", "return BLOCK + 0")),
        function_of(TEXT.replace("n=0", "m=0")),
        function_of(TEXT.replace("return BLOCK", "return (lambda: BLOCK + 1)() - 1")),
        function_of("class A:\n    " + TEXT.replace("\n", "\n    ") + "\nlaunch = A.launch"),
    ],
    ids=["module", "body", "parameter", "lambda", "class"],
)
def test_other_functions_of_the_name_are_measured_anew(array: Any, make_bench: Any, other: Any) -> None:
    Autotuner(function_of(TEXT), CONFIGS, do_bench_fn=make_bench(3.0, 1.0, 2.0))(array)
    bench = make_bench()
    assert (Autotuner(function_of(TEXT), CONFIGS, do_bench_fn=bench)(array), bench.calls) == (2, 0)
    assert (Autotuner(other, CONFIGS, do_bench_fn=bench)(array), bench.calls) == (1, 3)


def test_a_changed_helper_is_measured_anew(array: Any, make_bench: Any) -> None:
    text = "def launch(x, n=0, BLOCK=0):\n    return helper(BLOCK)\n"
    helpers = [function_of(f"def helper(x):\n    return x + {k}\n", "helper") for k in (0, 0, 1)]
    first, same, changed = (function_of(text, helper=helper) for helper in helpers)
    Autotuner(first, CONFIGS, do_bench_fn=make_bench(3.0, 1.0, 2.0))(array)
    assert Autotuner(same, CONFIGS, do_bench_fn=make_bench())(array) == 2
    assert Autotuner(changed, CONFIGS, do_bench_fn=make_bench())(array) == 2, "1 + 1: the first candidate"


def test_the_name_of_a_key_counts(array: Any, make_bench: Any) -> None:
    Autotuner(launch, CONFIGS, ["n"], do_bench_fn=make_bench(3.0, 1.0, 2.0))(array, 1, m=1)
    assert Autotuner(launch, CONFIGS, ["m"], do_bench_fn=make_bench())(array, 1, m=1) == 1


def test_what_cannot_be_written_stays_in_memory(
    array: Any, make_bench: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    tuned = Autotuner(launch, [Config(BLOCK=object)], do_bench_fn=make_bench())
    assert tuned(array) is object
    assert "is not written" in capsys.readouterr().out
    assert not tuned._cache_file.exists()
    assert tuned(array) is object


def test_a_forced_call_searches_again(array: Any, make_bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = make_bench()
    tuned = Autotuner(launch, CONFIGS, do_bench_fn=bench, default=lambda *_: Config(BLOCK=7))
    for count, value in enumerate(("1", "true", "YES", "on"), 1):
        monkeypatch.setenv("FLYDSL_AUTOTUNE", value)
        assert (tuned(array), bench.calls) == (1, 3 * count)
    monkeypatch.setenv("FLYDSL_AUTOTUNE", "0")
    assert (tuned(array), bench.calls) == (1, 12), "from the cache"


def test_a_default_is_used_instead_of_a_search_and_not_kept(array: Any, make_bench: Any) -> None:
    bench = make_bench()
    tuned = Autotuner(launch, CONFIGS, do_bench_fn=bench, default=lambda x, n=0: Config(BLOCK=n + 10))
    assert [tuned(array, 1), tuned(array, 2)] == [11, 12]
    assert (bench.calls, tuned.cache) == (0, {})
    with pytest.raises(TypeError, match="gives a Config"):
        Autotuner(launch, CONFIGS, default=lambda x: 3)(array)  # type: ignore[arg-type, return-value]


def test_configurations_may_be_made_for_the_call_when_it_is_searched(array: Any, make_bench: Any) -> None:
    asked: list[Any] = []

    def configs(*args: object, **kwargs: object) -> list[Config]:
        asked.append((args, kwargs))
        return [Config(BLOCK=5)]

    tuned = Autotuner(launch, configs, do_bench_fn=make_bench())
    assert [tuned(array, n=4), tuned(array, n=4)] == [5, 5]
    assert asked == [((array,), {"n": 4})]


def test_candidates_are_pruned_by_the_arguments_of_the_call(array: Any, make_bench: Any) -> None:
    seen: list[Any] = []

    def prune(configs: Any, values: dict[str, object]) -> Any:
        seen.append(values)
        return configs[2:]

    assert Autotuner(launch, CONFIGS, prune_configs_by=prune, do_bench_fn=make_bench())(array, 4) == 3
    assert seen == [{"x": array, "n": 4}]


def test_arrays_and_hooks_of_a_search_and_of_a_run(array: Any, make_bench: Any) -> None:
    log = array.log
    tuned = Autotuner(
        lambda x, BLOCK: log.append(f"kernel {BLOCK}"),
        CONFIGS[:2],
        reset_to_zero=["x"],
        restore_value=["x"],
        pre_hook=lambda keywords: log.append(f"pre {keywords}"),
        post_hook=lambda keywords: log.append(f"post {keywords}"),
        do_bench_fn=make_bench(2.0, 1.0),
    )
    tuned(array)
    one, two = (["restore", "zero", f"pre {{'BLOCK': {i}}}", f"kernel {i}", f"post {{'BLOCK': {i}}}"] for i in (1, 2))
    assert log == ["clone", *one, *two, "restore", "zero", "kernel 2"]
    log.clear()
    tuned(array)
    assert log == ["zero", "kernel 2"]


def test_errors_of_the_run_are_the_callers(array: Any, make_bench: Any) -> None:
    def fn(x: object, BLOCK: int) -> None:
        raise KeyError(BLOCK)

    with pytest.raises(KeyError):
        Autotuner(fn, CONFIGS, default=lambda x: CONFIGS[0])(array)
    with pytest.raises(RuntimeError, match="All autotune configs failed"):
        Autotuner(fn, CONFIGS, do_bench_fn=make_bench())(array)


def test_a_candidate_may_be_rejected_by_a_run_and_chosen_by_a_function(array: Any, make_bench: Any) -> None:
    class Rejecting:
        def __init__(self, values: dict[str, object]) -> None:
            self.values = values

        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None:
            if self.values["x"].log[-1] == "kernel 1":  # type: ignore[attr-defined]
                raise ValueError("wrong")

    tuned = Autotuner(
        lambda x, BLOCK: x.log.append(f"kernel {BLOCK}") or BLOCK,
        CONFIGS,
        do_bench_fn=make_bench(1.0, 2.0),
        validate_hook=Rejecting,
        select_config=lambda pairs: pairs[-1],
    )
    assert tuned(array) == 3


def test_one_thread_searches_for_all(array: Any, make_bench: Any) -> None:
    bench = make_bench()
    tuned = Autotuner(launch, CONFIGS, do_bench_fn=bench)
    threads = [threading.Thread(target=tuned, args=(array,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bench.calls == 3


def test_the_parameters_have_these_names_in_this_order() -> None:
    names = (
        *("configs", "key", "warmup", "rep", "prune_configs_by", "reset_to_zero", "restore_value"),
        *("pre_hook", "post_hook", "do_bench", "default", "artifact_name", "validate_hook", "select_config"),
    )
    assert tuple(inspect.signature(autotune).parameters) == names
    own = ("fn", *names)
    expected = tuple("do_bench_fn" if name == "do_bench" else name for name in own)
    assert tuple(inspect.signature(Autotuner).parameters) == expected


def test_wrong_parameters_are_errors() -> None:
    with pytest.raises(TypeError, match="key is a list of parameter names"):
        autotune(CONFIGS, key="n")(launch)
    with pytest.raises(TypeError, match="objects of flydsl.autotune.Config"):
        autotune([{"BLOCK": 1}])(launch)  # type: ignore[list-item]


def closed(x: object, size: int = 0, BLOCK: int = 0) -> None:
    """Takes no other keywords."""


@pytest.mark.parametrize("what", ["key", "restore_value", "reset_to_zero"])
def test_names_that_are_no_parameters_are_errors(what: str) -> None:
    with pytest.raises(ArgumentError, match=f"{what} names 'sise', and the function has no such.*did you mean 'size'"):
        autotune(CONFIGS, **{what: ["sise"]})(closed)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"did you mean 'x'\?") as caught:
        autotune(CONFIGS, **{what: ["X"]})(closed)  # type: ignore[arg-type]
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def test_keywords_of_configurations_are_parameters(array: Any) -> None:
    message = r"Config\(BLOK=1\) sets 'BLOK', and the function has no such parameter.*did you mean 'BLOCK'"
    with pytest.raises(ArgumentError, match=message):
        autotune([Config(BLOK=1)])(closed)
    with pytest.raises(ArgumentError, match=message):
        autotune(lambda x, size=0: [Config(BLOK=1)])(closed)(array)
    with pytest.raises(ArgumentError, match=r"sets 'num_warps'"):
        autotune([Config(BLOCK=1, num_warps=2)])(closed)


def test_arrays_of_a_record_are_put_back_and_set_to_0(array: Any, make_array: Any, make_bench: Any) -> None:
    other = make_array()
    names = {"restore_value": ["x"], "reset_to_zero": ["x"]}
    tuned = Autotuner(closed, CONFIGS[:1], do_bench_fn=make_bench(), **names)  # type: ignore[arg-type]
    tuned({"a": array, "b": [other]})
    assert array.log == other.log == ["clone", "restore", "zero", "restore", "zero"]


@pytest.mark.parametrize("what", ["restore_value", "reset_to_zero"])
def test_what_is_no_array_is_not_put_back(array: Any, make_bench: Any, what: str) -> None:
    with pytest.raises(ArgumentError, match=f"{what} names 'size', which is no array and holds none: 3"):
        Autotuner(closed, CONFIGS[:1], do_bench_fn=make_bench(), **{what: ["size"]})(array, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "bench",
    [lambda call: 1.0, lambda call, warmup: 1.0, lambda call, **counts: counts["rep"], lambda call, *, rep=1: 1],
)
def test_a_measurement_takes_the_call_and_the_counts_that_it_wants(array: Any, bench: Any) -> None:
    assert Autotuner(launch, CONFIGS, do_bench_fn=bench)(array) == 1


@pytest.mark.parametrize("value", [None, "1", [1.0], float("nan")])
def test_a_measurement_that_is_no_number_is_left_out(
    array: Any, value: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RuntimeError, match="All autotune configs failed"):
        Autotuner(launch, CONFIGS, do_bench_fn=lambda call: value)(array)
    assert "do_bench gives a number of milliseconds, found" in capsys.readouterr().out


def test_a_tuned_function_looks_like_the_function() -> None:
    tuned = autotune(CONFIGS)(launch)
    assert (tuned.__name__, tuned.__doc__, tuned.fn) == ("launch", "What is tuned.", launch)
    assert repr(tuned).startswith("<autotuned <function launch")
