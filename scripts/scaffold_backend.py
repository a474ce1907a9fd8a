"""A plugin to start from: the files of `docs/how-to/write_a_backend.md` under a name of your own.

Usage: python scripts/scaffold_backend.py NAME [FOLDER], or `nox -s scaffold_backend -- NAME`. The plugin has a backend,
a pass and a runtime that interprets kernels, and passes the conformance suite as it is: replace one after the other.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/how-to/write_a_backend.md"
NAME = re.compile(r"[a-z][a-z0-9]*")
_BLOCK = re.compile(r"^```(?:python|toml)\n# (\S+\.(?:py|toml))\n(.*?)^```", re.MULTILINE | re.DOTALL)
_EXAMPLE = "tiny"


def main(arguments: list[str]) -> int:
    """Write the files; 1 when one of them is there already, 2 for a wrong command line."""
    if len(arguments) not in (1, 2) or NAME.fullmatch(arguments[0]) is None:
        print("usage: scaffold_backend.py NAME [FOLDER], NAME of lower-case letters and digits", file=sys.stderr)
        return 2
    name = arguments[0]
    folder = Path(arguments[1] if len(arguments) == 2 else f"flydsl-{name}")
    written = {folder / file: text for file, text in files(PAGE.read_text(), name).items()}
    present = [str(path) for path in written if path.exists()]
    if present:
        print(f"there is {', '.join(present)} already: choose another folder", file=sys.stderr)
        return 1
    for path, text in written.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    print(f"{folder}: {len(written)} files; next: cd {folder}, pip install -e ., flydsl conformance {name}")
    return 0


def files(page: str, name: str) -> dict[str, str]:
    """The files of the example by path, as the page leaves them, with `name` for its own."""
    found = {file: text for file, text in _BLOCK.findall(page) if "lean" not in file}
    return {renamed(file, name): renamed(text, name) for file, text in found.items()}


def renamed(text: str, name: str) -> str:
    """`text` with the name of the example replaced, in each of its spellings."""
    for spell in (str.lower, str.capitalize, str.upper):
        text = text.replace(spell(_EXAMPLE), spell(name))
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
