"""Register memory: what holds an element, and which allocations can become SSA values."""
