"""The abstract base class `CompileBackend`: pass pipelines and code objects for an architecture.

Only contract data crosses this boundary (text, bytes, frozen dataclasses), never MLIR or xDSL objects.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from flydsl.base.errors import CompileError, UnsupportedTargetError
from flydsl.base.settings import DEFAULT_OPT_LEVEL

if TYPE_CHECKING:
    from pathlib import Path

    from flydsl.base.launch_limits import LaunchLimits
    from flydsl.plugins.code_report import KernelReport
    from flydsl.toolchain.protocol import CodegenTarget, Toolchain

Options = Mapping[str, Any]
"""Compile options by name (`opt_level`, `debug_info`, hints); hints that only other backends take may be among them."""


@dataclass(frozen=True, slots=True)
class GPUTarget:
    """The target of device code: backend id, architecture name, threads of a wave (warp), the most blocks that a
    cluster may have, and the ways to launch besides the plain one; the last two follow from the others.
    """

    backend: str
    arch: str
    warp_size: int
    max_cluster: int = field(default=1, compare=False)
    launch_modes: frozenset[str] = field(default=frozenset(), compare=False)

    def __str__(self) -> str:
        return f"{self.backend}:{self.arch}:w{self.warp_size}"


class CompileBackend(ABC):
    """Turns Fly modules into code objects of one vendor's devices; needs no device to do so.

    Instances are cheap, hold no state of a compilation, and are created at each resolution. The module that defines
    the class imports nothing heavy: it is loaded in warm starts too, where no compiler runs.
    """

    name: str
    """Backend id, lower case; equals the name in the manifest."""

    links_bitcode: ClassVar[bool] = False
    """Whether it links the bitcode of external functions (`flydsl.base.bitcode`) into device code."""
    hints: ClassVar[frozenset[str]] = frozenset()
    """Names of compile hints that it takes besides `opt_level` and `debug_info`; they arrive among the options."""

    _target: GPUTarget | None = None
    _own_passes: Collection[str] = ()  # names of the passes that the manifest declares, which creates the instance

    def __init__(self, target: GPUTarget | None = None) -> None:
        self._target = target

    @property
    def target(self) -> GPUTarget:
        """The target this instance was resolved for: by default, that of `default_arch()`."""
        return self._target or self.make_target(self.default_arch())

    def make_target(self, arch: str) -> GPUTarget:
        """The target of `arch`; raises UnsupportedTargetError for an architecture this backend does not know."""
        if not self.supports_arch(arch):
            raise UnsupportedTargetError(f"backend {self.name!r} does not support architecture {arch!r}")
        return GPUTarget(self.name, arch, self.warp_size(arch), self.max_cluster(arch), self.launch_modes(arch))

    def for_arch(self, arch: str) -> Self:
        """This instance, bound to `arch`."""
        self._target = self.make_target(arch)
        return self

    @abstractmethod
    def default_arch(self) -> str:
        """The architecture when no override is set: that of the device at hand, else a documented default."""

    def device_arch(self, reported: str) -> str:
        """What to compile for when a device that reports `reported` as its architecture runs it, without an override."""
        return self.default_arch()

    def target_for(self, reported: str) -> GPUTarget:
        """The target that serves a device: by the architecture that its runtime reports, or that a framework does.

        What a framework says of a vendor's devices (`9.0`, `gfx942:sramecc+`) `device_arch` knows to read; nobody else
        makes a name of it. Of an empty text, where no device is known, the default.
        """
        return self.make_target(self.device_arch(reported) if reported else self.default_arch())

    @abstractmethod
    def warp_size(self, arch: str) -> int:
        """Threads of a wave (warp) on `arch`."""

    def max_cluster(self, arch: str) -> int:
        """The most blocks that a cluster, blocks that run together, may have on `arch`; 1: there are no clusters."""
        return 1

    def launch_modes(self, arch: str) -> frozenset[str]:
        """Which of the words `cooperative` and `use_pdl` of `.launch` work on `arch`, by the runtimes of its kind."""
        return frozenset()

    def launch_limits(self, arch: str) -> LaunchLimits | None:
        """What launches on `arch` may have at most: the traced ones are held against it. None: only devices tell."""
        return None

    @abstractmethod
    def supports_arch(self, arch: str) -> bool:
        """Whether `arch` can be compiled for."""

    @abstractmethod
    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        """Pass-manager fragments for `builtin.module`, in order: Fly passes first, then upstream passes."""

    @abstractmethod
    def gpu_module_targets(self, *, arch: str) -> list[str]:
        """Target attributes for `gpu.module`, as MLIR text."""

    def cache_key_native_lib_patterns(self) -> list[str]:
        """Globs of native files that change the compiled code; absolute, or relative to the plugin's package.

        Each is hashed into the fingerprint; one that matches nothing is an error.
        """
        return []

    def device_libraries(self) -> list[Path]:
        """Files that device code may be linked with or is made by, wherever they are; none when none are installed.

        Their content is in each cache key, and is looked at again for each kernel: they may change at any time.
        """
        return []

    def missing_tools(self) -> list[str]:
        """What is not installed, a sentence each: what does not work without it and how to install it; for reports."""
        return []

    def jit_runtime_lib_basenames(self) -> list[str]:
        """Base names of shared libraries that host launchers need; usually none."""
        return []

    def codegen_target(self, *, arch: str, options: Options | None = None) -> CodegenTarget | None:
        """The target of its code in LLVM's terms; None when users' LLVM passes are not run on it.

        A backend that names one hands LLVM IR through `llvm_passes(options).machine_code(...)`
        (`flydsl.toolchain.llvm_passes`), as the default `emit_code_object` does.
        """
        return None

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """Device code for `module_text`, the generic MLIR text after the last Fly pass.

        This default runs the upstream rest of `pipeline_fragments` and takes its one GPU binary.
        """
        from flydsl.passes.registry import PASSES  # not in warm starts

        fragments = self.pipeline_fragments(arch=arch, options=options)
        _, native = split_pipeline(fragments, {*PASSES, *self._own_passes})
        passes = (options or {}).get("llvm_passes")
        target = self.codegen_target(arch=arch, options=options) if passes else None
        if target is not None:
            native = [_with_bitcode(fragment) for fragment in native]
        objects = toolchain.gpu_objects(module_text, f"builtin.module({','.join(native)})")
        if len(objects) != 1:
            raise CompileError(f"backend {self.name!r} expected one GPU binary for {arch!r}, found {len(objects)}")
        code = bytes(objects[0].object)
        if passes is None or target is None:
            return code
        return toolchain.link([passes.machine_code(code, target, toolchain)], shared=True)

    def emit_llvm_ir(self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None) -> str:
        """LLVM IR of the kernels before LLVM's optimisations; raises CompileError when the backend offers none."""
        raise CompileError(f"backend {self.name!r} shows no LLVM IR for {arch!r}")

    def disassemble(self, code: bytes, *, arch: str, toolchain: Toolchain) -> str:
        """Text of the instructions in `code`; raises CompileError when the backend offers none."""
        raise CompileError(f"backend {self.name!r} has no disassembler for {arch!r}")

    def code_report(
        self, code: bytes, *, kernels: Sequence[str], arch: str, toolchain: Toolchain
    ) -> tuple[KernelReport, ...]:
        """Counts of the machine code of each of `kernels`; raises CompileError when the backend offers none."""
        raise CompileError(f"backend {self.name!r} has no report of the code for {arch!r}")


