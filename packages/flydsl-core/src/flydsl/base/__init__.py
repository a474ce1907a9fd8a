"""Ground of every layer: errors, source locations and settings; imports nothing of ours."""

from time import time_ns

__all__ = ["IMPORTED_NS"]

IMPORTED_NS = time_ns()
"""When this process first touched the project: code changed later may differ from what is loaded."""
