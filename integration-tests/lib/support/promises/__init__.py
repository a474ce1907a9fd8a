"""Promises that our code makes to LLVM and ptxas, and what happens without each of them: see `nox -s promises`."""
