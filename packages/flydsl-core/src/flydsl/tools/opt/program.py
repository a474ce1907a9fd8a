"""A program under `fly-opt`: held in xDSL while Python passes work on it, as MLIR text otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from io import StringIO
from itertools import groupby
from typing import TYPE_CHECKING

from flydsl.base.errors import CompileError, FlyDSLError, IRError, SettingError, ToolchainError, ToolchainMissingError
from flydsl.passes.pipeline_text import Nested, PassSpec, to_text
from flydsl.passes.registry import create
from flydsl.toolchain.protocol import Toolchain
from flydsl.tools.opt.installed import Installed

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from flydsl.tools.opt.spelling import Spelling

_STAND_INS = frozenset({"canonicalize", "cse"})
"""Python passes that run instead of MLIR's while Fly IR remains."""
_NOTHING = "builtin.module()"
_LOCATION_ALIAS = re.compile(r"^#(loc\d*) = (loc\(.*\))$", re.MULTILINE)


class Session:
    """Plugins, toolchain and options of one run of `fly-opt`."""

    def __init__(self, known: Installed, toolchain: Toolchain, *, allow_unregistered: bool = False) -> None:
        self.known, self.toolchain, self.allow_unregistered = known, toolchain, allow_unregistered
        self.context = known.context(allow_unregistered=allow_unregistered)
        self.checked_context = known.context(allow_unregistered=True)
        names = "|".join(map(re.escape, known.namespaces))
        self._ours = re.compile(rf"(?<![\w.$])(?:{names})\.[a-z_]|[!#](?:{names})\b")

    @cached_property
    def spelling(self) -> Spelling:
        """The spellings of Fly operations."""
        from flydsl.tools.opt.spelling import Spelling

        return Spelling(self.known.dialects, self.context)

    def is_ours(self, text: str) -> bool:
        """Whether anything of Fly or of a target dialect is in `text`."""
        return self._ours.search(text) is not None

    def run(self, text: str, pipeline: str, *, generic: bool, locations: bool) -> str:
        """MLIR's passes and printer on text in generic form."""
        unregistered = self.allow_unregistered or self.is_ours(text)
        return self.toolchain.run_pipeline(
            text, pipeline, generic=generic, locations=locations, allow_unregistered=unregistered
        )


class Program:
    """A module in one of two forms: xDSL's, or the text that MLIR reads and prints."""

    def __init__(self, session: Session, *, module: ModuleOp | None = None, text: str = "") -> None:
        self._session, self._module, self._text = session, module, text

    @classmethod
    def read(cls, session: Session, text: str, name: str) -> Program:
        """Parse and verify. Text that xDSL cannot read may still be MLIR's, with syntax that xDSL lacks."""
        if not session.is_ours(text):
            try:
                return cls(session, text=_renamed(session.run(text, _NOTHING, generic=True, locations=True), name))
            except ToolchainMissingError:
                pass
        return cls(session, module=_parse(session, text, name))

    def apply(self, pipeline: Sequence[PassSpec | Nested]) -> None:
        """Run passes in order; neighbours that are MLIR's run together."""
        for in_python, items in groupby(pipeline, self._is_python):
            if in_python:
                for item in items:
                    assert isinstance(item, PassSpec)
                    self._apply_python(item)
            else:
                pipeline_text = to_text(map(self._checked, items))
                text = self._session.run(
                    self.generic_text, f"builtin.module({pipeline_text})", generic=True, locations=True
                )
                self._module, self._text = None, text

    def print(self, *, generic: bool, locations: bool) -> str:
        """The program as `mlir-opt` prints it, Fly operations in their own syntax unless `generic`."""
        try:
            text = self._session.run(self.generic_text, _NOTHING, generic=generic, locations=locations)
        except ToolchainMissingError:
            return self._print_by_xdsl(generic, locations)
        return text if generic or not self._session.is_ours(text) else self._session.spelling.custom(text)

    @property
    def module(self) -> ModuleOp:
        """The program in xDSL."""
        if self._module is None:
            from flydsl.ir.parse import parse_module

            # MLIR accepted every operation of this text: those that xDSL does not know are none of its business
            context = self._session.checked_context
            self._module, self._text = parse_module(_inlined_locations(self._text), context, name="<mlir>"), ""
        return self._module

    @property
    def generic_text(self) -> str:
        """The program as generic MLIR text with locations."""
        if self._module is None:
            return self._text
        from flydsl.ir.emit import emit_generic

        return emit_generic(self._module, locations=True)

    def _is_python(self, item: PassSpec | Nested) -> bool:
        if isinstance(item, Nested) or item.name not in self._session.known.passes:
            return False
        return item.name not in _STAND_INS or self._session.is_ours(self.generic_text)

    def _checked(self, item: PassSpec | Nested) -> PassSpec | Nested:
        """A pass of MLIR; one of ours in the midst of a nested pipeline is refused."""
        if isinstance(item, Nested):
            for inner in map(self._checked, item.items):
                if isinstance(inner, PassSpec) and inner.name in self._session.known.passes.keys() - _STAND_INS:
                    raise SettingError(f"{str(item)!r}: {inner.name!r} runs on builtin.module, not on {item.anchor!r}")
        return item

    def _apply_python(self, item: PassSpec) -> None:
        from flydsl.ir.parse import verify

        module = self.module
        try:
            create(item, self._session.known.passes).apply(self._session.context, module)
        except FlyDSLError:
            raise
        except Exception as error:
            raise CompileError(f"internal error in pass {item.name!r}: {type(error).__name__}: {error}") from error
        verify(module)

    def _print_by_xdsl(self, generic: bool, locations: bool) -> str:
        from xdsl.printer import Printer

        stream = StringIO()
        Printer(stream, print_generic_format=generic, print_debuginfo=locations).print_op(self.module)
        return stream.getvalue() + "\n"


def _parse(session: Session, text: str, name: str) -> ModuleOp:
    from flydsl.ir.parse import parse_module

    try:
        return parse_module(text, session.context, name=name, locate=True)
    except IRError as error:
        generic = _read_by_mlir(session, text, name)
        if generic is None:
            raise
        try:
            return parse_module(generic, session.context, name=name, locate=True)
        except IRError:
            raise error from None


def _read_by_mlir(session: Session, text: str, name: str) -> str | None:
    """Generic text of what MLIR understands."""
    try:
        generic = session.run(session.spelling.generic(text), _NOTHING, generic=True, locations=True)
    except ToolchainError:
        return None
    return _renamed(_inlined_locations(generic), name)


def _renamed(text: str, name: str) -> str:
    """Text in which the toolchain's name for its input is replaced in locations."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace('loc("module.mlir":', f'loc("{escaped}":')


def _inlined_locations(text: str) -> str:
    """Text without aliases of locations, which xDSL reads only behind their definition."""
    aliases = dict(_LOCATION_ALIAS.findall(text))
    if not aliases:
        return text
    body = _LOCATION_ALIAS.sub("", text)
    for _ in range(len(aliases)):
        inlined = re.sub(r"loc\(#(loc\d*)\)", lambda match: aliases[match[1]], body)
        if inlined == body:
            break
        body = inlined
    return body
