"""Compilation of Fly modules with kernels to device code, for programs that build or load IR themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.errors import CompileError, UnsupportedTargetError
from flydsl.compiler.options.hints import NO_HINTS, Hints, frozen_hints
from flydsl.compiler.options.llvm_pass_settings import check_backend
from flydsl.compiler.options.target_options import options, target_of
from flydsl.plugins.active.selection import get_backend, python_passes
from flydsl.plugins.compile_backend import split_pipeline

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp


class MlirCompiler:
    """Compiles whole modules; the pipeline and the default architecture come from the backend."""

    @classmethod
    def compile(
        cls,
        module: ModuleOp | str,
        *,
        chip: str = "",
        arch: str = "",
        backend: str | None = None,
        hints: Hints = NO_HINTS,
    ) -> bytes:
        """The device code object of every `gpu.module` in `module` (an operation, which stays as it is, or text).

        `chip` is an older name of `arch`; giving both raises UnsupportedTargetError, which is a ValueError.
        """
        from flydsl.ir.emit import emit_generic
        from flydsl.passes.registry import run
        from flydsl.toolchain.select import default_toolchain

        if chip and arch:
            raise UnsupportedTargetError(f"chip and arch are one option: give arch alone, found {chip!r} and {arch!r}")
        target = target_of(backend, arch or chip)
        chosen, passes = get_backend(target.backend), python_passes(target.backend)
        given = options(frozen_hints(hints))
        check_backend(chosen, target.arch, given)
        kernels = _parsed(module)
        leading, _ = split_pipeline(chosen.pipeline_fragments(arch=target.arch, options=given), passes)
        for fragment in leading:
            run(kernels, fragment, extra=passes)
        _drop_host_functions(kernels)
        text = emit_generic(kernels, locations=bool(given["debug_info"]))
        return chosen.emit_code_object(text, arch=target.arch, toolchain=default_toolchain(), options=given)


def _parsed(module: ModuleOp | str) -> ModuleOp:
    """A module of our own."""
    if isinstance(module, str):
        from flydsl.ir.parse import parse_module

        return parse_module(module)
    clone: Any = getattr(module, "clone", None)
    if clone is None:
        raise CompileError(f"compile takes a module or its text, found {type(module).__name__}")
    copied: ModuleOp = clone()
    return copied


def _drop_host_functions(module: ModuleOp) -> None:
    from xdsl.dialects.func import FuncOp

    for op in [op for op in module.body.block.ops if isinstance(op, FuncOp)]:
        module.body.block.detach_op(op)
