"""The disk cache of compiled artifacts, which may be slow but is never wrong.

`key` names an artifact, `dependencies` says what a function reads, `entry` is the file, `store` the folder, and `lock`
saves work between threads and processes. Import from those modules: nothing is imported here, a warm start pays.
"""
