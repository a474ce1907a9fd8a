"""A slow, exact interpreter of instructions, written apart from the engine, to test the engine with."""
