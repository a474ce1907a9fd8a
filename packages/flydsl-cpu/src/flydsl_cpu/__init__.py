"""FlyDSL on the CPU: the compile backend and the device runtime `cpu`, found through the entry point `plugin`."""
