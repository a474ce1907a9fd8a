"""Dumps of the stages of a compilation: numbered files, when FLYDSL_DUMP_IR or FLYDSL_DEBUG_DUMP_ASM ask for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from flydsl.base import settings
from flydsl.base.errors import SettingError
from flydsl.base.process.console import tell

if TYPE_CHECKING:
    from flydsl.compiler.stages.artifact import Artifact
    from flydsl.compiler.stages.pipeline import Traced


class Dump:
    """Writes `<folder>/<function>.<target>/NN_<stage>.mlir`, numbered in the order of the stages."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of(cls, traced: Traced) -> Dump:
        """The dump of one compilation."""
        return cls(settings.debug.dump_dir / f"{traced.name}.{traced.target.backend}-{traced.target.arch}")

    def text(self, stage: str, make: Callable[[], str]) -> None:
        """Write (FLYDSL_DUMP_IR) or print (FLYDSL_DEBUG_PRINT_*) the module after `stage`."""
        printed = settings.debug.print_origin_ir if stage == "origin" else settings.debug.print_after_all
        if not (printed or settings.debug.dump_ir):
            return
        text, name = make(), re.split(r"[{(]", stage)[0]
        if printed:
            tell(f"// ----- after {stage} -----\n{text}\n")
        if settings.debug.dump_ir:
            self._write(name, "mlir", text)

    def code(self) -> Callable[[str, str, str], None] | None:
        """What writes code around custom LLVM passes, by stage, suffix and text (FLYDSL_DUMP_IR); None without."""
        if not settings.debug.dump_ir:
            return None
        return self._write

    def assembly(self, artifact: Artifact) -> None:
        """Write the device instructions (FLYDSL_DEBUG_DUMP_ASM)."""
        if settings.debug.dump_asm:
            self._write("final_isa", "s", artifact.disassemble())

    def _write(self, stage: str, suffix: str, text: str) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingError(f"FLYDSL_DUMP_DIR: no folder can be made at {str(self._folder)!r}: {error}") from None
        if stage == "origin":
            for old in self._folder.glob("[0-9][0-9]_*"):
                old.unlink()
        number = len(list(self._folder.glob("[0-9][0-9]_*")))
        while True:  # never through a link that lies there, nor over what another process dumps meanwhile
            try:
                with open(self._folder / f"{number:02d}_{stage}.{suffix}", "x", encoding="utf-8") as stream:
                    stream.write(text)
                return
            except FileExistsError:
                number += 1
