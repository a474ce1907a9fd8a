"""What goes into a call or a launch: compile-time arguments, defaults, records, kernels, other host functions."""

from __future__ import annotations

from ways import Way

_DEFAULT = """
@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr[int]):
    x[0] = fx.Float32(float(n))
@flyc.jit
def run(x: fx.Tensor, {star}n: fx.Constexpr[int] = 1):
    store(x, n).launch(grid=1, block=1)
def plain():
    f = run.__wrapped__
    return (f.__defaults__ or f.__kwdefaults__["n"]) if isinstance(f.__defaults__, type(None)) else f.__defaults__[0]
"""

_CONSTEXPR = """
@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr):
    x[0] = fx.Float32(float(n.a))
@flyc.jit
def host(x: fx.Tensor, n: fx.Constexpr):
    store(x, n).launch(grid=1, block=1)
def run(x): host(x, OBJECT)
def plain(): return OBJECT.a
"""

_METHOD = """
class Model:
    scale = 1
    def __init__(self): self.n = 1
    @flyc.kernel
    def store(self: fx.Constexpr, x: fx.Tensor):
        x[0] = fx.Float32(float(self.n * self.scale))
    @flyc.jit
    def run(self: fx.Constexpr, x: fx.Tensor):
        self.store(x).launch(grid=1, block=1)
MODEL = Model()
def run(x): MODEL.run(x)
def plain(): return MODEL.n * MODEL.scale
"""

_HOST = """
@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr[int]):
    x[0] = fx.Float32(float(n))
@flyc.jit
def run(x: fx.Tensor):
    {body}
def plain(): return {read}
"""

_OBJECT = """
class Box:
    def __init__(self, a): self.__dict__["a"] = a
    def two(self): return 2
OBJECT = Box(1)
"""

_CLASS_ARGUMENT = """
def one(): return 1
def another(): return 2
class Config:
    n = 1
    def two(self): return 2
    def method(self): return self.n
import dataclasses, enum
class Colour(enum.Enum): RED = 1
Colour.RED.extra = 1
@dataclasses.dataclass
class Both:
    x: object
    def scale(self): return 1
@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr):
    x[0] = fx.Float32(float({read}))
@flyc.jit
def host(x: fx.Tensor, n: fx.Constexpr):
    store(x, n).launch(grid=1, block=1)
VALUE = {value}
def run(x): host(x, VALUE)
def plain():
    n = VALUE
    return {read}
"""

_RECORD = """
import dataclasses
@dataclasses.dataclass
class Both:
    x: object
    n: object
    def scale(self): return 1
@flyc.kernel
def store(x: fx.Tensor, k: fx.Constexpr[int]):
    x[0] = fx.Float32(float(k))
@flyc.jit
def host(both):
    store(both.x, both.scale()).launch(grid=1, block=1)
def run(x): host(Both(x, 1))
def plain(): return Both(None, 1).scale()
"""

_KERNEL_DEFAULT = """
@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr[int] = 1, *, k: fx.Constexpr[int] = 1):
    x[0] = fx.Float32(float(n + k))
@flyc.kernel
def other(x: fx.Tensor, n: fx.Constexpr[int] = 1, *, k: fx.Constexpr[int] = 1):
    x[0] = fx.Float32(float(n * 10 + k))
@flyc.jit
def run(x: fx.Tensor):
    store(x).launch(grid=1, block=1)
FACTOR = 0
def plain():
    f = store.__wrapped__
    n, k = f.__defaults__[0], f.__kwdefaults__["k"]
    return n * 10 + k if f.__code__ is other.__wrapped__.__code__ else n + k
"""

_NESTED_HOST = """
@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr[int]):
    x[0] = fx.Float32(float(n))
@flyc.jit
def inner(x: fx.Tensor, n: fx.Constexpr[int] = 1):
    store(x, N * n).launch(grid=1, block=1)
@flyc.jit
def another(x: fx.Tensor, n: fx.Constexpr[int] = 1):
    store(x, 7).launch(grid=1, block=1)
@flyc.jit
def run(x: fx.Tensor):
    inner(x)
def plain():
    f = inner.__wrapped__
    return 7 if f.__code__ is another.__wrapped__.__code__ else N * f.__defaults__[0]
"""

_FIELDS = """
class P: pass
@fx.struct
class Params:
    a: fx.Int32
    b: fx.Int32
@flyc.kernel
def store(x: fx.Tensor):
    x[0] = fx.Float32(float(len(Params.fields)))
@flyc.jit
def run(x: fx.Tensor):
    store(x).launch(grid=1, block=1)
def plain(): return len(Params.fields)
"""

