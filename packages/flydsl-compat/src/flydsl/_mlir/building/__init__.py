"""What the modules of dialects are made of: tables of operations, builders, conversions of arguments."""
