"""The instructions of machine code, as NVIDIA's `nvdisasm` lists them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from flydsl.base.errors import ToolchainError
from flydsl_cuda.toolkit import find_program

_FUNCTION = re.compile(r"\s*\.section\s+\.text\.([\w$.]+),")
_LABEL = re.compile(r"(\.L\w+):")
_INSTRUCTION = re.compile(r"\s+/\*([0-9a-f]+)\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)\s*([^;]*);")
_TARGET = re.compile(r"`\((\.L\w+)\)")
_PADDING = "NOP"
_LAST = ("BRA", "BRX", "JMP", "EXIT", "RET")
"""Behind these nothing is executed, unless they have a predicate."""


class Instruction(NamedTuple):
    """One line: `name` with its modifiers, such as `LDG.E.128`; `label` starts a block at it."""

    address: int
    name: str
    operands: str = ""
    predicate: str = ""
    label: str = ""

    @property
    def target(self) -> str:
        """The label that a branch goes to; empty for other instructions."""
        found = _TARGET.search(self.operands) if self.name.startswith(("BRA", "BRX")) else None
        return found[1] if found else ""


Body = Sequence[Instruction]


def disassemble(cubin: bytes) -> str | None:
    """The listing of machine code; None without `nvdisasm`. ToolchainError with what the program says."""
    program = find_program("nvdisasm")
    if program is None:
        return None
    with TemporaryDirectory(prefix="flydsl-") as folder:
        image = Path(folder, "kernels.cubin")
        image.write_bytes(cubin)
        command = [str(program), "-c", str(image)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        except OSError as error:
            raise ToolchainError(f"{program} cannot be run: {error.strerror or error}") from None
    if done.returncode:
        raise ToolchainError(f"{program} refuses the machine code: {(done.stderr + done.stdout).strip()}")
    return done.stdout


def functions(listing: str) -> Mapping[str, Body]:
    """The instructions of each function, without the padding at its end."""
    found: dict[str, list[Instruction]] = {}
    body: list[Instruction] = []
    label = ""
    for line in listing.splitlines():
        if section := _FUNCTION.match(line):
            body = found.setdefault(section[1], [])
        elif start := _LABEL.match(line):
            label = start[1]
        elif one := _INSTRUCTION.match(line):
            address, predicate, name, operands = one.groups()
            body.append(Instruction(int(address, 16), name, operands.strip(), (predicate or "").strip(), label))
            label = ""
    return {name: _without_padding(body) for name, body in found.items()}


def loops(body: Body) -> Iterator[Body]:
    """For each branch to what stands before it: what is executed between that and the branch, if it can be.

    What is seldom executed stands behind the rest and branches back as well; so paths count, and not places.
    """
    after = _successors(body)
    before: list[list[int]] = [[] for _ in body]
    for index, places in enumerate(after):
        for place in places:
            before[place].append(index)
    for index, places in enumerate(after):
        for start in places:
            if start <= index:
                members = _reached(start, after) & _reached(index, before, until=start)
                if index in members:
                    yield [body[place] for place in sorted(members)]


def _successors(body: Body) -> list[list[int]]:
    """Where execution may go on behind each instruction; a subroutine returns behind its call."""
    starts = {one.label: index for index, one in enumerate(body) if one.label}
    found = []
    for index, one in enumerate(body):
        goes_on = _is_conditional(one) or not one.name.startswith(_LAST)
        places = [index + 1] if goes_on and index + 1 < len(body) else []
        found.append([*places, starts[one.target]] if one.target in starts else places)
    return found


def _is_conditional(one: Instruction) -> bool:
    """A predicate stands before the name or, of branches such as `BRA.U !UP0, target`, among the operands."""
    return bool(one.predicate) or (bool(one.target) and not one.operands.startswith("`"))


def _reached(start: int, edges: Sequence[Sequence[int]], until: int = -1) -> set[int]:
    reached, todo = {start}, [start]
    while todo:
        last = todo.pop()
        for place in edges[last] if last != until else ():
            if place not in reached:
                reached.add(place)
                todo.append(place)
    return reached


def _without_padding(body: list[Instruction]) -> Body:
    """An endless branch to itself stands behind each function, then NOPs."""
    end = len(body)
    while end and body[end - 1].name == _PADDING:
        end -= 1
    if end and body[end - 1].target and body[end - 1].target == body[end - 1].label:
        end -= 1
    return body[:end]
