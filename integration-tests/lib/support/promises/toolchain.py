"""A toolchain that edits the LLVM IR of kernels before LLVM optimises it, and is otherwise the native one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest import mock

from flydsl.toolchain.native import NativeToolchain
from flydsl.toolchain.protocol import HOST, CodegenTarget, FileType, GpuObject

Edit = Callable[[str], str]
"""LLVM IR as text in, and out."""

_LEVEL = re.compile(r"(rocdl-attach-target\{[^}]*\bO=)(\d)")
_CHIP = re.compile(r"rocdl-attach-target\{[^}]*\bchip=(\S+)")
_FEATURES = re.compile(r"rocdl-attach-target\{[^}]*\bfeatures=([^\s}]+)")
_AMD, _NVIDIA = "amdgcn-amd-amdhsa", "nvptx"
_KERNEL_OF_THE_CPU = "_info"
"""The end of the name of what each kernel tells the runtime of itself."""


class EditedToolchain(NativeToolchain):
    """`label` tells it from others in keys of caches; `edit` gets every module of kernels, right after MLIR."""

    __slots__ = ("_edit", "_label")

    def __init__(self, label: str, edit: Edit) -> None:
        super().__init__()
        self._label, self._edit = label, edit

    def fingerprint(self) -> str:
        return f"{super().fingerprint()} edited: {self._label}"

    def emit_host_object(
        self, text: str, target: CodegenTarget | None = None, *, pipeline: str = "", filetype: FileType = "obj"
    ) -> bytes:
        """Kernels of the CPU are edited, the launchers of others are not."""
        if _KERNEL_OF_THE_CPU not in text:
            return super().emit_host_object(text, target, pipeline=pipeline, filetype=filetype)
        llvm_ir = self._edit(self.emit_llvm_ir(self.run_pipeline(text, pipeline)))
        return super().codegen(llvm_ir.encode(), target or HOST, filetype=filetype, optimize=True)

    def gpu_objects(self, text: str, pipeline: str) -> list[GpuObject]:
        """MLIR would optimise AMD's kernels itself; here LLVM does so by the same level, after the edit."""
        level = _LEVEL.search(pipeline)
        objects = super().gpu_objects(text, _LEVEL.sub(r"\g<1>0", pipeline))
        if level is None:
            return objects
        chip, features = _CHIP.search(pipeline), _FEATURES.search(pipeline)
        assert chip is not None
        target = CodegenTarget(_AMD, chip[1], features[1] if features else "", int(level[2]))
        return [found._replace(object=self._optimised(found.object, target)) for found in objects]

    def _optimised(self, bitcode: bytes, target: CodegenTarget) -> bytes:
        llvm_ir = self._edit(self.llvm_text(bitcode)).encode()
        return self.run_llvm_passes(llvm_ir, target, f"default<O{target.opt_level}>")

    def codegen(
        self, llvm_ir: bytes, target: CodegenTarget, *, filetype: FileType = "obj", optimize: bool = False
    ) -> bytes:
        if target.triple.startswith(_NVIDIA):
            llvm_ir = self._edit(self.llvm_text(llvm_ir)).encode()
        return super().codegen(llvm_ir, target, filetype=filetype, optimize=optimize)


@contextmanager
def edited(label: str, edit: Edit) -> Iterator[None]:
    """What is compiled within the block is edited."""
    toolchain = EditedToolchain(label, edit)
    with mock.patch("flydsl.toolchain.select.create_toolchain", return_value=toolchain):
        yield
