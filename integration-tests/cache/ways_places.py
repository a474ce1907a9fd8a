"""Places that a kernel reads a value from: closures, defaults, helpers, classes, descriptors, imports, arguments."""

from __future__ import annotations

from ways import Way

_IN_ONE_FILE = """
global              | N                 | N = 2
nested helper       | outer()           | inner = lambda: 2
helper of a helper  | outer2()          | N = 2
method              | OBJECT.method()   | OBJECT.n = 2
method of a base    | OBJECT.inherited() | Base.n = 2
mixin               | OBJECT.mixed()    | Mixin.mixed = lambda self: 2
super               | OBJECT.upper()    | Base.upper = lambda self: 2
class attribute     | Thing.n2          | Thing.n2 = 2
class method        | Thing.make()      | Thing.n2 = 2
static method       | Thing.static()    | N = 2
property            | OBJECT.prop       | OBJECT.n = 2
cached property     | OBJECT.once       | OBJECT.__dict__["once"] = 2
descriptor          | OBJECT.described  | Describes.n = 2
data descriptor     | OBJECT.stored     | OBJECT.stored = 2
__getattr__         | OBJECT.absent     | N = 2
__getitem__         | OBJECT[0]         | OBJECT.n = 2
__call__            | OBJECT()          | OBJECT.n = 2
__len__             | len(OBJECT)       | OBJECT.n = 2
__contains__        | 2 if 5 in OBJECT else 1 | OBJECT.n = 5
__iter__            | sum(OBJECT)       | OBJECT.n = 5
__index__           | (7, 8, 9)[OBJECT] | OBJECT.n = 2
__eq__              | 2 if OBJECT == 5 else 1 | OBJECT.n = 5
__bool__            | 1 if OBJECT else 2 | OBJECT.n = 0
metaclass           | Meta.n            | Meta.n = 2
class of a metaclass | Made.n           | Meta.n = 2
metaclass __getattr__ | Made.absent     | N = 2
dataclass field     | RECORD.n          | RECORD.n = 2
default of a dataclass | Record().n     | Record.__init__.__defaults__ = (2,)
default factory     | Record2().n[0]    | N = 2
partial             | PARTIAL()         | PARTIAL = functools.partial(add, 1, 1)
function of a partial | PARTIAL()       | N = 5
lambda              | LAMBDA()          | LAMBDA = lambda: 2
lambda that reads   | LAMBDA()          | N = 2
comprehension       | sum([N for _ in range(3)]) | N = 2
generator           | sum(N for _ in range(3)) | N = 2
f-string            | len(f"{N}")       | N = 22
walrus              | (y := N) + y      | N = 2
conditional         | A if CHOICE else B | CHOICE = False
lookup by a global  | TABLE[KEY]        | KEY = "b"
decorated helper    | decorated()       | N = 2
decorator's closure | decorated()       | decorated.__closure__[0].cell_contents.__defaults__ = (9,)
decorator's global  | decorated2()      | FACTOR = 3
class decorator     | Decorated.n       | Decorated.n = 2
recursive helper    | recursive(3)      | N = 2
helper in a dict    | FUNCTIONS["f"]()  | FUNCTIONS["f"] = lambda: 2
default argument of a helper | helper_default() | helper_default.__defaults__ = (2,)
module __getattr__  | ME.absent         | N = 2
module __getattr__, fresh | ME.fresh    | N = 2
named constant      | Colour.RED.value  | Colour.RED._value_ = 2
name from builtins  | OF_BUILTINS       | builtins.OF_BUILTINS = 2
shadowed builtin    | max(1, 2)         | max = min
nested class        | Outer.Inner.n     | Outer.Inner.n = 2
two attributes      | SPACE.a.b         | SPACE.a = types.SimpleNamespace(b=2)
chained call        | add(N, 1)         | N = 2
star arguments      | add(*PAIR)        | PAIR = (2, 2)
nested function     | nested()          | N = 2
context manager     | managed()         | Manager.n = 2
try and except      | excepted()        | BAD = ZeroDivisionError
assertion           | asserted()        | N = 2
slots               | SLOTTED.n         | SLOTTED.n = 2
type alias          | len(typing.get_args(ALIAS)) | ALIAS = tuple[int, float, int]
string annotation of a helper | len(annotated.__annotations__["a"]) | annotated.__annotations__ = {"a": "longer"}
"""