def _with_bitcode(fragment: str) -> str:
    """The fragment, with LLVM bitcode for the code object when it makes one."""
    if pass_name(fragment) != "gpu-module-to-binary":
        return fragment
    others = [word for word in fragment.partition("{")[2].rstrip("}").split() if not word.startswith("format=")]
    return f"gpu-module-to-binary{{{' '.join(['format=offloading', *others])}}}"


_UPSTREAM_TOO = ("canonicalize", "cse")  # names that the toolchain runs as well

GpuCompileBackend = CompileBackend
BaseBackend = CompileBackend


def opt_level(options: Options | None) -> int:
    """The optimisation level that `options` ask for."""
    return int((options or {}).get("opt_level", DEFAULT_OPT_LEVEL))


def pass_name(fragment: str) -> str:
    """The name of the pass or nested op that starts `fragment`: `canonicalize{x=1}` gives `canonicalize`."""
    return fragment.split("{", 1)[0].split("(", 1)[0].strip()


def split_pipeline(fragments: Sequence[str], python_passes: Container[str]) -> tuple[list[str], list[str]]:
    """`fragments` as (those run by the core in Python, those left to the toolchain).

    The first part is the longest run of passes in `python_passes`; a Fly pass after it raises CompileError.
    """
    count = 0
    while count < len(fragments) and pass_name(fragments[count]) in python_passes:
        count += 1
    leading, native = list(fragments[:count]), list(fragments[count:])
    for fragment in native:
        if pass_name(fragment) in python_passes and pass_name(fragment) not in _UPSTREAM_TOO:
            raise CompileError(f"pass {fragment!r} comes after the toolchain's {native[0]!r}: put it before that one")
    return leading, native
