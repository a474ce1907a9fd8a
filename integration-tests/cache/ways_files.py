"""Files that are edited: the kernel's own, helpers in other modules and packages, what they import."""

# ruff: noqa: E501 - tables

from __future__ import annotations

from ways import KERNEL, Way

_RELOAD = "import importlib, sys; importlib.reload(sys.modules['{helper}'])"
_SELF = "import importlib, sys; importlib.reload(sys.modules[__name__])"
_VALUE = "N = 1\n"
_FUNCTION = "K = 1\ndef value():\n    return K + 0\n"

_HELPERS = [
    ("constant by attribute", "import {helper} as H", "H.N", _VALUE, "N = 1", "N = 22", ""),
    ("constant by full name", "import {helper}", "{helper}.N", _VALUE, "N = 1", "N = 22", ""),
    ("constant by from", "from {helper} import N", "N", _VALUE, "N = 1", "N = 22", "from {helper} import N"),
    ("constant by star", "from {helper} import *", "N", _VALUE, "N = 1", "N = 22", "from {helper} import *"),
    ("constant by alias", "from {helper} import N as M", "M", _VALUE, "N = 1", "N = 22", "from {helper} import N as M"),
    ("function by attribute", "import {helper} as H", "H.value()", _FUNCTION, "K + 0", "K + 22", ""),
    ("constant of a function", "import {helper} as H", "H.value()", _FUNCTION, "K = 1", "K = 22", ""),
    (
        "function by from",
        "from {helper} import value",
        "value()",
        _FUNCTION,
        "+ 0",
        "+ 22",
        "from {helper} import value",
    ),
    ("default of a function", "import {helper} as H", "H.f()", "def f(a=1):\n    return a\n", "a=1", "a=22", ""),
    ("keyword default", "import {helper} as H", "H.f()", "def f(*, a=1):\n    return a\n", "a=1", "a=22", ""),
    ("operator in a function", "import {helper} as H", "H.f(3)", "def f(a):\n    return a + 2\n", "+", "*", ""),
    (
        "method",
        "import {helper} as H",
        "H.C().f()",
        "class C:\n    def f(self):\n        return 1\n",
        "return 1",
        "return 22",
        "",
    ),
    ("class attribute", "import {helper} as H", "H.C.n", "class C:\n    n = 1\n", "n = 1", "n = 22", ""),
    ("base class", "import {helper} as H", "C.n", "class B:\n    n = 1\n", "n = 1", "n = 22", "class C(H.B): pass"),
    (
        "dataclass default",
        "import {helper} as H",
        "H.D().n",
        "import dataclasses\n@dataclasses.dataclass\nclass D:\n    n: int = 1\n",
        "= 1",
        "= 22",
        "",
    ),
    (
        "enum",
        "import {helper} as H",
        "H.E.A.value",
        "import enum\nclass E(enum.Enum):\n    A = 1\n",
        "A = 1",
        "A = 22",
        "",
    ),
    (
        "named tuple default",
        "import {helper} as H",
        "H.T().n",
        "import typing\nclass T(typing.NamedTuple):\n    n: int = 1\n",
        "= 1",
        "= 22",
        "",
    ),
    ("dict", "import {helper} as H", "H.D['a']", "D = {'a': 1}\n", ": 1", ": 22", ""),
    ("lambda", "import {helper} as H", "H.f()", "f = lambda: 1\n", ": 1", ": 22", ""),
    (
        "partial",
        "import {helper} as H",
        "H.f()",
        "import functools\nf = functools.partial(max, 1)\nf = functools.partial(max, 0, 1)\n",
        "0, 1",
        "0, 22",
        "",
    ),
    (
        "decorated function",
        "import {helper} as H",
        "H.f()",
        "import functools\ndef d(f):\n    @functools.wraps(f)\n    def g():\n        return f() + 0\n    return g\n@d\ndef f():\n    return 1\n",
        "+ 0",
        "+ 22",
        "",
    ),
    (
        "conditional import",
        "import {helper} as H\nif H.NEW:\n    from math import tau as N\nelse:\n    from math import e as N",
        "N",
        "NEW = False\n",
        "False",
        "True",
        "from math import tau as N",
    ),
    (
        "module __getattr__",
        "import {helper} as H",
        "H.N",
        "def __getattr__(name):\n    if name != 'N': raise AttributeError(name)\n    return float('1000.5') + 1\n",
        "+ 1",
        "+ 22",
        "",
    ),
    (
        "computed constant",
        "import {helper} as H",
        "H.N",
        "K = 3\nN = sum(i * K for i in range(5))\n",
        "K = 3",
        "K = 22",
        "",
    ),
    ("doc of a module", "import {helper} as H", "len(H.__doc__)", '"""a"""\n', '"""a"""', '"""ab"""', ""),
    (
        "doc of a function",
        "import {helper} as H",
        "len(H.f.__doc__)",
        'def f():\n    """a"""\n',
        '"""a"""',
        '"""ab"""',
        "",
    ),
    ("attribute of a function", "import {helper} as H", "H.f.n", "def f(): pass\nf.n = 1\n", "n = 1", "n = 22", ""),
    (
        "annotation of a helper",
        "import {helper} as H",
        "H.f.__annotations__['a']",
        "def f(a: 1): pass\n",
        "a: 1",
        "a: 22",
        "",
    ),
    (
        "list built at import",
        "import {helper} as H",
        "len(H.L)",
        "L = []\nL.append(1)\n",
        "L.append(1)\n",
        "L.append(1)\nL.append(2)\n",
        "",
    ),
    ("import by name", "import {helper}", "(lambda: __import__('{helper}').N)()", _VALUE, "N = 1", "N = 22", ""),
    ("line number", "import {helper} as H", "H.f.__code__.co_firstlineno", "def f(): pass\n", "def f", "\n\ndef f", ""),
]

_INSIDE = """
@flyc.kernel
def store(x: fx.Tensor):
    from {helper} import N
    x[0] = fx.Float32(float(N))
@flyc.jit
def run(x: fx.Tensor):
    store(x).launch(grid=1, block=1)
def plain():
    from {helper} import N
    return N
"""

_OWN = [
    ("constant", "N = 1", "N", ("", "N = 1", "N = 22")),
    ("expression in the kernel", "", "1 + 2", ("", "1 + 2", "1 + 3")),
    ("launch", "N = 1\ndef f(): return N + 0", "f()", ("", "N + 0", "N + 22")),
]


def _helper(name: str, setup: str, read: str, text: str, old: str, new: str, after: str) -> Way:
    change = f"{_RELOAD}\n{after}" if setup else _RELOAD
    return Way(
        f"edited {name}",
        read,
        change,
        f"{setup}\n" + (after if "class C" in after else ""),
        KERNEL,
        text,
        (("_helper", old, new),),
    )


WAYS = [
    *(_helper(*row) for row in _HELPERS),
    Way(
        "edited module imported inside",
        "",
        _RELOAD,
        "import {helper}",
        _INSIDE,
        _VALUE,
        (("_helper", "N = 1", "N = 22"),),
    ),
    *(Way(f"edited own {name}", read, _SELF, setup, KERNEL, "", (edit,)) for name, setup, read, edit in _OWN),
]
