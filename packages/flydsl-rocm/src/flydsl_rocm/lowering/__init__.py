"""Lowering of Fly kernels to ROCDL: `convert-fly-to-rocdl`."""
