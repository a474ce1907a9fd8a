"""A linker in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.base.errors import ToolchainError, ToolchainMissingError
from flydsl.toolchain.linker_program import linker_digest, run_linker


@pytest.fixture
def linker(tmp_path: Path) -> Path:
    """Joins its inputs (`-o OUT [flags] IN...`); fails on the flag `--fail`."""
    program = tmp_path / "ld.lld"
    program.write_text(
        '#!/bin/sh\nout=$2; shift 2; for a in "$@"; do case $a in\n'
        '--fail) echo "$out: no such thing" >&2; exit 1;; -*) printf "%s " "$a";; *) cat "$a";; esac; done > "$out"\n'
    )
    program.chmod(0o755)
    return program


def test_inputs_and_arguments_reach_the_program(linker: Path) -> None:
    assert run_linker(linker, [b"one", b"two"], shared=True, args=["--gc-sections"]) == b"-shared --gc-sections onetwo"
    assert run_linker(linker, [b"one"], shared=False, args=[]) == b"one"


def test_failure_tells_what_the_program_said_without_paths(linker: Path) -> None:
    with pytest.raises(ToolchainError, match=r"linking failed: out\.elf: no such thing"):
        run_linker(linker, [b"one"], shared=True, args=["--fail"])


def test_missing_program_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ToolchainMissingError, match="cannot be run"):
        run_linker(tmp_path / "none", [], shared=True, args=[])


def test_digest_follows_the_name_and_the_content(linker: Path, tmp_path: Path) -> None:
    before = linker_digest(linker, None)
    assert before.startswith("ld.lld:")
    (tmp_path / "other").mkdir()
    copy = tmp_path / "other" / "ld.lld"
    copy.write_bytes(linker.read_bytes())
    copy.chmod(0o755)
    assert linker_digest(copy, None) == before
    copy.write_bytes(linker.read_bytes() + b"# another\n")
    assert linker_digest(copy, None) != before
    with pytest.raises(ToolchainMissingError, match="FLYDSL_COMPILE_LLD is not there"):
        linker_digest(tmp_path / "none", None)


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("/bin/true", "the linker '/bin/true' of FLYDSL_COMPILE_LLD is no ld.lld: it ended well and wrote nothing"),
        ("/bin/false", "the linker '/bin/false' of FLYDSL_COMPILE_LLD ended with 1 and said nothing; name an ld.lld"),
        ("/dev/null", "cannot be run"),
        ("/", "cannot be run"),
    ],
)
def test_a_program_that_is_no_linker_is_told(program: str, message: str) -> None:
    with pytest.raises(ToolchainError, match=message):
        run_linker(program, [b"object"], shared=True, args=())
