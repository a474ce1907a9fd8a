"""Frameworks whose tensors are arguments: what their adaptors say of tensors, and calls that they record and carry.

All of them are loaded when they are asked for: an adaptor may be imported whenever its framework is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.namespace import lazy_names

if TYPE_CHECKING:  # loaded when they are asked for
    from flydsl.adaptors.dtypes import DTYPES
    from flydsl.base import interception
    from flydsl.base.location import mark_as_library
    from flydsl.base.process.global_object import GlobalObject
    from flydsl.base.wording import with_article
    from flydsl.cache.dependencies import encode_value
    from flydsl.cache.key import digest
    from flydsl.compiler.aot.portable import CallTemplate
    from flydsl.compiler.aot.recorded_call import RecordedCall
    from flydsl.compiler.call.bound_call import BoundCall
    from flydsl.compiler.call.constexpr import BoundConstexpr
    from flydsl.compiler.call.container import flat
    from flydsl.compiler.call.scalar import is_number, number_bytes
    from flydsl.compiler.call.tensor_argument import TensorArgument
    from flydsl.compiler.modes.call_mode import blocks, is_interpreting
    from flydsl.expr.numbers.promotion import python_number

__all__ = [
    "DTYPES",
    "BoundCall",
    "BoundConstexpr",
    "CallTemplate",
    "GlobalObject",
    "RecordedCall",
    "TensorArgument",
    "blocks",
    "digest",
    "encode_value",
    "flat",
    "interception",
    "is_interpreting",
    "is_number",
    "mark_as_library",
    "number_bytes",
    "python_number",
    "with_article",
]

__getattr__ = lazy_names(
    __name__,
    {
        "DTYPES": "flydsl.adaptors.dtypes",
        "interception": "flydsl.base",
        "GlobalObject": "flydsl.base.process.global_object",
        "mark_as_library": "flydsl.base.location",
        "with_article": "flydsl.base.wording",
        "encode_value": "flydsl.cache.dependencies",
        "digest": "flydsl.cache.key",
        "BoundCall": "flydsl.compiler.call.bound_call",
        "BoundConstexpr": "flydsl.compiler.call.constexpr",
        "flat": "flydsl.compiler.call.container",
        "is_number": "flydsl.compiler.call.scalar",
        "number_bytes": "flydsl.compiler.call.scalar",
        "TensorArgument": "flydsl.compiler.call.tensor_argument",
        "blocks": "flydsl.compiler.modes.call_mode",
        "is_interpreting": "flydsl.compiler.modes.call_mode",
        "CallTemplate": "flydsl.compiler.aot.portable",
        "RecordedCall": "flydsl.compiler.aot.recorded_call",
        "python_number": "flydsl.expr.numbers.promotion",
    },
)
