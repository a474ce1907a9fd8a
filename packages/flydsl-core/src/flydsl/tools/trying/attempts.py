"""One file of kernels, tried in this process: whether it can be imported, and what calls of its functions do."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from flydsl.base import settings
from flydsl.base.errors import RuntimeFailure

_EXTENT = 64
_RANKS = (1, 2, 3)
_BINDINGS = "flydsl._mlir"
Outcome = dict[str, Any]
Call = Callable[[], object]


def tried(path: Path, calls: Path | None, skipped: Collection[str] = ()) -> dict[str, Any]:
    """Why a file cannot be imported, empty if it can; and what came of each function, but those that are `skipped`.

    After a finding nothing more is tried, as the device does nothing more: `more` says that there may be others.
    """
    try:
        module = _imported(path)
    except BaseException as error:  # a module may raise anything, SystemExit too
        return {"import": _reason_of(error), "functions": {}, "more": False}
    given: Callable[[ModuleType], dict[str, Any]] | None = None
    if calls is not None:
        given = vars(_calls_in(calls)).get(path.stem)
    named = {} if given is None else given(module)
    attempts: dict[str, Callable[[], Outcome]] = {name: partial(_attempted, call) for name, call in named.items()}
    guesses: dict[str, Callable[[], Outcome]] = {
        name: partial(_guessed, function) for name, function in _jit_functions(module)
    }
    found: dict[str, Outcome] = {}
    for name, attempt in (attempts | {name: guess for name, guess in guesses.items() if name not in named}).items():
        if name not in skipped:
            found[name] = attempt()
            if found[name]["failed"] == "found":
                return {"import": "", "functions": found, "more": True}
    return {"import": "", "functions": found, "more": False}


def _attempted(call: Call | tuple[Call, Call]) -> Outcome:
    """A call, and the check of what it computed where calls run."""
    run: Call
    check: Call | None
    run, check = call if isinstance(call, tuple) else (call, None)
    outcome = _outcome_of(run)
    if outcome["failed"] or check is None or settings.compile.compile_only:
        return outcome
    try:
        is_right = check()
    except Exception as error:
        return {"failed": "is wrong", "reason": _reason_of(error), "checked": True}
    wrong = is_right is not None and not is_right
    return {"failed": "is wrong" if wrong else "", "reason": "its check is false" if wrong else "", "checked": True}


def _outcome_of(call: Call) -> Outcome:
    """What a call did: nothing wrong, a finding of what ran, or a failure before that."""
    try:
        call()
    except RuntimeFailure as error:
        return {"failed": "found", "reason": _reason_of(error), "checked": False}
    except BaseException as error:  # as above
        return {"failed": "fails", "reason": _reason_of(error), "checked": False}
    return {"failed": "", "reason": "", "checked": False}


def _guessed(function: Any) -> Outcome:
    """The first guess of the arguments that runs; else that of the first, which is the simplest."""
    first: Outcome = {}
    for rank in _RANKS:
        try:
            parameters = inspect.signature(function.__wrapped__, eval_str=True).parameters.values()
            arguments = [_argument(one, rank) for one in parameters]
        except ValueError as error:
            return {"failed": "fails", "reason": str(error), "checked": False}
        outcome = _outcome_of(lambda arguments=arguments: function(*arguments))  # type: ignore[misc]
        if outcome["failed"] != "fails":
            return outcome
        first = first or outcome
    return {**first, "reason": f"{first['reason']} (for arrays of f32 of 1 dimension; give its arguments in --calls)"}


def _imported(path: Path) -> ModuleType:
    """The module in a file, under its full name when it is in a package."""
    folder, name = path.resolve().parent, path.stem
    while (folder / "__init__.py").is_file():
        folder, name = folder.parent, f"{folder.name}.{name}"
    name = name.removesuffix(".__init__")
    sys.path.insert(0, str(folder))
    if "." in name:  # the packages around it may import it themselves
        found = importlib.import_module(name)
        if found.__file__ is not None and Path(found.__file__).samefile(path):
            return found
    return _of_file(path, name)


def _calls_in(path: Path) -> ModuleType:
    """The module of calls in a file, which is in no package; its folder comes last where it looks for others."""
    sys.path.append(str(path.resolve().parent))
    return _of_file(path, f"calls_in_{path.stem}")


def _of_file(path: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def _jit_functions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The @flyc.jit functions that a module defines, and not those that it imports."""
    from flydsl.compiler.jit import JitFunction

    for name, value in vars(module).items():
        if isinstance(value, JitFunction) and value.__wrapped__.__module__ == module.__name__:
            yield name, value


def _argument(parameter: inspect.Parameter, rank: int) -> Any:
    """A value for a parameter: its default, an array, a number or a stream."""
    import numpy as np

    import flydsl.expr as fx

    kind = parameter.annotation
    if parameter.default is not parameter.empty:
        return parameter.default
    if kind is fx.Tensor:
        return np.zeros((_EXTENT,) * rank, np.float32)
    if kind is fx.Stream:
        return fx.Stream(None)
    if isinstance(kind, type) and issubclass(kind, fx.Numeric):
        return 1.0 if kind.is_float else 1
    raise ValueError(f"nothing is known of its argument {parameter.name!r}; give its arguments in --calls")


def _reason_of(error: BaseException) -> str:
    """The first line of an error, with the line of the file that raised it and what to install."""
    text = (str(error).strip().splitlines() or [""])[0]
    missing = error.name if isinstance(error, ModuleNotFoundError) and error.name else ""
    hint = f"pip install {'flydsl-compat' if missing == _BINDINGS else missing.partition('.')[0]}" if missing else ""
    where = next((line.strip() for line in str(error).splitlines() if line.strip().startswith("--> ")), "")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_of_the_user(frame.filename)]
    if not where and frames:
        where = f"--> {frames[-1].filename}:{frames[-1].lineno}"
    return f"{type(error).__name__}: {text}" + (f"; {hint}" if hint else "") + (f" {where}" if where else "")


def _is_of_the_user(file: str) -> bool:
    """Whether a file is neither of the language nor of Python's library."""
    parts = Path(file).parts
    return not file.startswith("<") and not {"flydsl", "importlib"} & set(parts)
