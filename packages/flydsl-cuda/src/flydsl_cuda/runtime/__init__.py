"""The device runtime `cuda`: launches through a native table over libcuda, everything else through ctypes."""
