"""How Fly values cross function boundaries: types in, slots out, and the values taken apart and put together."""
