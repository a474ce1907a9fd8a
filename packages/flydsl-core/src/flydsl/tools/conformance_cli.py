"""`flydsl conformance BACKEND`: the conformance suite on an installed backend, as a matrix of levels."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import ArgumentError
from flydsl.base.references import resolve_reference
from flydsl.plugins.active.selection import ActivePair, resolve_pair
from flydsl.plugins.conformance import Conformance
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.registry import registry
from flydsl.plugins.scan.discovery import discover_entry_points

if TYPE_CHECKING:
    from flydsl.testing.matrix import Matrix

_EPILOG = """levels: L0 what the plugin declares, L1 the code that it makes, L2 kernels and memory on a device.
A test fails, passes, is a known deviation (--known, or known= of the plugin's own test file), or is left out because a
capability is declared missing or no device is there. The exit code is 1 when one fails."""

_HEAD = """from flydsl.testing.suite import conformance
from flydsl.testing.suite.compile import CompileSuite

ALL = {known!r}
OF_CODE = {{name: why for name, why in ALL.items() if hasattr(CompileSuite, name.partition("[")[0])}}
KNOWN = {{"all": ALL, "of code": OF_CODE, "of devices": {{name: ALL[name] for name in ALL.keys() - OF_CODE}}}}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite and print the matrix; 0 when nothing failed."""
    options = _parser().parse_args(arguments)
    try:
        from flydsl.testing.matrix import run_file
    except ImportError as error:
        raise ArgumentError(f"the suite cannot be imported ({error}): pip install pytest numpy") from error
    if options.file is not None:
        if options.backend:
            raise ArgumentError("--file has its own plugin: give no BACKEND with it")
        if not options.file.is_file():
            raise ArgumentError(f"--file {str(options.file)!r} is no file")
        title, matrix = str(options.file), run_file(options.file.resolve())
    else:
        pair = resolve_pair(options.backend, options.runtime)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "test_conformance.py"
            backend, runtime = _facts("backends", pair.backend.name), _facts("runtimes", pair.runtime.name)
            known = {**backend.known, **runtime.known, **dict(options.known)}
            file.write_text(_source(_calls(pair, options, backend, runtime), known))
            title, matrix = f"{pair}, {pair.backend.owner}", run_file(file)
    print(_as_json(title, matrix) if options.json else "\n".join([title, *matrix.lines()]))
    return 0 if matrix.is_conforming else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="flydsl conformance", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("backend", nargs="?", help="backend id (default: the active one)")
    parser.add_argument("--runtime", help="device runtime of the same kind (default: the active one)")
    parser.add_argument("--target", action="append", default=[], help="architecture to compile for, repeatable")
    parser.add_argument("--device", action="append", default=[], help="architecture to run on, repeatable")
    pairs: Mapping[str, Any] = {"action": "append", "default": [], "type": _pair}
    parser.add_argument("--without", metavar="CAPABILITY=REASON", help="a missing capability", **pairs)
    parser.add_argument("--known", metavar="TEST=REASON", help="a test that is known to fail", **pairs)
    parser.add_argument("--file", type=Path, help="run this test file of a plugin, which has all that in it, instead")
    parser.add_argument("--json", action="store_true", help="print every result as JSON")
    return parser


def _pair(text: str) -> tuple[str, str]:
    name, _, reason = text.partition("=")
    if not reason.strip():
        raise argparse.ArgumentTypeError(f"expected NAME=REASON, found {text!r}")
    return name, reason


def _facts(table: str, name: str) -> Conformance:
    """What the plugin that declares this says of itself."""
    manifest = getattr(registry.tables, table).get(name)
    reference = manifest.conformance if manifest is not None else ""
    if not reference:
        return Conformance()
    found = resolve_reference(reference)
    if not isinstance(found, Conformance):
        raise ArgumentError(f"{reference!r}, the conformance of {name!r}, is {found!r} and no Conformance")
    return found


def _calls(
    pair: ActivePair, options: argparse.Namespace, of_backend: Conformance, of_runtime: Conformance
) -> list[dict[str, Any]]:
    """The arguments of `conformance` for the backend's plugin, and for the runtime's when that is another one."""
    without = {**of_backend.without, **of_runtime.without, **dict(options.without)}
    targets = options.target or list(of_backend.targets)
    asked = options.device or list(of_runtime.devices or of_backend.devices)
    backend, runtime = _module_of("backends", pair.backend.name), _module_of("runtimes", pair.runtime.name)
    both = {"backend": pair.backend.name, "targets": targets, "without": without}
    if runtime in ("", backend):
        name = pair.runtime.name if runtime else ""
        return [{"plugin": backend, "runtime": name, **both, "devices": asked, "known": "all"}]
    devices = {"runtime": pair.runtime.name, "beside": [backend], "devices": asked or [""]}
    return [
        {"plugin": backend, **both, "known": "of code"},
        {"plugin": runtime, **both, **devices, "known": "of devices"},
    ]


def _source(calls: Sequence[Mapping[str, Any]], known: Mapping[str, str]) -> str:
    """A test file with a class for each call; the suite is not asked here, as pytest is to import it."""
    lines = [_HEAD.format(known=dict(known))]
    for number, call in enumerate(calls):
        named = {name: value for name, value in call.items() if name not in ("plugin", "known")}
        chosen = f"KNOWN[{call['known']!r}]"
        lines.append(f"TestConformance{number} = conformance({call['plugin']!r}, known={chosen}, **{named!r})")
    return "\n".join(lines) + "\n"


def _module_of(table: str, name: str) -> str:
    """The module of the plugin that declares this; empty for what no plugin does."""
    entries: Sequence[EntryPoint] = registry.tables.plugins
    for entry in entries:
        if name in getattr(discover_entry_points([entry]), table):
            return entry.module
    if name in getattr(registry.tables, table):
        raise ArgumentError(f"{name!r} was registered by this program: write a test file for it, and use --file")
    return ""


def _as_json(title: str, matrix: Matrix) -> str:
    results = [result._asdict() for result in matrix.results]
    return json.dumps({"subject": title, "errors": matrix.errors, "results": results}, indent=2)
