"""A global of any type that is bound anew."""

# ruff: noqa: E501 - tables

from __future__ import annotations

from ways import Way

_TYPES = """
int                 | X                         | 3                             | 5
bool to int         | 2 if X is True else X     | True                          | 1
int to float        | 8 * isinstance(X, float) + X | 1                          | 1.0
negative zero       | 1 if str(X) == "0.0" else 2 | 0.0                         | -0.0
nan to number       | 3 if X != X else X        | float("nan")                  | 2.5
fresh float         | X                         | float("3.5")                  | float("4.5")
complex             | X.real + 2 * X.imag       | 1 + 2j                        | 2 + 1j
str                 | len(X)                    | "a"                           | "bc"
bytes               | X[0]                      | b"a"                          | b"b"
None                | 1 if X is None else X     | None                          | 4
Ellipsis            | 1 if X is ... else 2      | ...                           | None
Decimal             | X                         | decimal.Decimal("1.5")        | decimal.Decimal("2.5")
Fraction            | X                         | fractions.Fraction(1, 2)      | fractions.Fraction(1, 4)
date                | X.day                     | datetime.date(2024, 1, 2)     | datetime.date(2024, 1, 3)
datetime            | X.hour                    | datetime.datetime(2024, 1, 2, 3) | datetime.datetime(2024, 1, 2, 4)
time of day         | X.hour                    | datetime.time(3)              | datetime.time(4)
timedelta           | X.days                    | datetime.timedelta(3)         | datetime.timedelta(4)
timezone            | X.utcoffset(None).seconds | datetime.timezone(datetime.timedelta(hours=1)) | datetime.timezone.utc
UUID                | X.int % 97                | uuid.UUID(int=5)              | uuid.UUID(int=6)
Path                | len(X.parts)              | pathlib.Path("a/b")           | pathlib.Path("a/b/c")
PurePath            | len(X.parts)              | pathlib.PurePosixPath("a/b")  | pathlib.PurePosixPath("a/b/c")
IP address          | int(X) % 97               | ipaddress.ip_address("1.2.3.4") | ipaddress.ip_address("1.2.3.5")
range               | len(X)                    | range(3)                      | range(0, 9, 2)
slice               | X.stop                    | slice(1, 3)                   | slice(1, 4)
tuple               | X[1]                      | (1, 2)                        | (1, 3)
nested tuple        | X[1][0][0]                | (1, ([2],))                   | (1, ([3],))
frozenset           | max(X)                    | frozenset({1, 2})             | frozenset({1, 3})
list                | X[1]                      | [1, 2]                        | [1, 3]
dict                | X["a"]                    | {"a": 1}                      | {"a": 2}
dict order          | next(iter(X.values()))    | {"a": 1, "b": 2}              | {"b": 2, "a": 1}
set                 | max(X)                    | {1, 2}                        | {1, 3}
bytearray           | X[0]                      | bytearray(b"a")               | bytearray(b"b")
memoryview          | X[0]                      | memoryview(b"a")              | memoryview(b"b")
array.array         | X[0]                      | array.array("i", [1])         | array.array("i", [2])
ctypes integer      | X.value                   | ctypes.c_int(1)               | ctypes.c_int(2)
ctypes array        | X[1]                      | (ctypes.c_int * 2)(1, 2)      | (ctypes.c_int * 2)(1, 3)
partial             | X()                       | functools.partial(max, 1, 2)  | functools.partial(max, 1, 3)
itemgetter          | X((4, 5))                 | operator.itemgetter(0)        | operator.itemgetter(1)
attrgetter          | X(3 + 4j)                 | operator.attrgetter("real")   | operator.attrgetter("imag")
methodcaller        | X("abcab")                | operator.methodcaller("count", "a") | operator.methodcaller("count", "c")
lambda              | X()                       | lambda: 1                     | lambda: 2
lambda in a list    | X[0]()                    | [lambda: 1]                   | [lambda: 2]
builtin function    | X(3, 4)                   | max                           | min
bound method        | X("b")                    | "abb".count                   | "abbb".count
re.Pattern          | len(X.findall("aab"))     | re.compile("a")               | re.compile("b")
weak reference      | X().__len__()             | weakref.ref(KEPT[0])          | weakref.ref(KEPT[1])
namespace           | X.a                       | types.SimpleNamespace(a=1)    | types.SimpleNamespace(a=2)
mapping proxy       | X["a"]                    | types.MappingProxyType({"a": 1}) | types.MappingProxyType({"a": 2})
deque               | X[0]                      | collections.deque([1])        | collections.deque([2])
maxlen of a deque   | X.maxlen                  | collections.deque([1], 2)     | collections.deque([1], 3)
Counter             | X["a"]                    | collections.Counter("a")      | collections.Counter("aa")
OrderedDict         | next(iter(X))             | collections.OrderedDict({1: 1, 2: 2}) | collections.OrderedDict({2: 2, 1: 1})
defaultdict         | X["b"]                    | collections.defaultdict(lambda: 1) | collections.defaultdict(lambda: 2)
ChainMap            | X["a"]                    | collections.ChainMap({}, {"a": 1}) | collections.ChainMap({}, {"a": 2})
UserDict            | X["a"]                    | collections.UserDict(a=1)     | collections.UserDict(a=2)
UserList            | X[0]                      | collections.UserList([1])     | collections.UserList([2])
named tuple         | X.a                       | Pair(1, 2)                    | Pair(2, 2)
dataclass           | X.a                       | Data(1)                       | Data(2)
frozen dataclass    | X.a                       | Frozen(1)                     | Frozen(2)
enum member         | X.value                   | Colour.RED                    | Colour.BLUE
flag member         | X.value                   | re.I                          | re.M
class               | X.VALUE                   | type("A", (), {"VALUE": 1})   | type("A", (), {"VALUE": 2})
slotted object      | X.a                       | Slotted(1)                    | Slotted(2)
own sequence        | X[0]                      | Own(1)                        | Own(2)
iterator            | X.__length_hint__()       | iter([1, 2])                  | iter([1, 2, 3])
struct              | X.size                    | struct.Struct("i")            | struct.Struct("q")
exception           | X.args[0]                 | ValueError(1)                 | ValueError(2)
cell                | X.cell_contents           | types.CellType(1)             | types.CellType(2)
context variable    | X.get()                   | contextvars.ContextVar("a", default=1) | contextvars.ContextVar("a", default=2)
numpy scalar        | X                         | np.float32(1)                 | np.float32(2)
numpy dtype         | X.itemsize                | np.dtype("f4")                | np.dtype("f8")
numpy array         | X[0]                      | np.array([1])                 | np.array([2])
numpy shape         | X.shape[0]                | np.zeros((1, 4))              | np.zeros((4, 1))
numpy type          | 1 if X.dtype == "i4" else 2 | np.zeros(1, "i4")           | np.zeros(1, "u4")
numpy objects       | X[0][0]                   | np.array([[1], [1, 2]], object) | np.array([[2], [1, 2]], object)
numpy dates         | X.view("i8")[0]           | np.array(["1970-01-02"], "M8[D]") | np.array(["1970-01-03"], "M8[D]")
numpy record        | X["a"][0]                 | np.array([(1,)], [("a", "i4")]) | np.array([(2,)], [("a", "i4")])
numpy masked        | X.sum()                   | np.ma.array([1, 2], mask=[0, 1]) | np.ma.array([1, 2], mask=[1, 0])
numpy generator     | X.bit_generator.state["state"]["state"] % 97 | np.random.default_rng(1) | np.random.default_rng(2)
fx number           | X.value                   | fx.Int32(1)                   | fx.Int32(2)
fx type             | X.width                   | fx.Int32                      | fx.Int64
"""

SETUP = """\
import array, collections, contextvars, ctypes, dataclasses, datetime, decimal, enum, fractions, functools, ipaddress
import operator, pathlib, re, struct, types, uuid, weakref
import numpy as np
Pair = collections.namedtuple("Pair", "a b")
class Ref(list): pass
KEPT = [Ref([1]), Ref([1, 2])]
class Colour(enum.Enum):
    RED = 1
    BLUE = 2
@dataclasses.dataclass
class Data:
    a: int
@dataclasses.dataclass(frozen=True)
class Frozen:
    a: int
class Slotted:
    __slots__ = "a"
    def __init__(self, a): self.a = a
class Own:
    def __init__(self, a): self._a = a
    def __getitem__(self, index): return self._a
X = {before}
"""


def _way(line: str) -> Way:
    name, read, before, after = (part.strip() for part in line.split(" | "))
    return Way(f"rebound {name}", read, f"X = {after}", SETUP.replace("{before}", before))


WAYS = [_way(line) for line in _TYPES.strip().splitlines()]
