"""Other things to do with a call than launching it: interpret it, collect its code, hint, limit what it writes."""
