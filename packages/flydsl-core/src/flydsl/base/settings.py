"""Settings: every environment variable of the project, declared once, read at each access.

No other module reads the environment. Usage: `settings.compile.opt_level`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from flydsl.base.setting import Group, Setting, choice, flag, integer, names, path, text

DEFAULT_BACKEND = "rocm"
"""The compile backend when nothing else is said and it is installed: the one vendor name in the core."""

STORE_FOLDER = "v1"
"""The folder of the cache folder that everything kept is in; its name changes with the format."""

DEFAULT_OPT_LEVEL = 2
"""LLVM's optimisation level when nothing else is said."""


def _cache_dir() -> Path:
    """What platformdirs says; on Linux worked out here, because its import costs every process 5 ms."""
    if sys.platform == "linux" and "ANDROID_ROOT" not in os.environ:
        root = os.environ.get("XDG_CACHE_HOME", "").strip() or "~/.cache"
        return Path(root, "flydsl").expanduser()
    from platformdirs import user_cache_path

    return user_cache_path("flydsl", appauthor=False)


@lru_cache(maxsize=8)
def _digests(cache_dir: Path) -> Path:
    return cache_dir / STORE_FOLDER / "digests"


class CompileSettings(Group):
    """`settings.compile`: what code is made, and with what."""

    backend = text(
        "FLYDSL_COMPILE_BACKEND",
        default=DEFAULT_BACKEND,
        lower=True,
        meaning=f"compile backend id, any case; unset: one whose runtime has a device, "
        f"else `{DEFAULT_BACKEND}` when installed, else the only installed one",
    )
    arch = text("FLYDSL_COMPILE_ARCH", "ARCH", meaning="target architecture instead of the backend's default")
    opt_level = integer(
        "FLYDSL_COMPILE_OPT_LEVEL",
        default=DEFAULT_OPT_LEVEL,
        low=0,
        high=3,
        in_key=True,
        meaning="LLVM optimisation level",
    )
    compile_only = flag("COMPILE_ONLY", meaning="compile and fill the cache, load nothing: a call returns None")
    toolchain = choice(
        "FLYDSL_COMPILE_TOOLCHAIN",
        "native",
        "upstream",
        default="native",
        meaning="MLIR provider: `flydsl-mlir` or the upstream Python bindings",
    )
    mlir_package = text(
        "FLYDSL_COMPILE_MLIR_PACKAGE", default="mlir", meaning="package of the upstream Python bindings"
    )
    llvm_pass_pipeline = text(
        "FLYDSL_COMPILE_LLVM_PASS_PIPELINE",
        in_key=True,
        meaning="LLVM IR pass pipeline for device code, in place of LLVM's own (as `opt -passes=`)",
    )
    llvm_pass_plugins = names(
        "FLYDSL_COMPILE_LLVM_PASS_PLUGINS",
        in_key=True,
        meaning="comma list of plugins with LLVM IR passes",
    )
    llvm_codegen_passes = text(
        "FLYDSL_COMPILE_LLVM_CODEGEN_PASSES",
        in_key=True,
        meaning="passes to insert into code generation: `name@before:pass`, `name@after:pass#2`, `name@pre-emit`, ...",
    )
    llvm_codegen_plugins = names(
        "FLYDSL_COMPILE_LLVM_CODEGEN_PLUGINS",
        in_key=True,
        meaning="comma list of plugins with the passes to insert",
    )
    llvm_dir = path(
        "FLYDSL_COMPILE_LLVM_DIR",
        default=lambda: None,
        in_key=True,
        meaning="prefix of the LLVM to load, and to run custom passes in a process of its own",
    )
    lld = path("FLYDSL_COMPILE_LLD", default=lambda: None, in_key=True, meaning="linker program to use")


class RuntimeSettings(Group):
    """`settings.runtime`: loading, launching and the cache."""

    kind = text(
        "FLYDSL_RUNTIME_KIND",
        lower=True,
        meaning="kind or name of the device runtime; it must pair with the backend. Unset: the backend's own",
    )
    cache_dir = path(
        "FLYDSL_RUNTIME_CACHE_DIR",
        default=_cache_dir,
        shown='`platformdirs.user_cache_path("flydsl")`',
        meaning="folder of the compile cache",
    )
    enable_cache = flag("FLYDSL_RUNTIME_ENABLE_CACHE", default=True, meaning="read and write the compile cache on disk")
    cache_limit = integer(
        "FLYDSL_RUNTIME_CACHE_LIMIT_MIB",
        default=2048,
        low=1,
        high=1 << 20,
        meaning="size of the compile cache in MiB; beyond it the longest unused entries go",
    )
    cache_remote = text(
        "FLYDSL_RUNTIME_CACHE_REMOTE",
        meaning="URL of a shared compile cache behind the local one, as fsspec has them: a folder, `s3://...`",
    )
    cache_remote_key_file = path(
        "FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE",
        default=lambda: None,
        meaning="file with the key that signs what goes to the shared cache, and that what comes from it must bear",
    )
    cache_remote_read_only = flag("FLYDSL_RUNTIME_CACHE_REMOTE_READ_ONLY", meaning="only read the shared cache")
    cache_remote_timeout = integer(
        "FLYDSL_RUNTIME_CACHE_REMOTE_TIMEOUT",
        default=5,
        low=1,
        high=600,
        meaning="seconds to wait for the shared cache; one that takes longer is left alone in that process",
    )
    native_reader = flag(
        "FLYDSL_RUNTIME_NATIVE_READER", default=True, meaning="read arguments by `flydsl-reader`, where it is installed"
    )
    run_only = flag("FLYDSL_RUNTIME_RUN_ONLY", meaning="never compile: what the cache lacks is an error")

    @property
    def digest_memo(self) -> Path | None:
        """The folder that remembers file digests between processes; None when the cache is off."""
        return _digests(self.cache_dir) if self.enable_cache else None


