"""Normalised source: text that only a change of meaning changes, and the names that it reads from outside.

Positions, comments, layout, docstrings and the decorators of the function itself leave no trace in the text (what
decorators make of it is an object, looked at elsewhere), nor does the Python version, on which `ast.dump` depends.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from flydsl.frontend.rewriting.private_names import mangled

_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_BY_NAME = frozenset({"delattr", "dir", "getattr", "hasattr", "setattr", "vars"})
_CLASS_TESTS = frozenset({"isinstance", "issubclass"})


class Import(NamedTuple):
    """An import inside a function: `attribute` is empty for `import module`."""

    module: str
    level: int
    attribute: str


class Read(NamedTuple):
    """A name that a function reads from outside, with the attributes read from it: `module.helper.TABLE`."""

    name: str
    attributes: tuple[str, ...] = ()
    origin: Import | None = None


class Normalised(NamedTuple):
    """The stable text of a function, and what it reads: each once, in source order; its `annotations` read apart.

    `asserts` when its code may name its own lines at run time; `attributes` are the names of all attributes in it, and
    `computes` when it may read attributes whose names it makes; `rebinds` are outer variables that it binds, and
    attributes as `.name`; `matches_classes` when it asks which class an object has.
    """

    text: str
    reads: tuple[Read, ...]
    annotations: tuple[Read, ...] = ()
    asserts: bool = False
    attributes: frozenset[str] = frozenset()
    computes: bool = False
    rebinds: frozenset[str] = frozenset()
    matches_classes: bool = False


def normalise(tree: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, owner: str = "") -> Normalised:
    """Walk a function once, whose private names are those of the class `owner`."""
    walk = _Walk(owner)
    walk.function(tree, is_root=True)
    return Normalised(
        " ".join(walk.out),
        tuple(walk.scope.reads),
        tuple(walk.annotation_reads),
        ast.Assert.__name__ in walk.out,
        frozenset(walk.attributes),
        walk.computed > 0,
        frozenset(walk.rebinds),
        ast.MatchClass.__name__ in walk.out or any(read.name in _CLASS_TESTS for read in walk.scope.reads),
    )


class _Scope:
    """Names of one scope: what it binds, and what its code reads and does not bind."""

    __slots__ = ("bound", "imports", "inner_reads", "is_class", "is_comprehension", "outer", "reads")

    def __init__(self, is_class: bool = False, is_comprehension: bool = False) -> None:
        self.is_class, self.is_comprehension = is_class, is_comprehension
        self.bound: set[str] = set()
        self.outer: set[str] = set()
        self.imports: dict[str, Import] = {}
        self.reads: dict[Read, None] = {}
        self.inner_reads: dict[Read, None] = {}


class _Walk:
    """Writes tokens to `out` and fills the scopes, in one pass."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.out: list[str] = []
        self.scope = _Scope()
        self._scopes = [self.scope]
        self.annotation_reads: dict[Read, None] = {}
        self.attributes: set[str] = set()
        self.rebinds: set[str] = set()
        self.computed = 0  # uses of builtins that take the name of an attribute, but for calls with a literal name

    def visit(self, node: ast.AST) -> None:
        cls: Any = node.__class__
        handler = _HANDLERS.get(cls)
        if handler is not None:
            handler(self, node)
        else:
            self.out.append(cls.__name__)
            self.fields(node, _field_names(cls))

    def fields(self, node: ast.AST, names: Iterable[str]) -> None:
        """The fields that are there: an empty one is left out, as versions disagree on which exist."""
        out = self.out
        for name in names:
            value = getattr(node, name, None)
            if value is None or value == []:
                continue
            out.append(name)
            if isinstance(value, ast.AST):
                self.visit(value)
            elif isinstance(value, list):
                self.items(value)
            else:
                out.append(repr(value))
        out.append(";")

    def items(self, values: list[Any]) -> None:
        out = self.out
        out.append("[")
        for value in values:
            if isinstance(value, ast.AST):
                self.visit(value)
            else:
                out.append(repr(value))
        out.append("]")

    def bind(self, name: str | None) -> None:
        if name is not None:
            self.scope.bound.add(mangled(name, self.owner))

    # names and constants

    def name(self, node: ast.Name) -> None:
        name = mangled(node.id, self.owner)
        self.out.append("=" + name)
        if node.ctx.__class__ is ast.Load:
            self.computed += name in _BY_NAME
            self.scope.reads[Read(name)] = None
        else:
            self.scope.bound.add(name)

    def attribute(self, node: ast.Attribute) -> None:
        names = [mangled(node.attr, self.owner)]
        value = node.value
        while isinstance(value, ast.Attribute):
            names.append(mangled(value.attr, self.owner))
            value = value.value
        self.attributes.update(names)
        if not isinstance(node.ctx, ast.Load):
            self.rebinds.add(f".{names[0]}")
        names.reverse()
        self.out.append("." + ".".join(names))
        if isinstance(value, ast.Name):
            name = mangled(value.id, self.owner)
            self.out.append("=" + name)
            self.scope.reads[Read(name, tuple(names))] = None
        else:
            self.visit(value)

    def call(self, node: ast.Call) -> None:
        """A call; the attribute that `getattr(x, "name")` reads is known."""
        if isinstance(node.func, ast.Name) and node.func.id in _BY_NAME and len(node.args) > 1:
            name = node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                self.attributes.add(name.value)
                self.computed -= 1
        self.out.append("Call")
        self.fields(node, _field_names(ast.Call))

    def constant(self, node: ast.Constant) -> None:
        value = node.value
        self.out.append(f"#{value:x}" if type(value) is int else repr(value))

    def joined(self, node: ast.JoinedStr) -> None:
        """An f-string: versions split its literal text differently."""
        self.out.append("JoinedStr")
        literal = ""
        for value in node.values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                literal += value.value
                continue
            if literal:
                self.out.append(repr(literal))
                literal = ""
            self.visit(value)
        self.out.append(repr(literal) + ";")

    # scopes

    def function(self, node: Any, is_root: bool = False) -> None:
        """A function; of the outermost one, decorators and defaults are objects by now, and no part of the text."""
        arguments = node.args
        self.out.append(node.__class__.__name__)
        self.fields(node, ("name",))
        if not is_root:
            self.bind(getattr(node, "name", None))
            self.fields(node, ("decorator_list",))
            self.items([*arguments.defaults, *arguments.kw_defaults])
        reads = self.scope.reads
        if is_root:
            self.scope.reads = self.annotation_reads
        self.annotations(node)
        self.scope.reads = reads
        self.enter()
        self.parameters(arguments)
        self.fields(node, ("type_params",))
        self.body(node.body)
        self.leave()

    def annotations(self, node: Any) -> None:
        every = node.args
        annotated = [*every.posonlyargs, *every.args, *every.kwonlyargs, every.vararg, every.kwarg]
        self.items([_evaluable(item.annotation) if item else None for item in annotated])
        self.items([_evaluable(getattr(node, "returns", None))])

    def parameters(self, arguments: ast.arguments) -> None:
        for kind in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"):
            declared = getattr(arguments, kind)
            items = declared if isinstance(declared, list) else [declared] if declared else []
            names = [mangled(item.arg, self.owner) for item in items]
            self.scope.bound.update(names)
            self.out.append(f"{kind}:{','.join(names)}")

    def body(self, body: Any) -> None:
        if isinstance(body, list):
            self.items(body[1:] if _is_docstring(body[0]) else body)
        else:
            self.visit(body)

    def class_(self, node: ast.ClassDef) -> None:
        self.bind(node.name)
        self.out.append("ClassDef")
        self.fields(node, ("name", "decorator_list", "bases", "keywords"))
        around, self.owner = self.owner, node.name
        self.enter(is_class=True)
        self.fields(node, ("type_params",))
        self.body(node.body)
        self.leave()
        self.owner = around

    def comprehension(self, node: Any) -> None:
        self.out.append(node.__class__.__name__)
        first, *others = node.generators
        self.visit(first.iter)  # the first source is read outside
        self.enter(is_comprehension=True)
        self.fields(first, ("target", "ifs", "is_async"))
        self.items(others)
        self.fields(node, ("elt", "key", "value"))
        self.leave()

    def enter(self, is_class: bool = False, is_comprehension: bool = False) -> None:
        self.scope = _Scope(is_class, is_comprehension)
        self._scopes.append(self.scope)

    def leave(self) -> None:
        """Close a scope: what it reads and does not bind is read by the scope around it."""
        inner = self._scopes.pop()
        self.scope = self._scopes[-1]
        target = self.scope.inner_reads if self.scope.is_class else self.scope.reads
        hidden = inner.bound - inner.outer
        for read in inner.reads:
            if read.origin is None and read.name in inner.imports:
                read = Read(read.name, read.attributes, inner.imports[read.name])
            # a class body reads the outer name until it binds its own
            if read.origin is not None or read.name not in hidden or inner.is_class:
                target[read] = None
        target.update(inner.inner_reads)

    # bindings other than by name

    def declare(self, node: ast.Global | ast.Nonlocal) -> None:
        names = [mangled(name, self.owner) for name in node.names]
        self.out.append(f"{node.__class__.__name__} {' '.join(names)};")
        self.scope.outer.update(names)
        self.rebinds.update(names)

    def walrus(self, node: ast.NamedExpr) -> None:
        """`:=` binds in the function around its comprehension."""
        self.out.append("NamedExpr")
        owner = next(scope for scope in reversed(self._scopes) if not scope.is_comprehension)
        owner.bound.add(mangled(node.target.id, self.owner))
        self.out.append(node.target.id)
        self.visit(node.value)

    def binding(self, node: Any) -> None:
        """Nodes that bind a plain string: `except ... as name`, patterns, type parameters."""
        self.bind(getattr(node, "name", None))
        self.bind(getattr(node, "rest", None))
        self.out.append(node.__class__.__name__)
        self.fields(node, _field_names(node.__class__))

    def import_(self, node: ast.Import) -> None:
        for alias in node.names:
            self.out.append(f"Import {alias.name} {alias.asname};")
            bound = alias.asname or alias.name.partition(".")[0]
            self.scope.imports[mangled(bound, self.owner)] = Import(alias.name if alias.asname else bound, 0, "")

    def import_from(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.out.append(f"ImportFrom {node.level} {node.module} {alias.name} {alias.asname};")
            bound = mangled(alias.asname or alias.name, self.owner)
            self.scope.imports[bound] = Import(node.module or "", node.level or 0, alias.name)


def _evaluable(annotation: ast.expr | None) -> ast.expr | None:
    """An annotation that is written as a string, as what is in the string."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return annotation
    return annotation


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


@functools.cache
def _field_names(cls: Any) -> tuple[str, ...]:
    return tuple(name for name in cls._fields if name not in _SKIPPED)


_HANDLERS: dict[type[ast.AST], Callable[[_Walk, Any], None]] = {
    ast.Name: _Walk.name,
    ast.Attribute: _Walk.attribute,
    ast.Call: _Walk.call,
    ast.Constant: _Walk.constant,
    ast.JoinedStr: _Walk.joined,
    ast.FunctionDef: _Walk.function,
    ast.AsyncFunctionDef: _Walk.function,
    ast.Lambda: _Walk.function,
    ast.ClassDef: _Walk.class_,
    ast.ListComp: _Walk.comprehension,
    ast.SetComp: _Walk.comprehension,
    ast.DictComp: _Walk.comprehension,
    ast.GeneratorExp: _Walk.comprehension,
    ast.Global: _Walk.declare,
    ast.Nonlocal: _Walk.declare,
    ast.NamedExpr: _Walk.walrus,
    ast.ExceptHandler: _Walk.binding,
    ast.MatchAs: _Walk.binding,
    ast.MatchStar: _Walk.binding,
    ast.MatchMapping: _Walk.binding,
    ast.Import: _Walk.import_,
    ast.ImportFrom: _Walk.import_from,
    **{getattr(ast, name): _Walk.binding for name in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(ast, name)},
}