_ALIASES = """
T = fx.Int32
@flyc.kernel
def store(x: fx.Tensor, n: {kernel}):
    x[0] = fx.Float32(float(n.dtype.width))
@flyc.jit
def host(x: fx.Tensor, n: {host}):
    store(x, n).launch(grid=1, block=1)
def run(x): host(x, 3)
def plain(): return {plain}
"""

WAYS = [
    Way(
        "argument string annotation of a kernel",
        change="T = fx.Int64",
        program=_ALIASES.replace("{kernel}", "'T'").replace("{host}", "fx.Int32").replace("{plain}", "T.width"),
    ),
    Way(
        "argument string annotation of the host",
        change="T = fx.Int64",
        program=_ALIASES.replace("n: {kernel}", "n").replace("{host}", "'T'").replace("{plain}", "T.width"),
    ),
    Way(
        "argument global of the host",
        "N",
        "N = 2",
        "N = 1",
        _HOST.replace("{body}", "store(x, N).launch(grid=1, block=1)"),
    ),
    Way("argument default", change="run.__wrapped__.__defaults__ = (2,)", program=_DEFAULT.replace("{star}", "")),
    Way("argument constexpr object rebound", change="OBJECT = Box(2)", setup=_OBJECT, program=_CONSTEXPR),
    Way("argument constexpr object changed", change="OBJECT.a = 2", setup=_OBJECT, program=_CONSTEXPR),
    Way(
        "argument constexpr object of a changed class",
        change="Box.a = property(Box.two)",
        setup=_OBJECT,
        program=_CONSTEXPR,
    ),
    Way("argument attribute of self", change="MODEL.n = 2", program=_METHOD),
    Way("argument class attribute of self", change="Model.scale = 2", program=_METHOD),
    Way("argument other self", change="MODEL = Model(); MODEL.n = 3", program=_METHOD),
    Way(
        "argument block of a launch",
        "N",
        "N = 4",
        "N = 1",
        _HOST.replace("{body}", "store(x, N).launch(grid=1, block=N)"),
    ),
    Way(
        "argument another kernel",
        "N",
        "store = other; N = 9",
        "N = 1",
        _HOST.replace("{body}", "store(x, N).launch(grid=1, block=1)").replace(
            "def plain",
            "@flyc.kernel\ndef other(x: fx.Tensor, n: fx.Constexpr[int]):\n    x[0] = fx.Float32(9.0)\ndef plain",
        ),
    ),
    *(
        Way(f"argument {name}", read, change, program=_CLASS_ARGUMENT.replace("{value}", value))
        for name, value, read, change in [
            ("class as an argument, patched", "Config", "n.n", "Config.n = 2"),
            ("class as an argument, new method", "Config", "n().method()", "Config.method = Config.two"),
            ("enum member as an argument, attribute", "Colour.RED", "n.extra", "Colour.RED.extra = 2"),
            ("function as an argument, rebound", "one", "n()", "VALUE = another"),
            ("list as an argument, in place", "[1]", "n[0]", "VALUE[0] = 2"),
            ("dict as an argument, in place", "{'a': [1]}", "n['a'][0]", "VALUE['a'][0] = 2"),
            ("object as an argument, in place", "Config()", "n.n", "VALUE.n = 2"),
            ("object as an argument, its class", "Config()", "n.n", "Config.n = 2"),
        ]
    ),
    Way(
        "argument method of a record argument",
        change="Both.scale = Both.two",
        program=_RECORD.replace("    def scale", "    def two(self): return 2\n    def scale"),
    ),
    Way("argument default of a kernel", change="store.__wrapped__.__defaults__ = (5,)", program=_KERNEL_DEFAULT),
    Way(
        "argument keyword default of a kernel",
        change="store.__wrapped__.__kwdefaults__ = {'k': 5}",
        program=_KERNEL_DEFAULT,
    ),
    Way(
        "argument code of a kernel",
        change="store.__wrapped__.__code__ = other.__wrapped__.__code__",
        program=_KERNEL_DEFAULT,
    ),
    Way("argument global of a nested host function", change="N = 2", setup="N = 1", program=_NESTED_HOST),
    Way(
        "argument default of a nested host function",
        change="inner.__wrapped__.__defaults__ = (4,)",
        setup="N = 1",
        program=_NESTED_HOST,
    ),
    Way(
        "argument code of a nested host function",
        change="inner.__wrapped__.__code__ = another.__wrapped__.__code__",
        setup="N = 1",
        program=_NESTED_HOST,
    ),
    Way(
        "argument struct defined anew",
        change="@fx.struct\nclass Params:\n    a: fx.Int32\n    b: fx.Int32\n    c: fx.Int32\n",
        program=_FIELDS,
    ),
    Way(
        "argument struct swapped",
        change="Params = Other",
        program=_FIELDS + "@fx.struct\nclass Other:\n    a: fx.Int64\n",
    ),
]
