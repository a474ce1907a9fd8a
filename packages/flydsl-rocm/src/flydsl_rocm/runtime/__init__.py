"""The device runtime `hip`: launches through a native table over libamdhip64, everything else through hip-python."""
