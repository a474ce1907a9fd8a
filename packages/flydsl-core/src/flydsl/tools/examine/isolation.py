"""Each plugin alone in a process of its own, before `flydsl doctor` loads any: one that ends a process is named.

`python -m flydsl.tools.examine.isolation NAME DISTRIBUTION VERSION MODULE` loads one, makes what it declares, and asks
its runtimes for their devices.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from flydsl.base import settings
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.manifests import DeviceRuntimeManifest
from flydsl.plugins.scan.discovery import discover_entry_points
from flydsl.tools.examine.trials import ending

_SECONDS: float = 60
_SAID = "ended by itself"
_PROGRAM: tuple[str, ...] = ("-m", "flydsl.tools.examine.isolation")


def deadly(entries: Sequence[EntryPoint], seconds: float | None = None) -> Iterator[tuple[EntryPoint, str]]:
    """The plugins whose process ends, or never answers, and how."""
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda entry: _answer(entry, seconds or _SECONDS), entries))
    yield from ((entry, answer) for entry, answer in zip(entries, answers, strict=True) if answer)


def _answer(entry: EntryPoint, seconds: float) -> str:
    command = [sys.executable, "-P", *_PROGRAM, *entry]
    try:
        done = subprocess.run(
            command, env=settings.environment({}), capture_output=True, text=True, check=False, timeout=seconds,
            errors="replace", stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"gives no answer within {seconds:g} s, in a process of its own: it hangs"
    if done.returncode == 0 and _SAID in done.stdout:
        return ""
    said = " ".join(done.stderr.split()[-40:])
    return f"its process {ending(done.returncode)} while it was loaded or asked{': ' if said else ''}{said}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Load the plugin and ask it; 0 whatever it raises, as who reads the report is told of that anyway."""
    entry = EntryPoint(*(sys.argv[1:] if arguments is None else arguments))
    for manifest in discover_entry_points([entry]).manifests:
        try:
            made = manifest.create()  # type: ignore[attr-defined]
            if isinstance(manifest, DeviceRuntimeManifest):
                made.status()
        except KeyboardInterrupt:
            raise
        except BaseException:
            continue
    print(_SAID)
    return 0


if __name__ == "__main__":
    sys.exit(main())
