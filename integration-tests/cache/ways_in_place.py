"""Objects that change in place, and classes, functions and modules that are patched."""

# ruff: noqa: E501 - tables

from __future__ import annotations

from ways import Way
from ways_values import SETUP

_CHANGES = """
list item           | X[0]                | [1]                             | X[0] = 2
list append         | len(X)              | [1]                             | X.append(2)
nested list         | X["a"][0]           | {"a": [1]}                      | X["a"][0] = 2
list in a tuple     | X[0][0]             | ([1],)                          | X[0][0] = 2
dict item           | X["a"]              | {"a": 1}                        | X["a"] = 2
dict order          | next(iter(X))       | {1: 1, 2: 1}                    | X[1] = X.pop(1)
set                 | len(X)              | {1}                             | X.add(2)
equal but other     | 3 if X[0] is True else 4 | [True]                     | X[0] = 1
bytearray           | X[0]                | bytearray(b"a")                 | X[0] = 7
memoryview          | X[0]                | memoryview(bytearray(b"a"))     | X[0] = 7
array.array         | X[0]                | array.array("i", [1])           | X[0] = 7
ctypes integer      | X.value             | ctypes.c_int(1)                 | X.value = 7
ctypes array        | X[1]                | (ctypes.c_int * 2)(1, 2)        | X[1] = 7
ctypes structure    | X.a                 | Fields(1)                       | X.a = 7
deque               | X[0]                | collections.deque([1])          | X.appendleft(2)
Counter             | X["a"]              | collections.Counter("a")        | X.update("a")
OrderedDict         | next(iter(X))       | collections.OrderedDict({1: 1, 2: 2}) | X.move_to_end(1)
defaultdict         | X["b"]              | collections.defaultdict(Slot.one) | X.default_factory = Slot.two; X.clear()
ChainMap            | X["a"]              | collections.ChainMap({}, {"a": 1}) | X.maps[0]["a"] = 2
mapping proxy       | X["a"]              | types.MappingProxyType(BACKING) | BACKING["a"] = 2
UserDict            | X["a"]              | collections.UserDict(a=1)       | X["a"] = 2
numpy contents      | X[1]                | np.array([1, 2])                | X[1] = 3
numpy view          | X[0]                | np.arange(4)[1:]                | X.base[1] = 9
numpy in a tuple    | X[0][0]             | (np.array([1]),)                | X[0][0] = 2
numpy in an object  | X.a[0]              | types.SimpleNamespace(a=np.array([1])) | X.a[0] = 2
numpy objects       | X[0][0]             | np.array([[1], [1, 2]], object) | X[0][0] = 2
numpy shape         | X.shape[0]          | np.zeros((2, 3))                | X.shape = 3, 2
numpy generator     | X.bit_generator.state["state"]["state"] % 97 | np.random.default_rng(1) | X.random()
namespace           | X.a                 | types.SimpleNamespace(a=1)      | X.a = 2
dataclass           | X.a                 | Data(1)                         | X.a = 2
frozen dataclass    | X.a                 | Frozen(1)                       | object.__setattr__(X, "a", 2)
slotted object      | X.a                 | Slotted(1)                      | X.a = 2
own sequence        | X[0]                | Own(1)                          | X._a = 2
deep object         | X.a.a.a             | Data(Data(Data(1)))             | X.a.a.a = 2
user list           | X[0] + X.extra      | Ref([1])                        | X[0] = 2
user list attribute | X[0] + X.extra      | Ref([1])                        | X.extra = 2
iterator            | X.__length_hint__() | iter([1, 2, 3])                 | next(X)
cell                | X.cell_contents     | types.CellType(1)               | X.cell_contents = 2
context variable    | X.get()             | contextvars.ContextVar("a", default=1) | X.set(2)
thread local        | X.a                 | Local(a=1)                      | X.a = 2
weak reference      | 1 if X() else 2     | weakref.ref(KEPT[0])            | KEPT.clear(); import gc; gc.collect()
re-initialised      | X.a                 | Data(1)                         | X.__init__(2)
class of an object  | X.shared            | Data(1)                         | X.__class__ = Other
instance over class | X.shared            | Data(1)                         | X.shared = 3
class attribute     | X.shared            | Data(1)                         | Data.shared = 3
slot of a class     | Slot.VALUE          | 0                               | Slot.VALUE = 3
class attribute of a base | Derived.VALUE | 0                               | Slot.VALUE = 3
new attribute of a class | Derived.VALUE  | 0                               | Derived.VALUE = 3
base replaced       | Derived.VALUE       | 0                               | Derived.__bases__ = (Other2,)
method of a class   | Slot.one()          | 0                               | Slot.one = staticmethod(lambda: 3)
code of a function  | f()                 | 0                               | f.__code__ = g.__code__
defaults of a function | f()              | 0                               | f.__defaults__ = (3,)
keyword defaults    | f()                 | 0                               | f.__kwdefaults__ = {"b": 3}
attribute of a function | f.extra         | 0                               | f.extra = 3
attribute of an alias   | (lambda h: h.extra)(f) | 0                        | f.extra = 3
enum member attribute | Colour.RED.extra  | 0                               | Colour.RED.extra = 3
patched library constant | math.tau > 3   | 0                               | math.tau = 1
patched library function | math.ceil(1.5) | 0                               | math.ceil = math.floor
patched builtin     | divmod(7, 2)[0]     | 0                               | import builtins; builtins.divmod = lambda a, b: (9, 9)
patched numpy function | np.prod((2, 3))  | 0                               | np.prod = lambda x: 7
constant put into fx   | fx.OF_MINE       | setattr(fx, "OF_MINE", 1)       | fx.OF_MINE = 2
function put into fx   | fx.f_of_mine()   | setattr(fx, "f_of_mine", lambda: 1) | fx.f_of_mine = lambda: 2
hidden builtin      | abs(-1)             | 0                               | abs = lambda x: 7
deleted global      | N                   | 0                               | del N; import builtins; builtins.N = 7
"""

_SETUP = """
import math
class Fields(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int)]
class Slot:
    VALUE = 1
    @staticmethod
    def one(): return 1
    @staticmethod
    def two(): return 2
class Derived(Slot): pass
class Other2:
    VALUE = 4
Data.shared = 1
class Other(Data): shared = 2
Ref.extra = 1
import threading
class Local(threading.local):
    def __init__(self, a): self.a = a
BACKING = {"a": 1}
def f(a=1, *, b=1): return a + b
def g(a=1, *, b=1): return 7
f.extra = 1
Colour.RED.extra = 1
N = 1
"""


def _way(line: str) -> Way:
    name, read, before, change = (part.strip() for part in line.split(" | "))
    setup = SETUP.replace("X = {before}", "") + _SETUP + f"X = {before}\n"
    return Way(f"in place {name}", read, change, setup)


WAYS = [_way(line) for line in _CHANGES.strip().splitlines()]
