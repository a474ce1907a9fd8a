"""The files and commands of every how-to page work, block after block of one page in one folder."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.testing.capabilities import Capability

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/how-to").glob("*.md"))
BLOCK = re.compile(r"^```(python|toml|cpp|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:#|//) (\S+\.(?:py|toml|cpp))\n")


SCRIPTS = {
    name: reference
    for file in ROOT.glob("packages/*/pyproject.toml")
    for name, reference in tomllib.loads(file.read_text())["project"].get("scripts", {}).items()
}
"""The function of each program that our distributions install."""
PROMPT = "(Pdb) "


def commands(text: str) -> Iterator[tuple[dict[str, str], list[str], list[str]]]:
    """Variables and words of each line that begins with `$`, and the lines below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, *below = part.splitlines()
        words = shlex.split(command)
        count = next(i for i, word in enumerate(words) if "=" not in word)
        yield dict(word.split("=", 1) for word in words[:count]), words[count:], below


def run_session(command: list[str], below: list[str], folder: Path, **variables: str) -> None:
    """Run a program; the lines below the command are what is typed at a debugger, and what the program says."""
    typed = [line.removeprefix(PROMPT) for line in below if line.startswith(PROMPT)]
    said = run(command, folder, typed="".join(f"{line}\n" for line in typed), **variables)
    for line in below:
        assert line.startswith(PROMPT) or line.removeprefix("> ") in said, said


def run(command: list[str], folder: Path, typed: str = "", **variables: str) -> str:
    """Run a program of this environment in `folder`; its output."""
    program = Path(sys.executable).with_name(command[0])
    if program.exists():
        words = [str(program), *command[1:]]
    elif reference := SCRIPTS.get(command[0]):  # declared after this environment was made
        module, _, function = reference.partition(":")
        words = [sys.executable, "-c", f"import sys, {module} as m; sys.exit(m.{function}())", *command[1:]]
    else:
        words = command
    path = os.pathsep.join(filter(None, [variables.pop("PYTHONPATH", ""), *sys.path]))
    environment = {**os.environ, "FLYDSL_COMPILE_BACKEND": "cpu", **variables, "PYTHONPATH": path}
    done = subprocess.run(words, cwd=folder, env=environment, input=typed, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_says_works(page: Path, tmp_path: Path) -> None:
    """Blocks of Python without a file name are one program; what its last block prints is up to the page."""
    program, folder = [], tmp_path / "folder"
    folder.mkdir()
    for kind, text in BLOCK.findall(page.read_text()):
        file = FILE.match(text)
        if file is not None:
            target = folder / file.group(1)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        elif kind == "python":
            program.append(text)
        else:
            for variables, words, below in commands(text):
                run_session(words, below, folder, **variables)
    if program:
        (folder / "page.py").write_text("\n".join(program))
        run(["python", "page.py"], folder)


def test_the_capabilities_are_described_as_in_the_code() -> None:
    text = (ROOT / "docs/how-to/write_a_backend.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.MULTILINE)
    assert rows == [(capability.word, capability.value) for capability in Capability]


def test_there_are_pages() -> None:
    assert {page.stem for page in PAGES} >= {"write_a_backend", "compile_for_another_target", "debug_a_kernel"}