class AutotuneSettings(Group):
    """`settings.autotune`: how the fastest configuration of a kernel is found and kept."""

    force = flag("FLYDSL_AUTOTUNE", meaning="search at each call of a tuned function, whatever is known already")
    cache_dir = path(
        "FLYDSL_AUTOTUNE_CACHE_DIR",
        default=lambda: Path("~/.flydsl/autotune").expanduser(),
        shown="`~/.flydsl/autotune`",
        meaning="folder of the configurations that searches have found",
    )
    config_dir = path(
        "FLYDSL_AUTOTUNE_CONFIG_DIR",
        default=lambda: None,
        meaning="folder of configurations to deliver with a program: forced searches write them, other calls use them",
    )


class DebugSettings(Group):
    """`settings.debug`: dumps, checks and messages."""

    interpret = flag(
        "FLYDSL_INTERPRET", meaning="execute kernels in Python, every access checked; `breakpoint()` stops in them"
    )
    dump_ir = flag("FLYDSL_DUMP_IR", meaning="write the IR after each stage to the dump folder, as `NN_<stage>.mlir`")
    dump_dir = path(
        "FLYDSL_DUMP_DIR", default=lambda: Path("flydsl-dump"), shown="`./flydsl-dump`", meaning="folder for dumps"
    )
    dump_asm = flag("FLYDSL_DEBUG_DUMP_ASM", meaning="write the device instructions to the dump folder")
    print_after_all = flag("FLYDSL_DEBUG_PRINT_AFTER_ALL", meaning="print the IR after every pass to stderr")
    print_origin_ir = flag("FLYDSL_DEBUG_PRINT_ORIGIN_IR", meaning="print the IR as traced to stderr")
    ast_diff = flag("FLYDSL_DEBUG_AST_DIFF", meaning="print how the source of a function was rewritten")
    enable_debug_info = flag("FLYDSL_DEBUG_ENABLE_DEBUG_INFO", in_key=True, meaning="line tables in device code")
    enable_verifier = flag("FLYDSL_DEBUG_ENABLE_VERIFIER", meaning="verify the IR between passes")
    log_level = choice(
        "FLYDSL_DEBUG_LOG_LEVEL",
        "DEBUG",
        "INFO",
        "WARNING",
        "ERROR",
        "CRITICAL",
        default="WARNING",
        meaning="level of the `flydsl` logger",
    )
    show_stacktrace = flag("FLYDSL_DEBUG_SHOW_STACKTRACE", meaning="full tracebacks instead of the user's lines only")
    plain_startup = flag(
        "FLYDSL_DEBUG_PLAIN_STARTUP",
        meaning="import as Python does: define all methods of dataclasses and operations of xDSL at once",
    )
    timing = flag("FLYDSL_TIMING", meaning="print the times of the stages of each compilation to stderr")
    progress = flag(
        "FLYDSL_PROGRESS",
        default=True,
        meaning="show the stage of a compilation that takes more than a second, on a terminal",
    )


class PluginSettings(Group):
    """`settings.plugins`: which plugins are loaded."""

    disable = names("FLYDSL_DISABLE_PLUGINS", meaning="comma list of plugin names to leave out, or `*` for all")


compile = CompileSettings(os.environ)
runtime = RuntimeSettings(os.environ)
autotune = AutotuneSettings(os.environ)
debug = DebugSettings(os.environ)
plugins = PluginSettings(os.environ)

GROUPS = {"compile": compile, "runtime": runtime, "autotune": autotune, "debug": debug, "plugins": plugins}
"""The groups by name, in the order of the documentation."""


def declared() -> dict[str, Setting[Any]]:
    """Every setting by its dotted name (`compile.backend`)."""
    return {f"{name}.{own}": value for name, group in GROUPS.items() for own, value in group.settings().items()}


def environment(changes: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program that is started: that of this process with `changes`; empty ones are removed."""
    return {name: value for name, value in {**os.environ, **changes}.items() if changes.get(name, value)}


def key_values() -> dict[str, str]:
    """What the settings that change the code say now, by variable: part of every cache key.

    Paths stand as written: who uses such a file adds the digest of its content.
    """
    return {s.variables[0]: repr(s.read(os.environ)) for s in declared().values() if s.in_key}
