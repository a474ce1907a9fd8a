"""What a command line asks to compile: a function of a file, types of its arguments, and a target."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from flydsl.base.errors import ArgumentError, shown
from flydsl.base.wording import with_article
from flydsl.cache.dependencies import encode_value
from flydsl.compiler.call.constexpr import ConstexprSpec
from flydsl.compiler.call.scalar import ScalarSpec
from flydsl.compiler.call.stream import StreamSpec
from flydsl.compiler.call.tensor import TensorSpec
from flydsl.compiler.jit import JitFunction
from flydsl.compiler.options.hints import Hints, frozen_hints
from flydsl.compiler.options.target_options import target_of, tensor_alignment
from flydsl.expr.numbers.registry import numeric_types
from flydsl.frontend.signature import ArgSpec, Parameter, parameters
from flydsl.layout import Layout, parse_layout

if TYPE_CHECKING:
    from flydsl.compiler.stages.artifact import Artifact
    from flydsl.compiler.stages.function_code import FunctionCode
    from flydsl.compiler.stages.pipeline import Traced
    from flydsl.expr.numeric import Numeric
    from flydsl.plugins.compile_backend import GPUTarget

EPILOG = """arguments, one --arg for each parameter that is not a stream, in order:
  f32(?,?):(?{i64},1)   a tensor: element type and layout, dynamic leaves as `?`
  f32[100,1000]         a row-major tensor of a static shape
  i32                   a scalar passed at run time
  u8[64], float16       unsigned types, and the names of fx in any case
  =128                  a compile-time constant (a Python literal)
"""
"""What `--arg` means, for the help of a command."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that say what to compile."""
    parser.add_argument("function", help="FILE:FUNCTION, a @flyc.jit function")
    parser.add_argument("--arg", action="append", default=[], help="one for each parameter, see below")
    parser.add_argument("--backend", help="compile backend id (default: the active one)")
    parser.add_argument("--target", default="", help="architecture, such as gfx942 or x86-64-v3 (for example)")


class CompileRequest(NamedTuple):
    """A function with the types of its arguments and the target it is compiled for."""

    code: FunctionCode
    hints: Hints
    specs: Mapping[str, ArgSpec]
    target: GPUTarget

    @classmethod
    def of(cls, options: argparse.Namespace) -> CompileRequest:
        """What parsed arguments ask for; imports the file. ArgumentError when they do not fit the function."""
        function = _load(options.function)
        target = target_of(options.backend, options.target)
        specs = _specs(parameters(function.__wrapped__), list(options.arg), tensor_alignment(target))
        return cls(function._code, frozen_hints(function.compile_hints), specs, target)

    def traced(self) -> Traced:
        """The Fly module."""
        return self.code.traced(self.specs, self.target, self.hints)

    def artifact(self) -> Artifact:
        """Machine code, from the cache or else compiled, and then kept there."""
        return self.code.artifact(self.specs, self.target, self.hints)[0]


def _load(name: str) -> JitFunction:
    file, _, attribute = name.rpartition(":")
    path = Path(file)
    if Path(name).is_file():
        path, file, attribute = Path(name), name, ""
    elif not file or not path.is_file():
        raise ArgumentError(f"expected FILE:FUNCTION with an existing file, found {name!r}")
    module = _import(path)
    function = getattr(module, attribute, None)
    if isinstance(function, JitFunction):
        return function
    known = [key for key, value in vars(module).items() if isinstance(value, JitFunction)]
    choices = f"its @flyc.jit functions: {', '.join(known) or 'none'}"
    if not attribute:
        raise ArgumentError(f"expected FILE:FUNCTION, found {name!r} without a function; {choices}")
    found = f", found {with_article(type(function).__name__)}" if hasattr(module, attribute) else ""
    raise ArgumentError(f"{file} has no @flyc.jit function {attribute!r}{found}; {choices}")


def _import(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ArgumentError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.resolve().parent))  # its neighbours can be imported, as after `python FILE`
    spec.loader.exec_module(module)
    return module


def _specs(declared: Sequence[Parameter], texts: list[str], alignment: int) -> dict[str, ArgSpec]:
    specs: dict[str, ArgSpec] = {}
    for parameter in declared:
        if parameter.kind == "stream":
            specs[parameter.name] = StreamSpec()
        elif not texts:
            raise ArgumentError(f"parameter {parameter.name!r} has no --arg; give one for each parameter")
        else:
            text = texts.pop(0)
            specs[parameter.name] = spec = _spec(text, alignment)
            if parameter.kind == "tensor" and isinstance(spec, ScalarSpec):
                raise ArgumentError(
                    f"--arg {text!r} is a number, and parameter {parameter.name!r} is a tensor: write "
                    f"'{text}[100,1000]' or '{text}(?,?):(?{{i64}},1)'"
                )
    if texts:
        raise ArgumentError(f"--arg {texts[0]!r} belongs to no parameter")
    return specs


def _spec(text: str, alignment: int = 1) -> ArgSpec:
    import ast

    if text.startswith("="):
        try:
            value: Any = ast.literal_eval(text[1:])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise ArgumentError(
                f"--arg {shown(text, repr)} is no compile-time value: behind '=' stands a number, a string, None, "
                f"True, False, or a tuple, list or dict of these ({shown(error)})"
            ) from None
        return ConstexprSpec(value, encode_value(value))
    name = text.split("(")[0].split("[")[0]
    names = _element_names()
    element = {**{kind.__name__.lower(): kind for kind in names.values()}, **names}.get(name.lower())
    if element is None:
        known = ", ".join(sorted(names))
        raise ArgumentError(f"--arg {text!r} starts with no element type; known: {known}, and the names of fx")
    rest = text[len(name) :]
    if not rest:
        return ScalarSpec(element.__name__)
    if element.mlir_name == "index":
        raise ArgumentError(f"--arg {text!r}: an index has no width in memory: give a tensor of i64 or i32")
    layout = parse_layout(rest) if rest.startswith("(") else _row_major(rest)
    return TensorSpec(element.__name__, layout, max(alignment, element.width // 8, 1))


def _element_names() -> dict[str, type[Numeric]]:
    """The element types by what MLIR calls them, in lower case; unsigned ones with a `u`."""
    return {
        f"u{kind.width}" if kind.__name__.startswith("Uint") else kind.mlir_name.lower(): kind
        for kind in numeric_types()
    }


def _row_major(text: str) -> Layout:
    try:
        shape = tuple(int(extent) for extent in text.strip("[]").split(","))
    except ValueError:
        raise ArgumentError(f"a static shape looks like [100,1000], found {text!r}") from None
    return Layout(shape, tuple(prod(shape[mode + 1 :]) for mode in range(len(shape))))
