"""The device runtime `acme`."""
