"""Linking by an external program, for toolchains without a linker of their own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flydsl.base.errors import ToolchainError, ToolchainMissingError
from flydsl.base.files.file_digest import digest_files

_ADVICE = "name an ld.lld, or unset the variable to link in process"


def run_linker(program: str | Path, objects: Sequence[bytes], *, shared: bool, args: Sequence[str]) -> bytes:
    """The image that `program` (an `ld.lld`) writes; raises ToolchainError with what it said otherwise."""
    import subprocess  # here: warm starts do without
    import tempfile

    with tempfile.TemporaryDirectory(prefix="flydsl-link-") as folder:
        paths = [Path(folder, f"in{i}.o") for i in range(len(objects))]
        for path, content in zip(paths, objects, strict=True):
            path.write_bytes(content)
        output = Path(folder, "out.elf")
        line = [str(program), "-o", str(output), *(["-shared"] if shared else []), *args, *map(str, paths)]
        try:
            done = subprocess.run(line, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise ToolchainMissingError(f"{_named(program)} cannot be run: {error}; {_ADVICE}") from error
        said = (done.stderr.strip() or done.stdout.strip()).replace(f"{folder}/", "")
        if done.returncode:
            found = said or f"{_named(program)} ended with {done.returncode} and said nothing; {_ADVICE}"
            raise ToolchainError(f"linking failed: {found}")
        if not output.is_file():
            raise ToolchainError(f"{_named(program)} is no ld.lld: it ended well and wrote nothing; {_ADVICE}")
        return output.read_bytes()


def _named(program: str | Path) -> str:
    return f"the linker {str(program)!r} of FLYDSL_COMPILE_LLD"


def linker_digest(name: str | Path, memo: Path | None) -> str:
    """Name and digest of the program that `run_linker` would run; `memo` is a folder that remembers file digests."""
    from shutil import which  # here: it imports all compression modules, and warm starts do without

    program = which(str(name))
    if program is None:
        raise ToolchainMissingError(
            f"the linker {str(name)!r} of FLYDSL_COMPILE_LLD is not there or cannot be run; {_ADVICE}"
        )
    path = Path(program)
    return f"{path.name}:{digest_files([path], base=path.parent, memo=memo)}"
