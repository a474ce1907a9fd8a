"""The plugin SDK: the header `fly_pass.h`, the flags to compile with, and a build of plugins in one call.

    import flydsl_mlir.sdk
    plugin = flydsl_mlir.sdk.build("my_passes.cpp")  # my_passes.so, built when the source changed

`python -m flydsl_mlir.sdk` does the same at the command line. Building needs LLVM's headers (llvm-22-dev) and a C++
compiler; using a plugin needs neither.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from flydsl_mlir.errors import MlirError
from flydsl_mlir.identity import llvm_library, llvm_prefix, llvm_version
from flydsl_mlir.plugin_file import read_plugin

_COMPILERS = ("clang++-22", "clang++", "g++", "c++")
_FLAGS = (
    *("-std=c++17", "-O1", "-fPIC", "-shared", "-fno-rtti", "-fno-exceptions"),
    *("-fvisibility=hidden", "-fvisibility-inlines-hidden", "-Wl,-Bsymbolic", "-Wl,--build-id"),
)
"""Without RTTI, as LLVM is; hidden, as plugins are loaded beside each other and may define equal names."""


def include_dir() -> Path:
    """The folder of `fly_pass.h`."""
    return Path(__file__).resolve().parent


def template_dir() -> Path:
    """The folder of the template that `create_project` copies."""
    return include_dir() / "template"


def compile_flags() -> list[str]:
    """Arguments for a C++ compiler that makes a plugin of the sources beside them; ImportError without LLVM's headers.

    They come before the sources; `link_flags` come after.
    """
    headers = llvm_prefix() / "include"
    if not (headers / "llvm/Config/llvm-config.h").is_file():
        major = llvm_version().split(".")[0]
        raise ImportError(f"LLVM's headers are not in {str(headers)!r}: apt install llvm-{major}-dev")
    return [*_FLAGS, f"-I{include_dir()}", "-isystem", str(headers)]


def link_flags() -> list[str]:
    """Arguments that link a plugin with the LLVM in use: by file, as other versions may lie beside it."""
    return [str(llvm_library())]


def build(
    *sources: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    flags: Sequence[str] = (),
    compiler: str | None = None,
) -> Path:
    """The plugin made of `sources`: `output`, or the first source's name with the suffix `.so`.

    A file that was built from the same sources, flags and SDK is kept. Headers among `sources` are not compiled, but
    looked at for changes. MlirError with the compiler's messages when it fails, ImportError when there is no compiler.
    """
    files = [Path(source) for source in sources]
    if not files:
        raise MlirError("a plugin is built from one source at least, and none was given")
    target = Path(output or files[0].with_suffix(".so")).absolute()
    command = [compiler or _compiler(), *compile_flags(), *flags]
    digest = _digest(files, command)
    if target.is_file() and _sources_of(target) == digest:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}")  # programs may run the old one
    compiled = [str(file) for file in files if not file.suffix.startswith(".h")]
    command += [f'-DFLY_PASS_SOURCES="{digest}"', *compiled, "-o", str(draft), *link_flags()]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode:
            raise MlirError(f"{files[0].name!r} does not compile: {command[0]} says\n{done.stderr.rstrip()}")
        draft.replace(target)
    except OSError as error:
        raise MlirError(f"cannot build {str(target)!r}: {error}") from None
    finally:
        draft.unlink(missing_ok=True)
    return target


def create_project(folder: str | os.PathLike[str]) -> Path:
    """Copy the template, a pip package whose wheel holds a plugin, to a new `folder`; its name is the package's.

    MlirError when the folder exists and is not empty, or when its name is no name of a Python package.
    """
    target = Path(folder)
    name = target.name.replace("-", "_")
    if not name.isidentifier() or name != name.lower():
        raise MlirError(f"{target.name!r} cannot name a package: use small letters, digits and '_'")
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise MlirError(f"{str(target)!r} exists: name a folder that does not, or an empty one")
    for source in sorted(path for path in template_dir().rglob("*") if path.is_file() and path.suffix != ".pyc"):
        file = target / str(source.relative_to(template_dir())).replace("my_passes", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source.read_text().replace("my_passes", name))
    return target


def _compiler() -> str:
    for name in filter(None, (os.environ.get("CXX"), *_COMPILERS)):
        if found := shutil.which(name):
            return found
    raise ImportError(f"no C++ compiler: none of {', '.join(_COMPILERS)} is installed; install one, or name it in CXX")


def _digest(files: Sequence[Path], command: Sequence[str]) -> str:
    """What decides the plugin's code, but for headers that are not named."""
    content = hashlib.sha256("\0".join([llvm_version(), *command]).encode())
    for file in (include_dir() / "fly_pass.h", *files):
        try:
            content.update(hashlib.sha256(file.read_bytes()).digest())
        except OSError as error:
            raise MlirError(f"cannot read source {str(file)!r}: {error.strerror or error}") from None
    return content.hexdigest()[:32]


def _sources_of(plugin: Path) -> str:
    try:
        return read_plugin(plugin).sources
    except MlirError:
        return ""
