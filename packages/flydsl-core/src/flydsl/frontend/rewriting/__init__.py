"""Functions with their control flow rewritten to calls: syntax trees in, functions out."""
