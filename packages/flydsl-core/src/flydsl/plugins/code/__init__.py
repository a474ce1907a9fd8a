"""The code that plugins are made of, as keys of the cache and of memos see it."""
