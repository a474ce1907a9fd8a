"""What `dir` shows of a module that gathers names."""

from __future__ import annotations

import json
import os

from flydsl.base.namespace import public_names


def test_modules_are_shown_when_they_are_named_and_private_names_never() -> None:
    namespace = {"load": 1, "_helper": 2, "json": json, "os": os, "_os": os, "__doc__": ""}
    assert public_names(namespace) == ["load"]
    assert public_names(namespace, modules=["os", "_os"]) == ["load", "os"]
