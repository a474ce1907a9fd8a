"""The compile backend `acme`: the core's Fly passes and one of its own; the code object is the module's text."""

from __future__ import annotations

from flydsl.backend.toolchain import Toolchain
from flydsl.base.errors import CompileError, IRError
from flydsl.plugins import CompileBackend, Options

MAGIC = b"ACME\n"


class AcmeBackend(CompileBackend):
    """Knows `acme1` and `acme2`."""

    name = "acme"
    hints = frozenset({"acme_note"})

    def default_arch(self) -> str:
        """There is no device to ask."""
        return "acme1"

    def warp_size(self, arch: str) -> int:
        """16 threads; `acme2` has 48, which is no power of two on purpose."""
        return {"acme1": 16, "acme2": 48}[arch]

    def supports_arch(self, arch: str) -> bool:
        """Two architectures."""
        return arch in ("acme1", "acme2")

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        """All of it runs in Python."""
        from flydsl.backend.pipeline import FLY_PIPELINE

        return [*FLY_PIPELINE, f"acme-tag{{arch={arch}}}"]

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        """MLIR has no target attribute for it."""
        return []

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """The text behind a magic word, and what the hint `acme_note` says as a comment."""
        from flydsl.backend.text import create_context, parse_module
        from flydsl_acme.dialect import ACME

        try:
            parse_module(module_text, create_context((ACME,)), check=False)
        except IRError as error:
            raise CompileError(f"acme cannot read the module: {error}") from None
        note = (options or {}).get("acme_note", "")
        return MAGIC + (f"// {note}\n" if note else "").encode() + module_text.encode()

    def disassemble(self, code: bytes, *, arch: str, toolchain: Toolchain) -> str:
        """The text again."""
        if not code.startswith(MAGIC):
            raise CompileError(f"{len(code)} bytes are not an acme code object: they begin with {code[:8]!r}")
        return code.removeprefix(MAGIC).decode()
