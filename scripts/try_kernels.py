"""A report on a folder of kernels written elsewhere: which files can be imported, and which functions compile.

Usage: python scripts/try_kernels.py FOLDER [--calls FILE] [--backend NAME] [--target ARCH] [--timeout SECONDS]

Nothing is run: calls compile with COMPILE_ONLY=1. FILE has for each file of kernels a function of its name that gives
calls by name, made of arrays as a program would have them:

    def softmax(module):
        x = np.zeros((128, 256), np.float32)
        return {"softmax": lambda: module.build(256)(x, x)}

A @flyc.jit function of a module that no call names is called with arrays of f32 of one, two and three dimensions, with
the defaults of its compile-time arguments: what that needs more is said. The exit code is 1 when anything fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

EXTENT = 64
RANKS = (1, 2, 3)
HINTS = {"flydsl._mlir": "pip install flydsl-compat", "torch": "pip install flydsl-torch torch"}


def main(arguments: list[str]) -> int:
    """Report on each file, tried in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--calls", type=Path)
    parser.add_argument("--backend")
    parser.add_argument("--target")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(tried(options.folder, options.calls)))
        return 0
    files = sorted(
        path for path in options.folder.rglob("*.py") if path.resolve() != (options.calls or Path()).resolve()
    )
    if not files:
        parser.error(f"{options.folder} has no Python files")
    reports = {str(path.relative_to(options.folder)): in_a_process(path, options) for path in files}
    return show(reports)


def in_a_process(path: Path, options: argparse.Namespace) -> dict[str, Any]:
    """What `tried` says of a file, or how the process that was to say it ended."""
    environment = {**os.environ, "COMPILE_ONLY": "1"}
    if options.backend:
        environment["FLYDSL_COMPILE_BACKEND"] = options.backend
    if options.target:
        environment["FLYDSL_COMPILE_ARCH"] = options.target
    calls = ["--calls", str(options.calls)] if options.calls else []
    line = [sys.executable, __file__, str(path), "--one", *calls]
    try:
        done = subprocess.run(
            line, env=environment, capture_output=True, text=True, timeout=options.timeout, check=False
        )
    except subprocess.TimeoutExpired:
        return {"import": f"took more than {options.timeout:g} s", "functions": {}}
    try:
        report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        last = (done.stderr.strip().splitlines() or ["it wrote nothing"])[-1]
        return {"import": f"the process ended with code {done.returncode}: {last}", "functions": {}}
    return report


def show(reports: dict[str, dict[str, Any]]) -> int:
    """Print a line for each file and for each function that fails; 1 if anything did."""
    width = max(map(len, reports))
    failures = functions = 0
    for name, report in reports.items():
        good = [function for function, reason in report["functions"].items() if not reason]
        functions += len(report["functions"])
        if report["import"]:
            print(f"{name:<{width}}  import fails: {report['import']}")
            failures += 1
            continue
        print(f"{name:<{width}}  imports; compiles {', '.join(good) or 'nothing'}")
        for function, reason in report["functions"].items():
            if reason:
                print(f"{'':<{width}}  {function} fails: {reason}")
                failures += 1
    imported = sum(not report["import"] for report in reports.values())
    compiled = functions - sum(bool(reason) for report in reports.values() for reason in report["functions"].values())
    print(f"{imported} of {len(reports)} files can be imported, {compiled} of {functions} functions compile")
    return bool(failures)


def tried(path: Path, calls: Path | None) -> dict[str, Any]:
    """Why a file cannot be imported, empty if it can; and the same of each function."""
    try:
        module = imported(path)
    except BaseException as error:  # a module may raise anything, SystemExit too
        return {"import": reason_of(error), "functions": {}}
    given: Callable[[ModuleType], dict[str, Callable[[], object]]] | None = None
    if calls is not None:
        given = getattr(imported(calls), path.stem, None)
    named = {} if given is None else given(module)
    found = {name: attempt(call) for name, call in named.items()}
    for name, function in jit_functions(module):
        if name not in found:
            found[name] = guessed(function)
    return {"import": "", "functions": found}


def imported(path: Path) -> ModuleType:
    """The module in a file, under its full name when it is in a package."""
    folder, name = path.resolve().parent, path.stem
    while (folder / "__init__.py").is_file():
        folder, name = folder.parent, f"{folder.name}.{name}"
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location(name.removesuffix(".__init__"), path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


def jit_functions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The @flyc.jit functions that a module defines, and not those that it imports."""
    from flydsl.compiler.jit import JitFunction

    for name, value in vars(module).items():
        if isinstance(value, JitFunction) and value.__wrapped__.__module__ == module.__name__:
            yield name, value


def attempt(call: Callable[[], object]) -> str:
    """Why a call does not compile; empty when it does."""
    try:
        call()
    except BaseException as error:  # as above
        return reason_of(error)
    return ""


def guessed(function: Any) -> str:
    """Why no guess of the arguments compiles; that of the first, which is the simplest."""
    first = ""
    for rank in RANKS:
        try:
            arguments = [
                argument(one, rank)
                for one in inspect.signature(function.__wrapped__, eval_str=True).parameters.values()
            ]
        except ValueError as error:
            return str(error)
        reason = attempt(lambda arguments=arguments: function(*arguments))  # type: ignore[misc]
        if not reason:
            return ""
        first = first or reason
    return f"{first} (for arrays of f32 of 1 dimension; give its arguments in --calls)"


def argument(parameter: inspect.Parameter, rank: int) -> Any:
    """A value for a parameter: its default, an array, a number or a stream."""
    import numpy as np

    import flydsl.expr as fx

    kind = parameter.annotation
    if parameter.default is not parameter.empty:
        return parameter.default
    if kind is fx.Tensor:
        return np.zeros((EXTENT,) * rank, np.float32)
    if kind is fx.Stream:
        return fx.Stream(None)
    if isinstance(kind, type) and issubclass(kind, fx.Numeric):
        return 1.0 if kind.is_float else 1
    raise ValueError(f"nothing is known of its argument {parameter.name!r}; give its arguments in --calls")


def reason_of(error: BaseException) -> str:
    """The first line of an error, with the line of the file that raised it and what to install."""
    text = (str(error).strip().splitlines() or [""])[0]
    hint = next((hint for name, hint in HINTS.items() if isinstance(error, ImportError) and error.name == name), "")
    where = next((line.strip() for line in str(error).splitlines() if line.strip().startswith("--> ")), "")
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_of_the_user(frame.filename)]
    if not where and frames:
        where = f"--> {frames[-1].filename}:{frames[-1].lineno}"
    return f"{type(error).__name__}: {text}" + (f"; {hint}" if hint else "") + (f" {where}" if where else "")


def is_of_the_user(file: str) -> bool:
    """Whether a file is neither this one nor one of the language or of Python's library."""
    parts = Path(file).parts
    return Path(file) != Path(__file__) and not file.startswith("<") and not {"flydsl", "importlib"} & set(parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
