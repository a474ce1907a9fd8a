"""Source in, the text that means the same whatever its spelling, and the names it reads."""

from __future__ import annotations

import ast
import textwrap

import pytest

from flydsl.cache.normalise import Import, Normalised, Read, normalise


def of(text: str) -> Normalised:
    (statement,) = ast.parse(textwrap.dedent(text)).body
    assert isinstance(statement, ast.FunctionDef)
    return normalise(statement)


def reads(text: str) -> set[str]:
    found = of(text)
    return {".".join((read.name, *read.attributes)) for read in (*found.annotations, *found.reads)}


PLAIN = "def k(a, b):\n    if a < 3:\n        b[a] = a * 2.5\n    return f'{a!r:>{b}}' + 'x'\n"


@pytest.mark.parametrize(
    "text",
    [
        "def k(a, b):\n  if a < 3:  # small\n    b[a] = a * 2.5\n\n  return f'{a!r:>{b}}' + 'x'\n",
        'def k(a, b):\n  """What it does."""\n  if (a < 3):\n    b[a] = (a *\n 2.5)\n  return f"{a!r:>{b}}" + "x"\n',
        "@decorated(1)\n\n" + PLAIN,
        "\n\n\n" + PLAIN,
        "def k(a, b=4):\n    if a < 3: b[a] = a * 2.50\n    return (f'{a!r:>{b}}') + u'x'\n",
    ],
    ids=["comments", "docstring", "decorator", "lines", "spelling"],
)
def test_spelling_does_not_change_the_text(text: str) -> None:
    assert of(text).text == of(PLAIN).text


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("<", "<="),
        PLAIN.replace("3", "3.0"),
        PLAIN.replace("3", "True"),
        PLAIN.replace("2.5", "2.5000001"),
        PLAIN.replace("'x'", "'y'"),
        PLAIN.replace("'x'", "b'x'"),
        PLAIN.replace("!r", "!s"),
        PLAIN.replace("(a, b)", "(a, *b)"),
        PLAIN.replace("(a, b)", "(a, *, b)"),
        PLAIN.replace("(a, b)", "(a, /, b)"),
        PLAIN.replace("(a, b)", "(a: int, b)"),
        PLAIN.replace("def k", "def other"),
        PLAIN.replace("b[a] = a", "b[a] += a"),
        PLAIN.replace("    return", "        return"),
        PLAIN.replace("+ 'x'", "+ ''"),
        PLAIN + "    pass\n",
        "async " + PLAIN,
    ],
)
def test_meaning_changes_the_text(text: str) -> None:
    statement = ast.parse(text).body[0]
    assert isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
    assert normalise(statement).text != of(PLAIN).text


def test_names_from_outside_are_read_with_their_attributes() -> None:
    assert reads("def k(a):\n  x = mod.sub.CONST + a.b\n  return helper(x, key=GLOBAL)[0].c") == {
        "mod.sub.CONST",
        "helper",
        "GLOBAL",
    }


def test_each_read_comes_once_in_source_order() -> None:
    assert of("def k():\n  return B + A + B").reads == (Read("B"), Read("A"))


@pytest.mark.parametrize(
    "text",
    [
        "def k():\n  x = 1\n  return x",
        "def k(*x, **y):\n  return x, y",
        "def k(v):\n  for x, (y, *z) in v: x, y, z",
        "def k(v):\n  with v as x: x",
        "def k(v):\n  try: pass\n  except v as x: x",
        "def k(v):\n  return [x for x in v if x], {x: y for x, y in v}, (lambda x, *, y: x + y)",
        "def k(v):\n  [y := x for x in v]\n  return y",
        "def k(v):\n  match v:\n    case [x, *y] | {'a': x, **y}: return x, y\n    case z: return z",
        "def k(x):\n  def f(y): return x + y + f(y)\n  class C: pass\n  return f, C",
        "def k(x):\n  x: int\n  del x",
    ],
)
def test_bound_names_are_not_read(text: str) -> None:
    assert reads(text) <= {"int"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def k():\n  global G\n  G = 1\n  return G", {"G"}),
        ("def k(v):\n  return [x for x in x]", {"x"}),
        ("def k():\n  class C:\n    T = T\n    def m(self): return T\n  return C", {"T"}),
        ("def k():\n  class C:\n    T = 1\n    def m(self): return T\n  return C", {"T"}),
        ("def k():\n  def f(a=D, *, b: A = E): return a\n  return f", {"D", "A", "E"}),
        ("def k():\n  @wrap\n  def f(): pass\n  return f", {"wrap"}),
        ("def k(x: T) -> R:\n  pass", {"T", "R"}),
        ("def k(x):\n  match x:\n    case Color.RED | P(q=V.W): pass", {"Color.RED", "P", "V.W"}),
        ("def k(x):\n  return f'{x:{WIDTH}}'", {"WIDTH"}),
        ("def k(x):\n  mod.table[x] = 1", {"mod.table"}),
        ("def k(x):\n  def f():\n    nonlocal x\n    x = Y\n  return x", {"Y"}),
    ],
)
def test_reads_of_scopes(text: str, expected: set[str]) -> None:
    assert reads(text) == expected


def test_default_values_of_the_function_itself_are_not_read_as_names() -> None:
    assert reads("def k(a=D):\n  return a") == set()


def test_imports_inside_are_read_where_they_lead() -> None:
    found = of("def k():\n  from ..m import X as Y\n  import a.b\n  import c.d as e\n  return Y.z + a.b.Q + e.W")
    assert set(found.reads) == {
        Read("Y", ("z",), Import("m", 2, "X")),
        Read("a", ("b", "Q"), Import("a", 0, "")),
        Read("e", ("W",), Import("c.d", 0, "")),
    }


def test_annotations_of_the_function_itself_are_read_apart() -> None:
    found = of("def k(a: T) -> R:\n  def inner(b: S): pass\n  return N")
    assert found.annotations == (Read("T"), Read("R"))
    assert found.reads == (Read("S"), Read("N"))


@pytest.mark.parametrize(
    ("text", "attributes", "computes"),
    [
        ("def k(x):\n  return x.a.b", {"a", "b"}, False),
        ("def k(x):\n  return f(x).level", {"level"}, False),
        ("def k(x):\n  return getattr(x, 'level', 1)", {"level"}, False),
        ("def k(x, n):\n  return getattr(x, n)", set(), True),
        ("def k(x):\n  g = getattr\n  return g(x, 'a')", set(), True),
        ("def k(x):\n  return vars(x)", set(), True),
    ],
)
def test_attributes_that_may_be_read_are_known_by_name(text: str, attributes: set[str], computes: bool) -> None:
    found = of(text)
    assert found.attributes == attributes
    assert found.computes is computes


def test_names_that_it_binds_outside_are_known() -> None:
    assert of("def k():\n  global A, B\n  A = 1").rebinds == {"A", "B"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def k(x):\n  return isinstance(x, int)", True),
        ("def k(x):\n  match x:\n    case int(): pass", True),
        ("def k(x):\n  return type(x) is int", False),
    ],
)
def test_questions_for_classes_are_noticed(text: str, expected: bool) -> None:
    assert of(text).matches_classes is expected
