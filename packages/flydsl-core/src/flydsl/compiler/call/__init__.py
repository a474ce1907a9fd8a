"""Calls of @jit functions: a file for each kind of argument, binding, and the stubs that launch.

`bound_call` binds the arguments of a call, each by its kind (`argument` is what a kind says of itself, `kinds` lists
them); `stub` makes the Python function that launches calls like it, and `sites` keeps those functions.
"""
