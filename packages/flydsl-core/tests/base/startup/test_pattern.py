"""Regular expressions that wait for their first use."""

from __future__ import annotations

import subprocess
import sys

from flydsl.base.startup.pattern import pattern


def test_an_expression_is_compiled_once() -> None:
    assert pattern(r"a(\d+)").fullmatch("a12").group(1) == "12"  # type: ignore[union-attr]
    assert pattern(r"a(\d+)") is pattern(r"a(\d+)")


def test_an_import_compiles_few_expressions() -> None:
    code = (
        "import re, sys\n"
        "compiled, real = [], re.compile\n"
        "def note(text, flags=0):\n"
        "    module = sys._getframe(1).f_globals['__name__']\n"
        "    if module.startswith('flydsl'): compiled.append(module)\n"
        "    return real(text, flags)\n"
        "re.compile = note\n"
        "import flydsl.compiler, flydsl.expr\n"
        "print(*sorted(set(compiled)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["flydsl.base.references", "flydsl.plugins.manifests"]
