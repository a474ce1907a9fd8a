"""Names that only other versions of this language have, in the modules where those have them.

They are in the distribution flydsl-compat, under the same paths: what another version has as `flydsl.expr.gpu.x` is
`flydsl._other_versions.expr.gpu.x` there.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PORTION = "flydsl._other_versions"


def other_name(module: str, name: str) -> Any:
    """What another version has as `name` in `module` of the core; AttributeError when flydsl-compat lacks it too."""
    home = module.replace("flydsl", _PORTION, 1)
    advice = ""
    if not name.startswith("__"):  # Python's own questions, such as __path__
        try:
            return getattr(import_module(home), name)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(_PORTION):
                raise
            advice = ", nor has flydsl-compat, if it is installed, which has names of other versions"
        except AttributeError:
            advice = ", nor has flydsl-compat"
    raise AttributeError(f"module {module!r} has no attribute {name!r}{advice}", name=name)
