"""Texts of modules with one kernel, and passes of a backend over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.ir import Dialect

from flydsl.ir.context import create_context
from flydsl.ir.emit import emit_generic
from flydsl.ir.parse import parse_module
from flydsl.passes.registry import run


def kernel_module(
    arguments: str, body: str, *, block: tuple[int, int, int] | None = (64, 1, 1), attributes: str = ""
) -> str:
    """A module with the kernel `k`, of these arguments, as `%x: i32, %y: f32`, and with these lines in its body."""
    types = ", ".join(argument.partition(":")[2].strip() for argument in arguments.split(", %") if argument)
    known = f", known_block_size = array<i32: {', '.join(map(str, block))}>" if block else ""
    return f"""
      "builtin.module"() ({{ "gpu.module"() <{{sym_name = "kernels"}}> ({{
        "gpu.func"() <{{function_type = ({types}) -> ()}}> ({{
        ^bb0({arguments}):
          {body}
          "gpu.return"() : () -> ()
        }}) {{gpu.kernel, sym_name = "k"{known}{attributes}}} : () -> ()
      }}) : () -> () }}) {{gpu.container_module}} : () -> ()
    """


def text_after(dialect: Dialect, passes: Mapping[str, str]) -> Callable[..., str]:
    """`after(module, "a-pass", "another")`: the text of a module after passes of ours and of a backend's manifest."""

    def after(text: str, *names: str) -> str:
        context = create_context([dialect])
        module = parse_module(text, context, check=False)
        run(module, list(names), context=context, extra=passes)
        return emit_generic(module)

    return after
