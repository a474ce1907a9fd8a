"""Ground of every layer: errors, source locations and settings; imports nothing of ours."""
