"""How Fly values cross function boundaries: the slots of a type, packing and unpacking."""
