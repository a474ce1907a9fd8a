"""Compiled code that is kept: ahead of calls, recorded, for other frameworks, behind a C API."""
