"""Fly kernels in, ROCDL kernels out: `convert-fly-to-rocdl`."""
