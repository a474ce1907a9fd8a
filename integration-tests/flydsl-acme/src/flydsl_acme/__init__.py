"""A toy FlyDSL plugin: a backend, a runtime and a tensor adaptor for a device that does not exist."""
