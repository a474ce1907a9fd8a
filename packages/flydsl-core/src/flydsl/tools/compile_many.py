"""`flydsl compile` of several functions: each with the `--arg`s behind it, and a file of its own in a folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from flydsl.base.errors import ArgumentError
from flydsl.tools.jobs import Factory, Job, Outcome, Work, check_workers, done, processes

SUFFIXES = {"fly": ".fly.mlir", "mlir": ".mlir", "llvm": ".ll", "isa": ".s", "object": ".o", "launcher": ".so"}
"""Of the files that stages are written to."""
BINARY = frozenset({"object", "launcher"})
_FLAGS = ("--report", "--json", "--help", "-h")


class Line(NamedTuple):
    """A command line: the words of each function, its `FILE:FUNCTION` first, and those for all of them."""

    functions: tuple[tuple[str, ...], ...]
    common: tuple[str, ...]


def split(words: Sequence[str]) -> Line:
    """The functions of a command line; an `--arg` belongs to the function before it, or else to the first one."""
    functions: list[list[str]] = []
    leading: list[str] = []
    common: list[str] = []
    rest = iter(words)
    for word in rest:
        own = functions[-1] if functions else leading
        if not word.startswith("-") or word == "-":
            functions.append([word])
        elif word == "--arg":
            own += [word, *_value(rest)]
        elif word.startswith("--arg="):
            own.append(word)
        else:
            common += [word, *_value_of(word, rest)]
    if functions:
        functions[0] += leading
    return Line(tuple(map(tuple, functions)), tuple(common))


def compile_many(line: Line, options: argparse.Namespace, work: Work) -> int:
    """Do `work` for each function; `options` are those for all. 0 when all went well, 1 with messages when not."""
    _check(options)
    jobs = [Job((*words, *line.common), " ".join(words)) for words in line.functions]
    once, workers = list(dict.fromkeys(jobs)), options.jobs
    outcomes = {outcome.job: outcome for outcome in done(once, work, _executor(options), workers)}
    failed = False
    names = _names([job.words[0] for job in jobs], ".json" if options.json else _suffix(options))
    for job, name in zip(jobs, names, strict=True):
        failed |= not _written(outcomes[job], options.output, name)
    return int(failed)


def _check(options: argparse.Namespace) -> None:
    check_workers(options.jobs)
    if options.against is not None:
        raise ArgumentError("--against compares the report of one function: name one")
    if options.output is None and (options.json or (not options.report and options.emit in BINARY)):
        what = "--json" if options.json else f"--emit {options.emit}"
        raise ArgumentError(f"{what} of several functions is a file each: name a folder with -o")


def _executor(options: argparse.Namespace) -> Factory:
    return processes if options.jobs > 1 else ThreadPoolExecutor


def _suffix(options: argparse.Namespace) -> str:
    return ".txt" if options.report else SUFFIXES[options.emit]


def _names(functions: Sequence[str], suffix: str) -> Iterator[str]:
    """A file name for each `FILE:FUNCTION`; of one that is named again, with a number."""
    times: dict[str, int] = {}
    for function in functions:
        file, _, name = function.rpartition(":")
        stem = f"{Path(file).stem}.{name}"
        times[stem] = times.get(stem, 0) + 1
        yield f"{stem}{f'-{times[stem]}' if times[stem] > 1 else ''}{suffix}"


def _written(outcome: Outcome, folder: Path | None, name: str) -> bool:
    if outcome.error:
        print(f"error: {outcome.job.place}: {outcome.error}", file=sys.stderr)
        return False
    if folder is not None:
        if folder.exists() and not folder.is_dir():
            raise ArgumentError(f"-o of several functions is a folder, and {str(folder)!r} is a file")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(outcome.done.result)
        return True
    print(f"// {outcome.job.place}", flush=True)
    sys.stdout.buffer.write(outcome.done.result)
    sys.stdout.buffer.flush()
    return True


def _value_of(option: str, rest: Iterator[str]) -> list[str]:
    """The word behind an option that takes one; `-j4` and `--emit=isa` have it in them."""
    attached = "=" in option or (option[1] != "-" and len(option) > 2)
    return [] if attached or option in _FLAGS else _value(rest)


def _value(rest: Iterator[str]) -> list[str]:
    value = next(rest, None)
    return [] if value is None else [value]
