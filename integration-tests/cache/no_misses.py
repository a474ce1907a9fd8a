"""Changes that must not cost a compilation: what the code of a kernel does not depend on."""

# ruff: noqa: E501 - tables

from __future__ import annotations

from typing import NamedTuple

PROGRAM = '''\
"""A program."""
import collections, dataclasses, datetime, decimal, enum, fractions, functools, logging, os, random, sys, types
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx
import helper_of_mine
from helper_of_mine import scaled

@dataclasses.dataclass
class Config:
    tile: int = 2
    def area(self): return self.tile * self.tile

class Colour(enum.Enum): RED = 1

log = logging.getLogger("mine")
N, X, NAMES, TABLE = 3, float("1000.5"), {"a", "b", "c", "d"}, {"a": [1, 2], "b": (3, {"c": 4})}
CONFIG, WEIGHTS, DAY, EXACT = Config(), np.arange(6.0), datetime.date(2024, 1, 2), decimal.Decimal("1.25")
HALF, SPACE, UNUSED, Pair = fractions.Fraction(1, 2), types.SimpleNamespace(a=1), 1, collections.namedtuple("Pair", "a b")
PAIR, ADD = Pair(1, 2), functools.partial(max, 1)

@flyc.kernel
def store(x: fx.Tensor):
    """Store."""
    log.info("traced")
    value = N + X + len(NAMES) + TABLE["b"][1]["c"] + CONFIG.area() + float(WEIGHTS[2]) + DAY.day + float(EXACT)
    value += float(HALF) + SPACE.a + PAIR.b + ADD(2) + Colour.RED.value + scaled(2) + helper_of_mine.OFFSET
    x[0] = fx.Float32(value)

@flyc.jit
def run(x: fx.Tensor):
    store(x).launch(grid=1, block=1)
'''

HELPER = """\
OFFSET, SPARE = 1, 1
def scaled(n):
    return n * OFFSET
def unrelated():
    return 1
"""


class Change(NamedTuple):
    """A change between two processes, or, as statements in the namespace of the program, in one."""

    program: tuple[str, str] = ("", "")
    helper: tuple[str, str] = ("", "")
    folder: str = "here"
    directory: str = ""
    environment: dict[str, str] = {}  # noqa: RUF012 - of a NamedTuple, and never changed
    before: str = ""
    """Statements before the program is imported."""
    after: str = ""
    """Statements between the import and the first call."""


BETWEEN_PROCESSES = {
    "nothing": Change(),
    "the program moved": Change(folder="elsewhere"),
    "another working directory": Change(directory="/"),
    "another hash seed": Change(environment={"PYTHONHASHSEED": "7"}),
    "a variable of the environment": Change(environment={"UNRELATED_VARIABLE": "1"}),
    "a home folder": Change(environment={"HOME": "/nowhere"}),
    "a time zone": Change(environment={"TZ": "ABC-5"}),
    "the level of a log": Change(before="import logging; logging.basicConfig(level=logging.DEBUG)"),
    "the level of the kernel's logger": Change(after="program.log.setLevel(10)"),
    "warnings filters": Change(before="import warnings; warnings.simplefilter('error')"),
    "imports in another order": Change(before="import uuid, helper_of_mine, sqlite3, email.message"),
    "a random seed": Change(before="import random; random.seed(7)"),
    "an abstract class has another subclass": Change(
        before="import collections.abc as c; c.Sequence.register(type('A', (), {}))"
    ),
    "a comment": Change(program=("value +=", "# a comment\n    value +=")),
    "a comment in a helper": Change(helper=("    return n *", "    # a comment\n    return n *")),
    "blank lines": Change(program=("@flyc.kernel", "\n\n\n@flyc.kernel")),
    "layout": Change(program=("x[0] = fx.Float32(value)", "x[ 0 ]  =  fx.Float32( value )")),
    "the documentation of the kernel": Change(program=('"""Store."""', '"""Store a number."""')),
    "the documentation of the module": Change(program=('"""A program."""', '"""Another."""')),
    "a global that is not read": Change(
        program=(
            "UNUSED, Pair = fractions.Fraction(1, 2), types.SimpleNamespace(a=1), 1,",
            "UNUSED, Pair = fractions.Fraction(1, 2), types.SimpleNamespace(a=1), 99,",
        )
    ),
    "a global of a helper that is not read": Change(helper=("OFFSET, SPARE = 1, 1", "OFFSET, SPARE = 1, 99")),
    "another function of the helper's file": Change(
        helper=("def unrelated():\n    return 1", "def unrelated():\n    return 2")
    ),
    "a new function": Change(program=("@flyc.jit", "def new(): pass\n\n@flyc.jit")),
    "a number written in another way": Change(program=("N, X,", "N, X,"), helper=("n * OFFSET", "n * (OFFSET)")),
    "a value computed in another way": Change(program=("= 3, float", "= 1 + 2, float")),
    "optimised byte code": Change(environment={"PYTHONOPTIMIZE": "1"}),
    "no byte code": Change(environment={"PYTHONDONTWRITEBYTECODE": "1"}),
}

IN_ONE_PROCESS = {
    "nothing": "",
    "a fresh equal float": "X = float('1000.5')",
    "a fresh equal list": "TABLE = {'a': [1, 2], 'b': (3, {'c': 4})}",
    "an equal item": "TABLE['a'] = [1, 2]",
    "a fresh equal set": "NAMES = {'d', 'c', 'b', 'a'}",
    "a fresh equal object": "CONFIG = Config()",
    "a fresh equal array": "WEIGHTS = np.arange(6.0)",
    "an array written with what it holds": "WEIGHTS[:] = np.arange(6.0)",
    "a fresh equal decimal": "EXACT = decimal.Decimal('1.25')",
    "a fresh equal date": "DAY = datetime.date(2024, 1, 2)",
    "a fresh equal fraction": "HALF = fractions.Fraction(1, 2)",
    "a fresh equal partial": "ADD = functools.partial(max, 1)",
    "a change and back": "N = 9; N = 3",
    "a global that is not read": "UNUSED = 7",
    "a new global": "NEW = 1",
    "a global of a helper that is not read": "helper_of_mine.SPARE = 7",
    "an attribute of a class that says what it said": "Config.tile = 2",
    "the level of a logger": "log.setLevel(5)",
    "the environment": "os.environ['UNRELATED'] = '1'",
    "the working directory": "os.chdir('/')",
    "random numbers": "random.random()",
    "the recursion limit": "sys.setrecursionlimit(sys.getrecursionlimit() + 1)",
}
