"""The content of gpu.modules as a module of its own, in generic text."""

from __future__ import annotations

import re

from flydsl.base.errors import CompileError

_ALIAS = r"^#\w+ = .*$"
_TOKEN = r'"(?:[^"\\]|\\.)*"|\(\{|\}\)|\}, \{'


def gpu_module_contents(text: str) -> str:
    """The content of every gpu.module as one module; host functions are the launcher's business."""
    bodies = []
    position = 0
    while (module := text.find('"gpu.module"', position)) >= 0:
        start, position = _region(text, module)
        bodies.append(text[start : position - 2])
    if not bodies:
        raise CompileError("the module holds no gpu.module to compile")
    module = text.find('"builtin.module"')
    attributes, locations = (_aliases(part) for part in (text[: max(module, 0)], text[max(module, 0) :]))
    return f'{attributes}"builtin.module"() ({{{"".join(bodies)}}}) : () -> ()\n{locations}'


def _aliases(text: str) -> str:
    """The lines that name attributes, which may stand in front of a module, and locations, also behind it."""
    return "".join(f"{line}\n" for line in re.findall(_ALIAS, text, re.MULTILINE))


def _region(text: str, start: int) -> tuple[int, int]:
    """Begin and end of the first region behind `start`: after its `({`, and after its `})`."""
    depth, begin = 0, -1
    for token in re.compile(_TOKEN).finditer(text, start):  # compiled here: warm starts do without
        if token.group() == "({":
            depth += 1
            begin = token.end() if begin < 0 else begin
        elif token.group() == "})":
            depth -= 1
            if depth == 0:
                return begin, token.end()
    raise CompileError("the text of a gpu.module does not end")
