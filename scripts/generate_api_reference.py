"""The public names and their docstrings in, `docs/reference/fx_api.md` out: one row a name.

Usage: python scripts/generate_api_reference.py [--check]. The names are those of the tables that the tests walk. With
--check nothing is written, and the exit code is 1 when the page is out of date.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "integration-tests/lib"))

from support.stable_api import Entry, read_entries, resolve  # noqa: E402

PAGE = ROOT / "docs/reference/fx_api.md"
PACKAGES = ("flydsl-core", "flydsl-rocm", "flydsl-torch")
TABLES = [f"packages/{package}/tests/data/stable_api.tsv" for package in PACKAGES]
HEAD = """# Public names

<!-- Made by scripts/generate_api_reference.py from the code. -->

```python
import flydsl.compiler as flyc
import flydsl.expr as fx
```

These names are a contract: a kernel that uses only them keeps working. Names of a module of `flydsl.expr` are names of
`fx` too: `fx.make_layout` is `fx.primitive.make_layout`, and `from flydsl.expr.primitive import make_layout` works. The
exceptions are names of a target, which stay below its word (`fx.rocdl.MFMA`).
[The tests](../../packages/flydsl-core/tests/expr/test_stable_api.py) hold each name to its kind, signature and members.
"""
_INSTANCES = {
    "thread_idx": "The number of this thread in its block, along x, y and z.",
    "block_idx": "The number of this block in the grid, along x, y and z.",
    "block_dim": "Threads of a block along x, y and z.",
    "grid_dim": "Blocks of the grid along x, y and z.",
    "T": "The MLIR types by name, an instance of `Types`: `T.f32`, `T.i32x4`, `T.vec(n, element)`.",
}


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    text = "\n".join(_page())
    if "--check" not in arguments:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is out of date; run python scripts/generate_api_reference.py", file=sys.stderr)
    return 1


def _page() -> Iterator[str]:
    yield HEAD
    groups: dict[str, list[Entry]] = {}
    for entry in (entry for table in TABLES for entry in read_entries(ROOT / table)):
        if entry.kind != "module":
            groups.setdefault(entry.name.rpartition(".")[0], []).append(entry)
    for module, entries in groups.items():
        yield f"## {module}\n"
        vectors = [entry for entry in entries if _is_vector(entry)]
        yield from _table([entry for entry in entries if entry not in vectors])
        if vectors:
            yield from _vector_table(vectors)


def _table(entries: list[Entry]) -> Iterator[str]:
    yield "| name | meaning |"
    yield "|---|---|"
    for entry in entries:
        name = entry.name.rpartition(".")[2]
        meaning = _INSTANCES.get(name) if "(" not in entry.kind and entry.kind not in ("function", "enum") else None
        value = resolve(entry.name)
        yield f"| `{name}{_arguments(entry, value)}` | {_escaped(meaning or _meaning(value))} |"
    yield ""


def _vector_table(entries: list[Entry]) -> Iterator[str]:
    """One row an element type; `Int32x4` is a class of vectors of four Int32."""
    by_dtype: dict[str, list[int]] = {}
    for entry in entries:
        dtype, _, count = entry.name.rpartition(".")[2].rpartition("x")
        by_dtype.setdefault(dtype, []).append(int(count))
    yield f"{len(entries)} classes of vectors, `VectorAlias(dtype, n)` by name: constructor, annotation, result type.\n"
    yield "| elements | vectors |"
    yield "|---|---|"
    for dtype, counts in by_dtype.items():
        yield f"| `{dtype}` | {', '.join(f'`{dtype}x{count}`' for count in sorted(counts))} |"
    yield ""


def _is_vector(entry: Entry) -> bool:
    return entry.kind.startswith("class(Vector") and re.search(r"x\d+$", entry.name) is not None


def _arguments(entry: Entry, value: Any) -> str:
    if entry.kind != "function" or inspect.isclass(value):
        return ""
    parameters = inspect.signature(value).parameters.values()
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in parameters]
    return re.sub(r"<(\w+)\.(\w+): [^>]*>", r"\1.\2", str(inspect.Signature(bare)))


def _meaning(value: Any) -> str:
    first = (inspect.getdoc(value) or "").split("\n\n")[0]
    if not first:
        raise SystemExit(f"{value!r} has no docstring")
    return " ".join(first.split())


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
