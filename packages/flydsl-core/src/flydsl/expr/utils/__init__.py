"""Helpers under the paths that other kernels import them from."""

from flydsl.expr.utils.typst import print_typst as print_typst
