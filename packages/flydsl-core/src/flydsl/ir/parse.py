"""Parsing of MLIR text into verified modules; malformed text is an `IRError` that shows the line with a caret."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.parser import Parser
from xdsl.parser.generic_parser import ParserState
from xdsl.utils.exceptions import DiagnosticException, ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken

from flydsl.base.errors import Diagnostic, IRError
from flydsl.ir.context import create_context
from flydsl.ir.located_parser import LocatedParser
from flydsl.ir.location import get_location, located_error

T = TypeVar("T")

_INTEGER_TYPE = re.compile(r"[su]?i(\d+)")
_MAX_WIDTH = (1 << 24) - 1


def parse_module(
    text: str, context: Context | None = None, *, name: str = "<text>", check: bool = True, locate: bool = False
) -> ModuleOp:
    """Read a module (or a list of operations, which becomes one) and verify it unless `check` is off.

    With `locate`, an operation without `loc(...)` gets its place in the text as location.
    """
    module = _parsed(Parser.parse_module, text, context, name, LocatedParser if locate else Parser)
    if check:
        verify(module)
    return module


def parse_type(text: str, context: Context | None = None) -> Attribute:
    """Read one type or attribute, and nothing after it."""

    def read(parser: Parser) -> Attribute:
        found = parser.parse_attribute()
        if parser.lexer.input.at(parser.pos) is not None:
            parser.raise_error("expected the end of the text")
        return found

    return _parsed(read, text, context, "<type>")


def verify(op: Operation) -> None:
    """Verify an operation and all it holds; the `IRError` says where in the source the first wrong one comes from."""
    try:
        op.verify()
    except Exception as error:  # verifiers raise diagnostics, builtin errors and, on broken IR, internal errors
        found = next(filter(None, map(_own_error, op.walk())), None)
        wrong, cause = found or (op, error)
        raise located_error(_first_line(cause), get_location(wrong)) from cause


def _own_error(op: Operation) -> tuple[Operation, Exception] | None:
    """What is wrong with one operation, what it holds aside."""
    try:
        op.verify(verify_nested_ops=False)
    except Exception as error:
        return op, error
    return None


class _Lexer(MLIRLexer):
    """xDSL's lexer with two guards.

    String literals take linear time: its own expression backtracks without end on open quotes. Integer types have
    MLIR's greatest width: xDSL computes their bounds, which would fill the memory.
    """

    _unescaped_characters_regex = re.compile(r'"[^"\\\n\v\f]*(?:\\(?:["nt\\]|[0-9A-Fa-f]{2})[^"\\\n\v\f]*)*"')

    def _lex_bare_identifier(self, start_pos: int) -> MLIRToken:
        token = super()._lex_bare_identifier(start_pos)
        match = _INTEGER_TYPE.fullmatch(token.text) if token.span.end - start_pos > 8 else None
        if match and (len(match[1]) > 8 or int(match[1]) > _MAX_WIDTH):
            raise ParseError(token.span, f"integer bitwidth is limited to {_MAX_WIDTH} bits")
        return token


def _parsed(
    read: Callable[[Parser], T], text: str, context: Context | None, name: str, parser_type: type[Parser] = Parser
) -> T:
    parser = parser_type(context or create_context(), "", name)
    try:
        parser._parser_state = ParserState(_Lexer(Input(text, name)))
        return read(parser)
    except ParseError as error:
        raise _syntax_error(error, name) from error
    except RecursionError as error:
        raise IRError(f"{name}: nested too deeply", Diagnostic("error", "nested too deeply", name, 1, 1)) from error
    except Exception as error:  # xDSL's parsers of builtin syntax let internal errors out on malformed text
        line, column = _position(text, parser.pos)
        message = str(error) or type(error).__name__
        diagnostic = Diagnostic("error", message, name, line, column)
        raise IRError(f"{name}:{line}:{column}: {message}", diagnostic) from error


def _first_line(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error, DiagnosticException) and error.__cause__ else error
    return str(cause) or type(cause).__name__


def _syntax_error(error: ParseError, name: str) -> IRError:
    span = error.span
    text = span.input.content
    assert isinstance(text, str)
    line, column = _position(text, span.start)
    source = text.split("\n")[line - 1] if text else ""
    width = max(1, min(span.end - span.start, len(source) - column + 1))
    shown = f"{name}:{line}:{column}: {error.msg}\n    {source}\n    {' ' * (column - 1)}{'^' * width}"
    return IRError(shown, Diagnostic("error", error.msg, name, line, column))


def _position(text: str, offset: int) -> tuple[int, int]:
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1
