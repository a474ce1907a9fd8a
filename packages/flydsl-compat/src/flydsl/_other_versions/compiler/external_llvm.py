"""`flydsl.compiler.external_llvm`, which is not here: importing it says what to use instead."""

from __future__ import annotations

from flydsl._other_versions import refuse_module

refuse_module("flydsl.compiler.external_llvm")
