"""Ground of every layer: errors, source locations and settings; imports nothing of ours."""

import sys
from time import time_ns

__all__ = ["IMPORTED_NS"]

IMPORTED_NS = time_ns()
"""When this process first touched the project: code changed later may differ from what is loaded."""

_file = getattr(sys.modules.get("flydsl"), "__file__", None)
if _file:
    import warnings

    warnings.warn(
        f"{_file} makes a package of the namespace 'flydsl', so that only what lies in its own folders is found of "
        "flydsl-core and its plugins: remove the file, or uninstall the distribution that it is of",
        RuntimeWarning,
        stacklevel=2,
    )
