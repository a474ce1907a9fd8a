"""A parser that gives each operation its position in the text."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import Any

from xdsl.dialects.builtin import UNKNOWN_LOC
from xdsl.ir import Operation
from xdsl.parser import Parser

from flydsl.base.location import Location
from flydsl.ir.location import set_location


class LocatedParser(Parser):
    """Gives an operation without `loc(...)` the position of its name."""

    def parse_operation(self) -> Operation:
        op = super().parse_operation()
        start = self._starts.pop()
        if op.location == UNKNOWN_LOC:
            line = bisect_right(self._lines, start)
            set_location(op, Location(self.lexer.input.name, line, start - self._lines[line - 1]))
        return op

    def _parse_op_result_list(self) -> list[Any]:
        results = super()._parse_op_result_list()
        self._starts.append(self._current_token.span.start)  # nested operations come and go before this one ends
        return results

    @cached_property
    def _starts(self) -> list[int]:
        """Where the names of the operations begin that are being read, outermost first."""
        return []

    @cached_property
    def _lines(self) -> list[int]:
        """Offsets of the beginnings of lines."""
        lines = self.lexer.input.content.split("\n")
        return [0, *accumulate(len(line) + 1 for line in lines[:-1])]
