"""Wrong kernels in, `docs/reference/errors.md` out: what each mistake shows.

Usage: python scripts/generate_errors_reference.py [--check]. The mistakes are functions in `integration-tests/errors`;
each is made here, on the CPU. With --check nothing is written, and the exit code is 1 when the page is out of date.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/reference/errors.md"
HEAD = """# Errors and what they mean

<!-- Made by scripts/generate_errors_reference.py from integration-tests/errors; every mistake is made. -->

What common mistakes show. A message says what was found and what to do, then the place, your line, and the calls that
led to it. `launch(kernel)` stands for a `@flyc.jit` function that launches the kernel with 32 threads on a tensor of
32 floats. Each class is also the builtin that you would guess: `except TypeError` catches a `FrontendError`.

Two things are no errors, on purpose. A number stored to a tensor of another element type is converted as C does, like
`tl.store` of Triton: a float loses its fraction in a tensor of integers. And a tensor index that is known only at run
time is not checked, as on any GPU; a static one is.
"""


def page() -> str:
    """The text of the page."""
    sys.path.insert(0, str(ROOT / "integration-tests/errors"))
    for module in ("wrong_control_flow", "wrong_python", "wrong_calls", "wrong_values"):  # they fill the catalogue
        import_module(module)
    known = import_module("catalogue").CASES.values()
    parts = [HEAD]
    for group, cases in groupby(known, key=lambda case: case.group):
        parts.append(f"## {group}\n")
        parts += [section(case.title, case.source, case.message()) for case in cases]
    return "\n".join(parts)


def section(title: str, source: str, message: str) -> str:
    """One mistake."""
    return f"### {title}\n\n```text\n{source.rstrip()}\n```\n\n```text\n{message}\n```\n"


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    os.environ["FLYDSL_COMPILE_BACKEND"] = "cpu"
    text = page()
    if "--check" not in arguments:
        PAGE.write_text(text)
        return 0
    if PAGE.read_text() == text:
        return 0
    sys.stderr.write(f"{PAGE} is out of date: run scripts/generate_errors_reference.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