_SETUP = """\
import builtins, enum, functools, sys, types, typing
N = 1
A, B, CHOICE, KEY, TABLE, PAIR = 1, 2, True, "a", {"a": 1, "b": 2}, (1, 1)
ME = sys.modules[__name__]
builtins.OF_BUILTINS = 1
def __getattr__(name):
    if name == "absent": return N
    if name == "fresh": return float(f"1000.{N}")
    raise AttributeError(name)
def inner(): return 1
def outer(): return inner()
def outer2(): return static_n()
def static_n(): return N
def add(a, b): return a + b + N
class Describes:
    n = 1
    def __get__(self, instance, owner): return self.n
class Stored:
    def __get__(self, instance, owner): return instance.__dict__.get("hidden", 1)
    def __set__(self, instance, value): instance.__dict__["hidden"] = value
class Mixin:
    def mixed(self): return 1
class Base:
    n = 1
    def inherited(self): return Base.n
    def upper(self): return 1
class Thing(Mixin, Base):
    n2 = 1
    described, stored = Describes(), Stored()
    def __init__(self): self.n = 1
    def method(self): return self.n
    def upper(self): return super().upper()
    @classmethod
    def make(cls): return cls.n2
    @staticmethod
    def static(): return N
    @property
    def prop(self): return self.n
    @functools.cached_property
    def once(self): return self.n
    def __getattr__(self, name):
        if name != "absent": raise AttributeError(name)
        return N
    def __getitem__(self, index): return self.n
    def __call__(self): return self.n
    def __len__(self): return self.n
    def __contains__(self, x): return x == self.n
    def __iter__(self): return iter((self.n,))
    def __index__(self): return self.n
    def __eq__(self, other): return self.n == other
    def __bool__(self): return self.n != 0
    __hash__ = None
OBJECT = Thing()
class Meta(type):
    n = 1
    def __getattr__(cls, name):
        if name != "absent": raise AttributeError(name)
        return N
class Made(metaclass=Meta): pass
import dataclasses
@dataclasses.dataclass
class Record:
    n: int = 1
@dataclasses.dataclass
class Record2:
    n: list = dataclasses.field(default_factory=lambda: [N])
RECORD = Record()
PARTIAL = functools.partial(add, 1, 0)
LAMBDA = lambda: N
def wraps(f):
    @functools.wraps(f)
    def inner(a=1): return f() * FACTOR
    return inner
FACTOR = 1
@wraps
def decorated(b=1): return N + b
@wraps
def decorated2(b=1): return N + b
def in_class(cls):
    cls.n = 1
    return cls
@in_class
class Decorated: pass
def recursive(k): return recursive(k - 1) + N if k else 0
FUNCTIONS = {"f": lambda: 1}
def helper_default(n=1): return n
class Colour(enum.Enum): RED = 1
class Outer:
    class Inner: n = 1
SPACE = types.SimpleNamespace(a=types.SimpleNamespace(b=1))
def nested():
    def deep(): return N
    return deep()
class Manager:
    n = 1
    def __enter__(self): return self.n
    def __exit__(self, *_): return None
def managed():
    with Manager() as n: return n
BAD = KeyError
def excepted():
    try: return {}["a"]
    except BAD: return 1
    except LookupError: return 2
def asserted():
    try: assert N == 1
    except AssertionError: return 5
    return 6
class Slots: __slots__ = ("n",)
SLOTTED = Slots(); SLOTTED.n = 1
ALIAS = tuple[int, float]
def annotated(a: "short"): return a
"""

_CLOSURE = """
def make():
    n = {value}
    @flyc.kernel
    def store(x: fx.Tensor):
        x[0] = fx.Float32(float({read}))
    @flyc.jit
    def run(x: fx.Tensor):
        store(x).launch(grid=1, block=1)
    def plain():
        return {read}
    def set_n(value):
        nonlocal n
        n = value
    return run, plain, set_n
run, plain, set_n = make()
"""


def _way(line: str) -> Way:
    name, read, change = (part.strip() for part in line.split(" | "))
    return Way(f"place {name}", read, change, _SETUP)


WAYS = [
    *map(_way, _IN_ONE_FILE.strip().splitlines()),
    Way("place closure", "n", "set_n(2)", program=_CLOSURE.replace("{value}", "1")),
    Way(
        "place list in a closure",
        "n[0]",
        "run.__wrapped__.__closure__; set_n([2])",
        program=_CLOSURE.replace("{value}", "[1]"),
    ),
]
