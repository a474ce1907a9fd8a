"""A slow, exact interpreter of vector and scalar instructions, written apart from the engine, to test the engine with."""
