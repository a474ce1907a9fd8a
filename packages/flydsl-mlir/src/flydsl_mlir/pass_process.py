"""Passes in a process of their own: `fly-passes` with the LLVM of a prefix, or the `opt` of another LLVM."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from flydsl_mlir.errors import Diagnostic, MlirError, PassError
from flydsl_mlir.identity import is_self_contained, llvm_library, llvm_version, native_file

_RUNNING = re.compile(r'Running pass "([^"]+)"')
_BROKEN = re.compile(r'^(.*?)^LLVM ERROR: Broken \w+ found after pass "([^"]+)"', re.DOTALL | re.MULTILINE)


def probe(plugin: Path) -> None:
    """Load a plugin where its crash does no harm; PassError when it cannot be loaded."""
    _run(["probe", str(plugin)], None, f"plugin {str(plugin)!r}: the process that loaded it")


def run_ir_passes(
    prefix: Path | None,
    ir: bytes,
    pipeline: str,
    plugins: Sequence[str],
    target: Mapping[str, object],
    options: Sequence[str] = (),
) -> bytes:
    """The bitcode after `pipeline`, by the LLVM under `prefix` (None: that of this build) with its `options`."""
    with tempfile.TemporaryDirectory(prefix="flydsl-passes-") as folder:
        source, result = Path(folder, "in.bc"), Path(folder, "out.bc")
        source.write_bytes(ir)
        if prefix is None or has_own_llvm(prefix):
            line = ["run", _target(target), pipeline, str(source), str(result), *plugins]
            _run([*_before(options), *line], prefix, "the process of the LLVM passes")
        else:
            _run_opt(prefix, source, result, pipeline, plugins, target, options)
        return _read(result)


def codegen(
    prefix: Path | None,
    ir: bytes,
    passes: Sequence[tuple[str, str, str, int]],
    plugins: Sequence[str],
    target: Mapping[str, object],
    flags: str,
    dump: Callable[[str, str], object] | None,
    options: Sequence[str] = (),
) -> bytes:
    """The object or assembly, by the LLVM under `prefix` (None: that of this build) with its `options`."""
    if prefix is not None and not has_own_llvm(prefix):
        raise PassError(
            f"machine passes and options need LLVM {_series()}: {str(prefix)!r} of FLYDSL_COMPILE_LLVM_DIR has another "
            "version, whose code generation cannot be extended; name the prefix of that LLVM"
        )
    with tempfile.TemporaryDirectory(prefix="flydsl-passes-") as folder:
        source, result, dumps = Path(folder, "in.bc"), Path(folder, "out"), Path(folder, "dumps")
        source.write_bytes(ir)
        dumps.mkdir()
        requests = "\n".join(";".join(map(str, request)) for request in passes)
        names = [_target(target, flags), requests, str(source), str(result), str(dumps) if dump is not None else ""]
        try:
            _run([*_before(options), "codegen", *names, *plugins], prefix, "the process of the machine passes")
        finally:
            for file in sorted(dumps.iterdir()):
                if dump is not None:
                    dump(file.name.partition("_")[2], file.read_text(errors="replace"))
        return _read(result)


def program() -> Path:
    """The program `fly-passes`, which lies beside the native module."""
    path = native_file().with_name("fly-passes")
    if not path.is_file():
        raise PassError(f"flydsl_mlir lacks its program {path.name!r}, for custom passes: reinstall flydsl-mlir")
    return path


def has_own_llvm(prefix: Path) -> bool:
    """Whether the LLVM under `prefix` is of the version that this build is for; PassError when there is none at all."""
    if llvm_library(prefix).is_file():
        return True
    if not _opt(prefix).is_file():
        library = llvm_library(prefix).name
        raise PassError(f"FLYDSL_COMPILE_LLVM_DIR is {str(prefix)!r}, which holds neither lib/{library} nor bin/opt")
    return False


def _before(options: Sequence[str]) -> list[str]:
    """The options of LLVM as `fly-passes` takes them before a command."""
    return [*options, "--"] if options else []


def _read(result: Path) -> bytes:
    if not result.is_file():  # some options of LLVM end a process that asks for nothing else
        raise PassError("the process of the LLVM passes ended and left no code; leave out options that only print")
    return result.read_bytes()


def _run(arguments: Sequence[str], prefix: Path | None, who: str) -> None:
    """Run `fly-passes`; its failure is an error here, and so is its end."""
    done = subprocess.run([*_with_llvm(prefix), str(program()), *arguments], capture_output=True, check=False)
    if done.returncode == 0:
        return
    said = done.stderr.decode(errors="replace")
    _raise_reported(done.stdout.decode(errors="replace"), said)
    raise PassError(f"{who} {_ending(done.returncode)}{_said(said)}")


def _with_llvm(prefix: Path | None) -> list[str]:
    """What stands before `fly-passes` so that it finds the LLVM under `prefix`: a self-contained build has none."""
    if not is_self_contained():
        return [] if prefix is None else ["env", f"LD_LIBRARY_PATH={prefix / 'lib'}"]
    if prefix is None:
        raise PassError(
            f"this build of flydsl_mlir has LLVM {llvm_version()} inside, where plugins and options of LLVM do not "
            f"reach it: name the prefix of an LLVM {_series()} in FLYDSL_COMPILE_LLVM_DIR, which then runs the passes"
        )
    return ["env", f"LD_PRELOAD={llvm_library(prefix)}"]


def _raise_reported(text: str, said: str) -> None:
    """Raise what `fly-passes` reports, if it does; LLVM writes what is wrong with the value of an option to stderr."""
    try:
        report: dict[str, Any] = json.loads(text.splitlines()[-1])
        diagnostics = [Diagnostic(*fields) for fields in report["diagnostics"]]
    except (IndexError, ValueError, KeyError, TypeError):
        return
    message = report["message"]
    if message.endswith(":"):
        message = f"{message} {said.strip().removeprefix('fly-passes: ')}"
    raise (PassError if report.get("of_pass") else MlirError)(message, diagnostics)


def _run_opt(
    prefix: Path,
    source: Path,
    result: Path,
    pipeline: str,
    plugins: Sequence[str],
    target: Mapping[str, object],
    options: Sequence[str],
) -> None:
    line = [str(_opt(prefix)), *options, f"-passes={pipeline}", "-verify-each", f"-mtriple={target['triple']}"]
    line += [
        f"-{option}={target[name]}" for option, name in (("mcpu", "chip"), ("mattr", "features")) if target.get(name)
    ]
    line += [f"-load-pass-plugin={plugin}" for plugin in plugins]
    try:
        done = subprocess.run([*line, str(source), "-o", str(result)], capture_output=True, text=True, check=False)
    except OSError as error:
        raise PassError(f"{line[0]!r} cannot be run: {error}") from None
    if done.returncode:
        _raise_of_opt(done.returncode, done.stderr.replace(f"{source.parent}/", ""))


def _raise_of_opt(code: int, said: str) -> NoReturn:
    broken, running = _BROKEN.search(said), _RUNNING.findall(said)
    if broken:
        raise PassError(f"pass {broken[2]!r} made LLVM IR that is not valid: {broken[1].strip()}")
    if code < 0:
        raise PassError(f"LLVM pass {running[-1] if running else 'of the pipeline'!r} crashed: opt {_ending(code)}")
    if not said.strip():
        raise PassError(f"the process of the LLVM passes (opt) {_ending(code)}")
    raise PassError(f"the LLVM pass pipeline is not valid: {said.strip()}")


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    return f"was ended by signal {-code} ({signal.Signals(-code).name})"


def _said(text: str) -> str:
    lines = text.strip().splitlines()
    return f": {' '.join(lines[-3:])}" if lines else ""


def _target(target: Mapping[str, object], flags: str = "") -> str:
    names = ("triple", "chip", "features")
    return ";".join([*(str(target.get(name, "")) for name in names), str(target.get("opt_level", 2)), flags])


def _opt(prefix: Path) -> Path:
    return prefix / "bin" / "opt"


def _series() -> str:
    return ".".join(llvm_version().split(".")[:2])
