"""Stand-ins for the vendor's libraries that a wheel of PyTorch links and that a machine without a GPU has no use for.

They are 5 GB for each version of PyTorch. A stand-in defines what PyTorch's own libraries ask for, in the versions of
symbols that they ask for; each function says that there is no device.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

_NEEDED = re.compile(r"\(NEEDED\).*\[(.+)\]")
_NO_DEVICE = 100
"""cudaErrorNoDevice, and CUDA_ERROR_NO_DEVICE of the driver."""


def stand_in(folder: Path) -> list[str]:
    """Make what the libraries of `folder` need and nothing provides; the names of what was made."""
    libraries = sorted(folder.glob("*.so*"))
    wanted = {name for library in libraries for name in _NEEDED.findall(_read("readelf", "-d", library))}
    missing = sorted(name for name in wanted if not (folder / name).exists() and not _is_installed(name))
    if not missing:
        return []
    undefined = {word for library in libraries for word in _symbols(library, "--undefined-only")}
    defined = {word.partition("@")[0] for library in libraries for word in _symbols(library, "--defined-only")}
    system = {word for name in ("libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1") for word in _exports(name)}
    providers = {version: name for library in libraries for name, version in _version_references(library)}
    homes: dict[str, dict[str, str]] = {name: {} for name in missing}
    for word in undefined:
        symbol, _, version = word.partition("@")
        if version:
            if providers.get(version) in homes:
                homes[providers[version]][symbol] = version
        elif symbol not in defined and symbol not in system:
            homes[missing[0]][symbol] = ""  # found wherever it is
    for name, symbols in homes.items():
        _make(folder / name, symbols)
    return missing


def _make(path: Path, symbols: dict[str, str]) -> None:
    """A shared library with these functions and their versions."""
    lines = []
    for symbol in sorted(symbols):
        answer = _NO_DEVICE if re.match(r"cu[A-Za-z]", symbol) else 0
        lines.append(f".globl {symbol}\n.type {symbol}, @function\n{symbol}:\n  mov ${answer}, %eax\n  ret")
    versions = sorted(set(symbols.values()) - {""})
    named = {version: [s for s in sorted(symbols) if symbols[s] == version] for version in versions}
    script = "\n".join(f"{version} {{ global: {'; '.join(names)}; }};" for version, names in named.items())
    with TemporaryDirectory() as place:
        source, map_file = Path(place, "functions.s"), Path(place, "versions.map")
        source.write_text(".text\n" + "\n".join(lines) + '\n.section .note.GNU-stack,"",@progbits\n')
        map_file.write_text(script + "\n")
        options = [f"-Wl,--version-script={map_file}"] if versions else []
        command = ["gcc", "-shared", "-nostdlib", f"-Wl,-soname,{path.name}", *options, "-o", str(path), str(source)]
        subprocess.run(command, check=True)


def _version_references(library: Path) -> list[tuple[str, str]]:
    """What `library` asks for by version: library and version."""
    found, name = [], ""
    for line in _read("objdump", "-p", library).splitlines():
        if match := re.match(r"\s*required from (.+):", line):
            name = match[1]
        elif name and (match := re.match(r"\s*0x\w+ 0x\w+ \d+ (\S+)", line)):
            found.append((name, match[1]))
        elif not line.strip():
            name = ""
    return found


def _symbols(library: Path, which: str) -> list[str]:
    lines = _read("nm", "-D", which, library).splitlines()
    return [words[-1] for line in lines if (words := line.split()) and (len(words) < 2 or words[-2] not in ("w", "v"))]


def _exports(name: str) -> list[str]:
    path = _read("gcc", f"-print-file-name={name}").strip()
    return [word.partition("@")[0] for word in _symbols(Path(path), "--defined-only")]


def _is_installed(name: str) -> bool:
    return Path(_read("gcc", f"-print-file-name={name}").strip()).is_absolute() or name.startswith("ld-linux")


def _read(*command: str | Path) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
